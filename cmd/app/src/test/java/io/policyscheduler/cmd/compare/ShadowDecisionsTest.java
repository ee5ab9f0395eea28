package io.policyscheduler.cmd.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.compare.ShadowCommand.ShadowDecisions;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.page.LivePage.PageAddition;
import io.policyscheduler.cmd.page.OwnPage;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.insight.compare.ShadowComparison.Finding;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShadowDecisionsTest {
    /** The default profile is that of the cluster, unless a release is named. */
    @ParameterizedTest
    @CsvSource({"modern, '; modern decides as kube-scheduler 1.34; '", "modern@1.29, '; '"})
    void modernIsTheReleaseOfTheCluster(String scheduler, String said, @TempDir Path folder) throws IOException {
        Path kubeconfig = folder.resolve("kubeconfig");
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(Release.V1_34).start()) {
            cluster.writeKubeconfig(kubeconfig);
            CommandRun run = CommandRun.of("shadow", scheduler, "--duration=1ms", "--kubeconfig=" + kubeconfig);
            assertTrue(
                    run.err()
                            .contains("watching " + cluster.url() + " as Kubernetes 1.34" + said
                                    + "shadow writes nothing"),
                    run.toString());
        }
    }

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
        try (OwnPage page =
                new OwnPage(any, JsonNodeFactory.instance::arrayNode, "", Clock.systemUTC(), PageAddition.NONE)) {
            ShadowDecisions.publish(page, PodBuilder.pod("p").build(), other, Instant.EPOCH);
            String text = new String(
                    URI.create(page.url() + "debug/decisions")
                            .toURL()
                            .openStream()
                            .readAllBytes(),
                    StandardCharsets.UTF_8);
            assertTrue(text.contains("\"outcome\":\"bound\",\"node\":\"n2\",\"message\":\"would choose n1: n1"), text);
        }
    }
}
