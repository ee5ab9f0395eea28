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
    V1_17(Arithmetic.SATURATING, false),
    /** The same with the overflows of v1.17. */
    EXACTLY_V1_17(Arithmetic.WRAPPING, false),
    /** As kubelet and scheduler of current releases count: with sidecars, overhead, pod-level resources and resizes. */
    MODERN(Arithmetic.SATURATING, true);

    private final Arithmetic arithmetic;
    private final boolean isCurrent;

    RequestRules(Arithmetic arithmetic, boolean isCurrent) {
        this.arithmetic = arithmetic;
        this.isCurrent = isCurrent;
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

    private RequestTotals totals(NodeInfo node) {
        return isCurrent ? node.currentRequests() : node.requests();
    }

    /** What must be free on a node for the pod. */
    public ResourceVector request(PodInfo pod) {
        return isCurrent ? pod.resources().current().filter() : pod.resources().request();
    }

    /** CPU of the pod while it is being scored, with a default for containers that ask for none. */
    public long scoringMilliCpu(PodInfo pod) {
        return isCurrent
                ? pod.resources().current().placedMilliCpu()
                : pod.resources().scoringMilliCpu();
    }

    /** Memory of the pod while it is being scored, with a default for containers that ask for none. */
    public long scoringMemory(PodInfo pod) {
        return isCurrent
                ? pod.resources().current().placedMemory()
                : pod.resources().scoringMemory();
    }

    /** CPU that the pods of the node ask for; may exceed what is allocatable. */
    public long milliCpu(NodeInfo node) {
        return totals(node).milliCpu(arithmetic);
    }

    /** Memory that the pods of the node ask for. */
    public long memory(NodeInfo node) {
        return totals(node).memory(arithmetic);
    }

    /** Ephemeral storage that the pods of the node ask for. */
    public long ephemeralStorage(NodeInfo node) {
        return totals(node).ephemeralStorage(arithmetic);
    }

    /** Amount of a scalar resource that the pods of the node ask for; 0 when nobody does. */
    public long scalar(NodeInfo node, String resource) {
        return totals(node).scalar(resource, arithmetic);
    }

    /** {@link #milliCpu} with the default for containers that ask for none; for scoring. */
    public long nonZeroMilliCpu(NodeInfo node) {
        return totals(node).nonZeroMilliCpu(arithmetic);
    }

    /** {@link #memory} with the default for containers that ask for none; for scoring. */
    public long nonZeroMemory(NodeInfo node) {
        return totals(node).nonZeroMemory(arithmetic);
    }
}
