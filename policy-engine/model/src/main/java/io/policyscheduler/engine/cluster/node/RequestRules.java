package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceVector;

/**
 * By whose rules it is added up what pods ask for. Whoever decides reads all amounts through one of these, so that the pod to
 * be placed and the pods that run count alike. CPU in milli-CPU, memory and ephemeral storage in bytes.
 */
public enum RequestRules {
    /** Containers and init containers as kube-scheduler v1.17 counts them; see {@link PodResources}. */
    V1_17(Arithmetic.SATURATING) {
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
        RequestTotals totals(NodeInfo node) {
            return node.requests();
        }
    },
    /** The same with the overflows of v1.17. */
    EXACTLY_V1_17(Arithmetic.WRAPPING) {
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
        RequestTotals totals(NodeInfo node) {
            return node.requests();
        }
    },
    /** As kubelet and scheduler of current releases count: with sidecars, overhead, pod-level resources and resizes. */
    MODERN(Arithmetic.SATURATING) {
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
        RequestTotals totals(NodeInfo node) {
            return node.currentRequests();
        }
    };

    private final Arithmetic arithmetic;

    RequestRules(Arithmetic arithmetic) {
        this.arithmetic = arithmetic;
    }

    /** The rules of the release that {@code gates} stand for, with the arithmetic that they name. */
    public static RequestRules of(FeatureGates gates) {
        if (gates.honoursNewerFields()) {
            return MODERN;
        }
        return gates.arithmetic() == Arithmetic.WRAPPING ? EXACTLY_V1_17 : V1_17;
    }

    /** What becomes of sums that 64 bits cannot hold. */
    public Arithmetic arithmetic() {
        return arithmetic;
    }

    abstract RequestTotals totals(NodeInfo node);

    /** What must be free on a node for the pod. */
    public abstract ResourceVector request(PodInfo pod);

    /** CPU of the pod while it is being scored, with a default for containers that ask for none. */
    public abstract long scoringMilliCpu(PodInfo pod);

    /** Memory of the pod while it is being scored, with a default for containers that ask for none. */
    public abstract long scoringMemory(PodInfo pod);

    /** CPU that the pods of the node ask for; may exceed what is allocatable. */
    public final long milliCpu(NodeInfo node) {
        return totals(node).milliCpu(arithmetic);
    }

    /** Memory that the pods of the node ask for. */
    public final long memory(NodeInfo node) {
        return totals(node).memory(arithmetic);
    }

    /** Ephemeral storage that the pods of the node ask for. */
    public final long ephemeralStorage(NodeInfo node) {
        return totals(node).ephemeralStorage(arithmetic);
    }

    /** Amount of a scalar resource that the pods of the node ask for; 0 when nobody does. */
    public final long scalar(NodeInfo node, String resource) {
        return totals(node).scalar(resource, arithmetic);
    }

    /** {@link #milliCpu} with the default for containers that ask for none; for scoring. */
    public final long nonZeroMilliCpu(NodeInfo node) {
        return totals(node).nonZeroMilliCpu(arithmetic);
    }

    /** {@link #memory} with the default for containers that ask for none; for scoring. */
    public final long nonZeroMemory(NodeInfo node) {
        return totals(node).nonZeroMemory(arithmetic);
    }
}
