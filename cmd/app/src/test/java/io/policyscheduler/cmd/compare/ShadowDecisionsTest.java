package io.policyscheduler.cmd.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.compare.ShadowCommand.ShadowDecisions;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShadowDecisionsTest {
    @Test
    void aPlacementIsShownWithWhatIsThoughtOfIt() throws IOException {
        Finding other =
                new Finding("default/p", "n2", Finding.Kind.OTHER_NODE, List.of("n1"), "n1 scores 20 more", List.of());
        assertEquals("would choose n1: n1 scores 20 more", ShadowDecisions.message(other));
        assertEquals(
                "agrees",
                ShadowDecisions.message(
                        new Finding("default/p", "n2", Finding.Kind.SAME, List.of("n2"), "", List.of())));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (OwnPage page = new OwnPage(any, JsonNodeFactory.instance::arrayNode, "", Clock.systemUTC())) {
            ShadowDecisions.tell(page, PodBuilder.pod("p").build(), other, Instant.EPOCH);
            String told = new String(
                    URI.create(page.url() + "debug/decisions")
                            .toURL()
                            .openStream()
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
            assertTrue(told.contains("\"outcome\":\"bound\",\"node\":\"n2\",\"message\":\"would choose n1: n1"), told);
        }
    }
}
