package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ten underlay addresses per node, with the rules of the example: a pod without an address waits until one is free. */
class UnderlayAddressesTest {
    private static final String SCHEDULER = "blueking-ip-scheduler";
    private static final String FILE = "policy-files/rules/underlay-ip.yaml";
    private static final int ADDRESSES = 10;

    private final LiveCluster live = new LiveCluster();

    @BeforeEach
    void start() throws IOException, PolicyException {
        PolicyResolver resolver = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry());
        String policy = Files.readString(RepositoryFiles.root().resolve(FILE));
        live.startScheduler(List.of(
                ProfileSettings.ofPolicy(SCHEDULER, resolver.resolve(new PolicyReader().read(policy, FILE)), 100)));
    }

    @AfterEach
    void close() {
        live.close();
    }

    private void create(String name) {
        live.api().createPod(Manifest.podOf(SCHEDULER, name, "10m"));
    }

    private Map<String, Integer> podsByNode(int pods) {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < pods; i++) {
            counts.merge(live.nodeOf("p" + i), 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void theEleventhWaitsUntilAnAddressIsFree() {
        live.addNodes(1, "4");
        for (int i = 0; i < ADDRESSES; i++) {
            create("p" + i);
        }
        for (int i = 0; i < ADDRESSES; i++) {
            live.awaitBound("p" + i);
        }
        create("late");
        assertEquals(
                "0/1 nodes are available: 1 no underlay IP left.",
                live.awaitUnschedulable("late").path("message").asText());
        // A pod of another scheduler uses no address and frees none.
        ObjectNode other = Manifest.podOf("somebody-else", "other", "10m");
        other.withObject("/spec").put("nodeName", "n0");
        live.cluster().load(other);
        assertEquals("", live.nodeOf("late"));
        live.api().deletePod("p3");
        live.awaitBound("late");
        assertEquals("n0", live.nodeOf("late"));
        live.assertSound();
    }

    /** Worker nodes fill evenly. Nodes of the control plane get no pod, whichever of the two labels they have. */
    @Test
    void workerNodesFillEvenly() {
        for (String role : List.of("master", "control-plane")) {
            ObjectNode node = Manifest.node(role, "4");
            node.withObject("/metadata/labels").put("node-role.kubernetes.io/" + role, "");
            live.cluster().load(node);
        }
        live.addNodes(3, "4");
        int pods = 3 * ADDRESSES;
        for (int i = 0; i < pods; i++) {
            create("p" + i);
            live.awaitBound("p" + i);
            if (i % 3 == 2) {
                int each = i / 3 + 1;
                assertEquals(Map.of("n0", each, "n1", each, "n2", each), podsByNode(i + 1));
            }
        }
        create("late");
        assertEquals(
                "0/5 nodes are available: 2 control-plane nodes have no underlay IPs, 3 no underlay IP left.",
                live.awaitUnschedulable("late").path("message").asText());
        live.assertSound();
    }
}
