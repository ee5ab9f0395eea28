package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.testing.Clusters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodFitsHostPortsTest {
    private static final Verdict TAKEN = Verdict.unfit(FailureReasons.HOST_PORTS);

    private final PodFitsHostPorts predicate = new PodFitsHostPorts(PodFitsHostPorts.NAME);
    private final ClusterState cluster = Clusters.cluster(
            node("n1").build(),
            pod("used")
                    .hostPort("", "", 80)
                    .hostPort("1.2.3.4", "UDP", 80)
                    .hostPort("::", "TCP", 90)
                    .onNode("n1")
                    .build());

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, TCP, 80, false",
        "'', UDP, 80, false",
        "1.2.3.5, UDP, 80, true",
        "1.2.3.4, UDP, 80, false",
        "'', SCTP, 80, true",
        "'', '', 80, false",
        "'', tcp, 80, true",
        "'', '', 81, true",
        "1.2.3.4, TCP, 90, true",
        "::, TCP, 90, false",
        "0.0.0.0, TCP, 90, false"
    })
    void conflictsOfOnePort(String ip, String protocol, int port, boolean fits) {
        PodInfo wanting = pod("p").hostPort(ip, protocol, port).build();
        assertEquals(fits ? Verdict.FITS : TAKEN, Checks.verdict(predicate, wanting, cluster, "n1"));
    }

    @Test
    void oneConflictOfSeveralPortsIsEnoughAndReportedOnce() {
        PodInfo wanting = pod("p").hostPort("", "", 8080)
                .hostPort("", "", 80)
                .hostPort("", "UDP", 80)
                .build();
        assertEquals(TAKEN, Checks.verdict(predicate, wanting, cluster, "n1"));
    }

    @Test
    void neverConflictsWithItself() {
        PodInfo wanting = pod("p").hostPort("", "", 8080).hostPort("", "", 8080).build();
        assertEquals(Verdict.FITS, Checks.verdict(predicate, wanting, cluster, "n1"));
    }

    @Test
    void podWithoutPortsAndPortsOfInitContainersFit() {
        HostPort taken = HostPort.of("", "", 80);
        assertEquals(Verdict.FITS, Checks.verdict(predicate, pod("p").build(), cluster, "n1"));
        assertEquals(
                Verdict.FITS,
                Checks.verdict(predicate, pod("p").initContainer("i", taken).build(), cluster, "n1"));
    }

    @Test
    void isKnownUnderTwoNames() {
        assertEquals("PodFitsHostPorts", predicate.name());
        assertEquals("PodFitsPorts", new PodFitsHostPorts(PodFitsHostPorts.OLD_NAME).name());
        assertEquals(Scope.NODE, predicate.scope());
    }
}
