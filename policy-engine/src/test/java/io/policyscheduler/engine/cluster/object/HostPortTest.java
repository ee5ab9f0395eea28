package io.policyscheduler.engine.cluster.object;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.resource.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostPortTest {
    @Test
    void defaults() {
        assertEquals(new HostPort("0.0.0.0", "TCP", 80), HostPort.of("", "", 80));
        assertEquals(new HostPort("1.2.3.4", "SCTP", 80), HostPort.of("1.2.3.4", "SCTP", 80));
    }

    @ParameterizedTest
    @CsvSource({
        "'',      '',   80, '',      '',   80, true",
        "'',      '',   80, 1.2.3.4, TCP,  80, true",
        "1.2.3.4, TCP,  80, 1.2.3.4, TCP,  80, true",
        "1.2.3.4, TCP,  80, 1.2.3.5, TCP,  80, false",
        "'',      TCP,  80, '',      UDP,  80, false",
        "'',      TCP,  80, '',      tcp,  80, false",
        "'',      TCP,  80, '',      TCP,  81, false",
        "::,      TCP,  80, 1.2.3.4, TCP,  80, false",
        "::,      TCP,  80, '',      TCP,  80, true",
    })
    void conflictsBothWays(String ip, String protocol, int port, String ip2, String protocol2, int port2, boolean yes) {
        HostPort one = HostPort.of(ip, protocol, port);
        HostPort two = HostPort.of(ip2, protocol2, port2);
        assertEquals(yes, one.conflictsWith(two));
        assertEquals(yes, two.conflictsWith(one));
    }
}
