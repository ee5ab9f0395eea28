package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.controller.EmbeddedKubelet.NodeAdmission;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.KubeletRejection;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The admission of the embedded kubelet: GeneralPredicates, as a kubelet of the cluster's release runs it, to detect wrong
 * placements. Mirrors {@code pkg/kubelet/lifecycle/predicate.go}.
 */
public final class GeneralPredicatesAdmission implements NodeAdmission {
    private static final String INSUFFICIENT = "Insufficient ";

    private static final String LINUX = "linux";
    private static final String SOURCE = "kubernetes.io/config.source";

    /**
     * One check of a kubelet after the check of resources, in its order.
     *
     * @param predicate name in 1.17
     * @param plugin name in later releases
     * @param reason reason of our predicate
     * @param text reason in current releases
     */
    private record Check(String predicate, String plugin, FailureReason reason, String text) {}

    private static final List<Check> CHECKS = List.of(
            new Check(
                    "MatchNodeSelector",
                    "NodeAffinity",
                    FailureReasons.NODE_SELECTOR,
                    "node(s) didn't match Pod's node affinity/selector"),
            new Check("HostName", "NodeName", FailureReasons.HOST_NAME, "node(s) didn't match the requested node name"),
            new Check(
                    "PodFitsHostPorts",
                    "NodePorts",
                    FailureReasons.HOST_PORTS,
                    "node(s) didn't have free ports for the requested pod ports"));

    private final Release release;
    private final FeatureGates gates;
    private final Predicate predicates;

    /** @param release of the kubelet */
    public GeneralPredicatesAdmission(Release release) {
        this.release = release;
        this.gates = FeatureGates.defaults().at(release);
        this.predicates = Algorithms.registry().predicate("GeneralPredicates", AlgorithmConfig.of(gates));
    }

    @Override
    public @Nullable String reject(ObjectNode pod, ObjectNode node, List<ObjectNode> podsOnNode) {
        ObjectReader reader = new ObjectReader(gates, false);
        ClusterState state = new ClusterState();
        if (!(read(reader, node, "Node") instanceof Node nodeObject)
                || !(read(reader, withoutMissing(pod, node), "Pod") instanceof PodInfo podInfo)) {
            return null;
        }
        state.putNode(nodeObject);
        for (ObjectNode other : podsOnNode) {
            if (read(reader, other, "Pod") instanceof PodInfo running && !running.isSame(podInfo)) {
                state.addPod(running);
            }
        }
        state.startCompleteCycle();
        NodeInfo info = state.node(nodeObject.name());
        if (info == null) {
            return null;
        }
        if (KubeletRejection.isUsedBy(release, "PodOSNotSupported")
                && !pod.at("/spec/os/name").asText(LINUX).equals(LINUX)) {
            return "PodOSNotSupported: Failed to admit pod as the OS field doesn't match node OS";
        }
        List<String> lacking = podInfo.spec().requiredFeatures().stream()
                .filter(feature -> !nodeObject.declaredFeatures().contains(feature))
                .toList();
        if (SchedulerChange.NODE_DECLARED_FEATURES.in(release) && !lacking.isEmpty()) {
            return "PodFeatureUnsupported: Pod requires node features that are not available: "
                    + String.join(", ", lacking);
        }
        Verdict verdict = predicates.start(PodContext.of(podInfo, state)).check(info);
        if (verdict.fits()) {
            return toleratesNoExecute(pod, podInfo, info)
                    ? null
                    : failed("TaintToleration", FailureReasons.TAINTS.text());
        }
        if (verdict.reasons().isEmpty()) {
            return "UnexpectedAdmissionError: " + verdict.error();
        }
        return rejection(verdict.reasons(), podInfo, info);
    }

    /**
     * A kubelet does not check the extended resources that its node does not have: an extender or devices provide them. Mirrors
     * {@code removeMissingExtendedResources}.
     */
    private static ObjectNode withoutMissing(ObjectNode pod, ObjectNode node) {
        ObjectNode rest = pod.deepCopy();
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : rest.path("spec").path(list)) {
                for (String amounts : List.of("requests", "limits")) {
                    if (container.path("resources").path(amounts) instanceof ObjectNode resources) {
                        resources
                                .propertyStream()
                                .map(Map.Entry::getKey)
                                .filter(name -> isExtended(name)
                                        && !node.at("/status/allocatable").has(name))
                                .toList()
                                .forEach(resources::remove);
                    }
                }
            }
        }
        return rest;
    }

    private static boolean isExtended(String name) {
        return ResourceNames.isExtended(name) || name.startsWith(ResourceNames.DEVICE_CLASS_PREFIX);
    }

    /** A kubelet reports the first of the reasons in the order of its own checks. */
    private String rejection(List<FailureReason> reasons, PodInfo pod, NodeInfo node) {
        FailureReason first = reasons.get(0);
        if (first.text().startsWith(INSUFFICIENT)) {
            return outOf(first.text().substring(INSUFFICIENT.length()), pod, node);
        }
        for (Check check : CHECKS) {
            if (reasons.contains(check.reason())) {
                return failed(KubeletRejection.named(release, check.predicate(), check.plugin()), check.text());
            }
        }
        return "UnexpectedPredicateFailureType: GeneralPredicates failed due to " + first.text()
                + ", which is unexpected.";
    }

    private String failed(String name, String text) {
        return name + ": Predicate " + name + " failed"
                + (ComponentChange.PREDICATE_REASON_IN_MESSAGE.in(release) ? ": " + text : "");
    }

    /** Kubelets that check taints reject a pod that does not tolerate a NoExecute taint, unless they read it from a file. */
    private boolean toleratesNoExecute(ObjectNode pod, PodInfo podInfo, NodeInfo node) {
        if (!KubeletRejection.isUsedBy(release, "TaintToleration")
                || !Json.text(pod, "metadata", "annotations", SOURCE).isEmpty()) {
            return true;
        }
        TolerationSet tolerations = new TolerationSet(podInfo.tolerations());
        return node.node().taints().stream()
                .allMatch(taint -> !taint.effect().equals("NoExecute") || tolerations.tolerates(taint));
    }

    private static String outOf(String resource, PodInfo pod, NodeInfo node) {
        long requested =
                resource.equals("pods") ? 1 : amount(pod.spec().resources().request(), resource);
        long used = switch (resource) {
            case "pods" -> node.podCount();
            case "cpu" -> node.requestedMilliCpu();
            case "memory" -> node.requestedMemory();
            case "ephemeral-storage" -> node.requestedEphemeralStorage();
            default -> node.requestedScalar(resource);
        };
        return KubeletRejection.OUT_OF + resource + ": Node didn't have enough resource: " + resource + ", requested: "
                + requested + ", used: " + used + ", capacity: " + amount(node.allocatable(), resource);
    }

    private static long amount(ResourceVector amounts, String resource) {
        return switch (resource) {
            case "pods" -> amounts.pods();
            case "cpu" -> amounts.milliCpu();
            case "memory" -> amounts.memory();
            case "ephemeral-storage" -> amounts.ephemeralStorage();
            default -> amounts.scalar(resource);
        };
    }

    private static @Nullable ClusterObject read(ObjectReader reader, ObjectNode object, String kind) {
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            return reader.read(parser, kind);
        } catch (IOException e) {
            return null;
        }
    }
}
