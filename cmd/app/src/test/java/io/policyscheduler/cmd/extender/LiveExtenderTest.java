package io.policyscheduler.cmd.extender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A running scheduler with an extender that receives whole objects and binds. */
class LiveExtenderTest {
    private final ObjectMapper mapper = new ObjectMapper();

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "not in time");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void filtersAndBinds() throws Exception {
        try (FakeExtenderServer extender = new FakeExtenderServer();
                EmbeddedControlPlane cluster = EmbeddedControlPlane.builder().start()) {
            extender.answer("{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n2\"}}]}}");
            for (String name : new String[] {"n1", "n2"}) {
                cluster.load(mapper.readTree("{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + name
                        + "\",\"labels\":{\"rack\":\"r1\"}},\"status\":{\"allocatable\":"
                        + "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"10\"}}}"));
            }
            EffectivePolicy policy = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry())
                    .resolve(new PolicyReader()
                            .read(
                                    "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"extenders\":[{\"urlPrefix\":\""
                                            + extender.url()
                                            + "\",\"filterVerb\":\"filter\",\"bindVerb\":\"bind\",\"weight\":1}]}",
                                    "policy.json"));
            SchedulerSettings settings =
                    new SchedulerSettings("s", policy, TieBreak.first(), 0, false, SchedulerListener.NONE);
            KubeConnection connection = KubeConnection.fromUrl(cluster.url());
            try (LiveScheduler live = LiveScheduler.start(settings, connection, "test", Clock.systemUTC())) {
                cluster.load(mapper.readTree("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\","
                        + "\"namespace\":\"default\"},\"spec\":{\"schedulerName\":\"s\",\"containers\":"
                        + "[{\"name\":\"c\",\"image\":\"i\"}]}}"));
                await(() -> extender.requests().size() >= 2);
                assertFalse(live.awaitEnd(Duration.ZERO));
            }
            JsonNode filter = mapper.readTree(extender.requests().get(0).body());
            assertEquals("i", filter.at("/Pod/spec/containers/0/image").asText());
            assertEquals("r1", filter.at("/Nodes/items/1/metadata/labels/rack").asText());
            assertEquals(2, filter.at("/Nodes/items").size());
            FakeExtenderServer.Request bind = extender.requests().get(1);
            assertEquals("/bind", bind.path());
            String uid = filter.at("/Pod/metadata/uid").asText();
            assertEquals(
                    "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"" + uid + "\",\"Node\":\"n2\"}",
                    bind.body());
            assertEquals(
                    "",
                    cluster.get("pods", "default", "p")
                            .orElseThrow()
                            .at("/spec/nodeName")
                            .asText());
        }
    }
}
