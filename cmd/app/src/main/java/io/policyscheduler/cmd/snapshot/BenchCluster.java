package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A seeded random cluster with pods on its nodes and pending pods, made of API objects that the real reader reads. */
public final class BenchCluster {
    private static final int ZONES = 3;
    private static final int CORES = 32;

    public final ClusterState cluster = new ClusterState();
    public final List<PodInfo> pending = new ArrayList<>();
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);

    /** @param pods pods on the nodes; ignored for preemption, which needs full nodes */
    public BenchCluster(Workload workload, int nodes, int pods, int toDecide, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < nodes; i++) {
            if (read(node(i)) instanceof Node node) {
                cluster.putNode(node);
            }
        }
        for (int app = 0; app < Workload.apps(); app++) {
            cluster.putObject(read(Workload.service(app)));
        }
        int there = workload.preempts() ? nodes * Workload.fillers(CORES) : pods;
        for (int i = 0; i < there; i++) {
            if (workload.preempts()) {
                run(Workload.filler(i), i % nodes);
            } else {
                run(workload.pod(i), place(workload, i, nodes, random));
            }
        }
        for (int i = 0; i < toDecide; i++) {
            if (read(workload.pod(there + i)) instanceof PodInfo info) {
                pending.add(info);
            }
        }
        cluster.startCompleteCycle();
    }

    private void run(ObjectNode pod, int node) {
        pod.withObject("/spec").put("nodeName", "node-" + node);
        if (read(pod) instanceof PodInfo info) {
            cluster.addPod(info);
        }
    }

    /** Existing pods obey their own rules: an app's pods never share a node, and with zone affinity they share a zone. */
    private static int place(Workload workload, int number, int nodes, SplittableRandom random) {
        if (workload == Workload.ANTI_AFFINITY_HOST || workload == Workload.MIXED) {
            return number % nodes;
        }
        int node = random.nextInt(nodes);
        if (workload == Workload.AFFINITY_ZONE) {
            int zone = number % Workload.apps() % ZONES;
            return Math.min(node - node % ZONES + zone, nodes - 1);
        }
        return node;
    }

    private static ObjectNode node(int number) {
        ObjectNode node = JsonNodeFactory.instance.objectNode().put("kind", "Node");
        node.putObject("metadata")
                .put("name", "node-" + number)
                .put("uid", "node-uid-" + number)
                .putObject("labels")
                .put("kubernetes.io/hostname", "node-" + number)
                .put("topology.kubernetes.io/region", "region-1")
                .put("topology.kubernetes.io/zone", "zone-" + number % ZONES);
        node.putObject("status")
                .putObject("allocatable")
                .put("cpu", CORES + "")
                .put("memory", "64Gi")
                .put("pods", "110");
        return node;
    }

    private ClusterObject read(ObjectNode object) {
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            ClusterObject read = reader.read(parser, null);
            if (read == null) {
                throw new IllegalStateException("not read: " + object);
            }
            return read;
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the generated object: " + object, e);
        }
    }
}
