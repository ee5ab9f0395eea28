package io.policyscheduler.engine.cluster;

/**
 * By whose rules it is added up what pods ask for. Whoever decides reads all amounts through one of these, so that the pod to
 * be placed and the pods that run count alike. CPU in milli-CPU, memory and ephemeral storage in bytes.
 */
public enum RequestRules {
    /** Containers and init containers as kube-scheduler v1.17 counts them; see {@link PodResources}. */
    V1_17 {
        @Override
        public ResourceVector request(PodInfo pod) {
            return pod.resources().request();
        }

        @Override
        public long scoringMilliCpu(PodInfo pod) {
            return pod.resources().scoringMilliCpu();
        }

        @Override
        public long scoringMemory(PodInfo pod) {
            return pod.resources().scoringMemory();
        }

        @Override
        public long milliCpu(NodeInfo node) {
            return node.requestedMilliCpu();
        }

        @Override
        public long memory(NodeInfo node) {
            return node.requestedMemory();
        }

        @Override
        public long ephemeralStorage(NodeInfo node) {
            return node.requestedEphemeralStorage();
        }

        @Override
        public long scalar(NodeInfo node, String resource) {
            return node.requestedScalar(resource);
        }

        @Override
        public long nonZeroMilliCpu(NodeInfo node) {
            return node.nonZeroMilliCpu();
        }

        @Override
        public long nonZeroMemory(NodeInfo node) {
            return node.nonZeroMemory();
        }
    },
    /** As kubelet and scheduler of current releases count: with sidecars, overhead, pod-level resources and resizes. */
    CURRENT {
        @Override
        public ResourceVector request(PodInfo pod) {
            return pod.resources().current().filter();
        }

        @Override
        public long scoringMilliCpu(PodInfo pod) {
            return pod.resources().current().placedMilliCpu();
        }

        @Override
        public long scoringMemory(PodInfo pod) {
            return pod.resources().current().placedMemory();
        }

        @Override
        public long milliCpu(NodeInfo node) {
            return node.currentRequests().milliCpu();
        }

        @Override
        public long memory(NodeInfo node) {
            return node.currentRequests().memory();
        }

        @Override
        public long ephemeralStorage(NodeInfo node) {
            return node.currentRequests().ephemeralStorage();
        }

        @Override
        public long scalar(NodeInfo node, String resource) {
            return node.currentRequests().scalar(resource);
        }

        @Override
        public long nonZeroMilliCpu(NodeInfo node) {
            return node.currentRequests().nonZeroMilliCpu();
        }

        @Override
        public long nonZeroMemory(NodeInfo node) {
            return node.currentRequests().nonZeroMemory();
        }
    };

    /** The rules of the release that {@code gates} stand for. */
    public static RequestRules of(FeatureGates gates) {
        return gates.honoursNewerFields() ? CURRENT : V1_17;
    }

    /** What must be free on a node for the pod. */
    public abstract ResourceVector request(PodInfo pod);

    /** CPU of the pod while it is being scored, with a default for containers that ask for none. */
    public abstract long scoringMilliCpu(PodInfo pod);

    /** Memory of the pod while it is being scored, with a default for containers that ask for none. */
    public abstract long scoringMemory(PodInfo pod);

    /** CPU that the pods of the node ask for; may exceed what is allocatable. */
    public abstract long milliCpu(NodeInfo node);

    /** Memory that the pods of the node ask for. */
    public abstract long memory(NodeInfo node);

    /** Ephemeral storage that the pods of the node ask for. */
    public abstract long ephemeralStorage(NodeInfo node);

    /** Amount of a scalar resource that the pods of the node ask for; 0 when nobody does. */
    public abstract long scalar(NodeInfo node, String resource);

    /** {@link #milliCpu} with the default for containers that ask for none; for scoring. */
    public abstract long nonZeroMilliCpu(NodeInfo node);

    /** {@link #memory} with the default for containers that ask for none; for scoring. */
    public abstract long nonZeroMemory(NodeInfo node);
}
