package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Lifts for what a node lacks: resources, ports, labels, and for its taints. */
final class NodeFinder {
    /** Taints under these prefixes tell of a node's state, not of whom it is meant for. */
    private static final List<String> STATE_TAINTS =
            List.of("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/");

    private static final Arithmetic SUMS = Arithmetic.SATURATING;
    private static final String NO_EXECUTE_ONLY = "PodToleratesNodeNoExecuteTaints";

    private final Scene scene;
    private final NodeInfo node;

    NodeFinder(Scene scene, NodeInfo node) {
        this.scene = scene;
        this.node = node;
    }

    List<Lift> resource(String resource) {
        ResourceVector request = scene.current
                ? scene.pod().resources().current().filter()
                : scene.pod().resources().request();
        long asked = resource.equals(ResourceNames.PODS) ? 1 : amount(request, resource);
        long allocatable = amount(node.allocatable(), resource);
        long missing = SUMS.subtract(SUMS.add(taken(resource), asked), allocatable);
        return missing <= 0
                ? List.of()
                : List.of(new NodeLifts.MoreOf(node.name(), resource, missing, asked, allocatable));
    }

    private static long amount(ResourceVector amounts, String resource) {
        return switch (resource) {
            case ResourceNames.CPU -> amounts.milliCpu();
            case ResourceNames.MEMORY -> amounts.memory();
            case ResourceNames.EPHEMERAL_STORAGE -> amounts.ephemeralStorage();
            case ResourceNames.PODS -> amounts.pods();
            default -> amounts.scalar(resource);
        };
    }

    private long taken(String resource) {
        RequestTotals current = node.currentRequests();
        return switch (resource) {
            case ResourceNames.CPU -> scene.current ? current.milliCpu() : node.requestedMilliCpu();
            case ResourceNames.MEMORY -> scene.current ? current.memory() : node.requestedMemory();
            case ResourceNames.EPHEMERAL_STORAGE ->
                scene.current ? current.ephemeralStorage() : node.requestedEphemeralStorage();
            case ResourceNames.PODS -> node.podCount();
            default -> scene.current ? current.scalar(resource) : node.requestedScalar(resource);
        };
    }

    List<Lift> taints(String filter) {
        List<Lift> lifts = new ArrayList<>();
        for (Taint taint : node.node().taints()) {
            boolean repels = taint.effect().equals("NoExecute")
                    || (taint.effect().equals("NoSchedule") && !filter.equals(NO_EXECUTE_ONLY));
            if (!repels || Toleration.anyTolerates(scene.pod().tolerations(), taint)) {
                continue;
            }
            if (taint.key().equals(NodeLifts.UNSCHEDULABLE_TAINT)) {
                lifts.add(new NodeLifts.Uncordon(node.name()));
            } else if (STATE_TAINTS.stream().anyMatch(taint.key()::startsWith)) {
                lifts.add(new NodeLifts.Untaint(node.name(), taint));
            } else {
                lifts.add(new PodLifts.Tolerate(taint));
            }
        }
        return lifts;
    }

    List<Lift> labels() {
        List<Lift> lifts = new ArrayList<>();
        for (String key : scene.labels.present()) {
            if (!node.node().labels().has(key)) {
                lifts.add(new NodeLifts.Label(node.name(), key, ""));
            }
        }
        for (String key : scene.labels.absent()) {
            if (node.node().labels().has(key)) {
                lifts.add(new NodeLifts.Label(node.name(), key, null));
            }
        }
        return lifts;
    }

    List<Lift> ports() {
        List<HostPort> wanted = ports(scene.pod());
        List<Lift> lifts = new ArrayList<>();
        for (PodInfo other : node.pods()) {
            Set<Integer> taken = new TreeSet<>();
            for (HostPort used : ports(other)) {
                if (wanted.stream().anyMatch(used::conflictsWith)) {
                    taken.add(used.port());
                }
            }
            if (!taken.isEmpty()) {
                String numbers = taken.toString().replaceAll("[\\[\\]]", "");
                String why = taken.size() == 1 ? "it uses host port " + numbers : "it uses host ports " + numbers;
                lifts.add(new WorldLifts.WithoutPod(node.name(), other, why));
            }
        }
        return lifts;
    }

    private List<HostPort> ports(PodInfo pod) {
        List<HostPort> ports = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (scene.current ? container.runsOn() : !container.init()) {
                ports.addAll(container.hostPorts());
            }
        }
        return ports;
    }
}
