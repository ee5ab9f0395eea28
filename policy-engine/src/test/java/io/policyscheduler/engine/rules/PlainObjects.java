package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Pods, nodes, and their parts as the plain Java objects that authors of MVEL expressions expect. */
public final class PlainObjects {
    private static final double MILLI = 1000.0;

    private PlainObjects() {}

    /** Of a taint or toleration. */
    public record Mark(String key, String value, String effect) {
        public String getKey() {
            return key;
        }

        public String getValue() {
            return value;
        }

        public String getEffect() {
            return effect;
        }
    }

    /** A volume of a pod. */
    public record Mount(String name, String kind, @Nullable String claimName) {
        public String getName() {
            return name;
        }

        public String getKind() {
            return kind;
        }

        public @Nullable String getClaimName() {
            return claimName;
        }
    }

    /** The moment. */
    public record Moment(double hour) {
        public double getHour() {
            return hour;
        }
    }

    /** A pod. */
    public static final class Pod {
        private final PodInfo pod;

        Pod(PodInfo pod) {
            this.pod = pod;
        }

        public String getName() {
            return pod.name();
        }

        public String getNamespace() {
            return pod.namespace();
        }

        public String getPhase() {
            return pod.phase();
        }

        public String getServiceAccountName() {
            return pod.spec().serviceAccount();
        }

        public List<Mount> getVolumes() {
            return pod.spec().podVolumes().stream()
                    .map(one ->
                            new Mount(one.name(), one.kind(), one.claimName().isEmpty() ? null : one.claimName()))
                    .toList();
        }

        public double getPriority() {
            return pod.priority();
        }

        public double getCpuLimit() {
            return pod.resources().limitMilliCpu() / MILLI;
        }

        public boolean isTerminating() {
            return pod.terminating();
        }

        public Map<String, String> getLabels() {
            return pod.labels().toMap();
        }

        public Map<String, String> getAnnotations() {
            return pod.annotations().toMap();
        }

        public List<Mark> getTolerations() {
            return pod.tolerations().stream()
                    .map(one -> new Mark(one.key(), one.value(), one.effect()))
                    .toList();
        }
    }

    /** A node. */
    public static final class Node {
        private final NodeInfo node;

        Node(NodeInfo node) {
            this.node = node;
        }

        public String getName() {
            return node.name();
        }

        public boolean isUnschedulable() {
            return node.node().unschedulable();
        }

        public double getPodCount() {
            return node.podCount();
        }

        public double getAllocatableCpu() {
            return node.allocatableMilliCpu() / MILLI;
        }

        public Map<String, String> getLabels() {
            return node.node().labels().toMap();
        }

        public Map<String, String> getAnnotations() {
            return node.node().annotations().toMap();
        }

        public List<Mark> getTaints() {
            return node.node().taints().stream()
                    .map(taint -> new Mark(taint.key(), taint.value(), taint.effect()))
                    .toList();
        }

        public List<Pod> getPods() {
            return node.pods().stream().map(Pod::new).toList();
        }
    }
}
