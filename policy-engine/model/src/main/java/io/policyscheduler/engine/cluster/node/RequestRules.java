package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.RequestTotals;
import io.policyscheduler.engine.cluster.resource.ResourceVector;

/**
 * The rules for adding up requests. Algorithms read all amounts through one of these, so that the pod to schedule and running pods
 * count equally. CPU in milli-CPU, memory and ephemeral storage in bytes.
 */
public enum RequestRules {
    /** Containers and init containers as in kube-scheduler v1.17; see {@link PodResources}. */
    V1_17(Arithmetic.SATURATING, false),
    /** The same with the overflows of v1.17. */
    EXACTLY_V1_17(Arithmetic.WRAPPING, false),
    /** As in kubelet and scheduler of current releases: with sidecars, overhead, pod-level resources and resizes. */
    MODERN(Arithmetic.SATURATING, true);

    private final Arithmetic arithmetic;
    private final boolean isCurrent;

    RequestRules(Arithmetic arithmetic, boolean isCurrent) {
        this.arithmetic = arithmetic;
        this.isCurrent = isCurrent;
    }

    /** The rules of the release and arithmetic of {@code gates}. */
    public static RequestRules of(FeatureGates gates) {
        if (gates.honoursNewerFields()) {
            return MODERN;
        }
        return gates.arithmetic() == Arithmetic.WRAPPING ? EXACTLY_V1_17 : V1_17;
    }

    /** The overflow behavior of 64-bit sums. */
    public Arithmetic arithmetic() {
        return arithmetic;
    }

    private RequestTotals totals(NodeInfo node) {
        return isCurrent ? node.currentRequests() : node.requests();
    }

    /** The resources that the pod requires on a node. */
    public ResourceVector request(PodInfo pod) {
        return isCurrent ? pod.resources().current().filter() : pod.resources().request();
    }

    /** The CPU request of the pod for scoring, with a default for containers without a request. */
    public long scoringMilliCpu(PodInfo pod) {
        return isCurrent
                ? pod.resources().current().placedMilliCpu()
                : pod.resources().scoringMilliCpu();
    }

    /** The memory request of the pod for scoring, with a default for containers without a request. */
    public long scoringMemory(PodInfo pod) {
        return isCurrent
                ? pod.resources().current().placedMemory()
                : pod.resources().scoringMemory();
    }

    /** The CPU requests of the node's pods; may exceed allocatable. */
    public long milliCpu(NodeInfo node) {
        return totals(node).milliCpu(arithmetic);
    }

    /** The memory requests of the node's pods. */
    public long memory(NodeInfo node) {
        return totals(node).memory(arithmetic);
    }

    /** The ephemeral storage requests of the node's pods. */
    public long ephemeralStorage(NodeInfo node) {
        return totals(node).ephemeralStorage(arithmetic);
    }

    /** The requested amount of a scalar resource; 0 if no pod requests it. */
    public long scalar(NodeInfo node, String resource) {
        return totals(node).scalar(resource, arithmetic);
    }

    /** {@link #milliCpu} with the default for containers without a request; for scoring. */
    public long nonZeroMilliCpu(NodeInfo node) {
        return totals(node).nonZeroMilliCpu(arithmetic);
    }

    /** {@link #memory} with the default for containers without a request; for scoring. */
    public long nonZeroMemory(NodeInfo node) {
        return totals(node).nonZeroMemory(arithmetic);
    }
}
