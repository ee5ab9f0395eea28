package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Instant;
import java.util.List;

/** What pods that were placed on a node lately amount to. */
final class PlacedPods {
    private static final double MILLI = 1000.0;
    /** API servers write times by the second, cut off. */
    private static final long SECOND = 1_000;

    private PlacedPods() {}

    /** The sum over the pods of a node that were placed there after a time; charged by the pods that are gone through. */
    static double since(NodeInfo node, Instant time, PlacedAmount amount, Meter meter) {
        List<PodInfo> pods = node.pods();
        meter.charge(pods.size());
        long first = time.toEpochMilli() - SECOND;
        double sum = 0;
        for (int i = 0; i < pods.size(); i++) {
            PodInfo pod = pods.get(i);
            if (placedAt(pod) > first) {
                sum += of(pod, amount);
            }
        }
        return sum;
    }

    /** A pod of which not even the kubelet has said when it began is new. */
    private static long placedAt(PodInfo pod) {
        PodInfo.ScheduledCondition scheduled = pod.scheduled();
        if (scheduled != null && scheduled.lastTransitionMillis() != PodInfo.NO_TIME) {
            return scheduled.lastTransitionMillis();
        }
        return pod.startTimeMillis() == PodInfo.NO_TIME ? Long.MAX_VALUE : pod.startTimeMillis();
    }

    private static double of(PodInfo pod, PlacedAmount amount) {
        return switch (amount) {
            case CPU -> RequestRules.MODERN.request(pod).milliCpu() / MILLI;
            case MEMORY -> RequestRules.MODERN.request(pod).memory();
            case PODS -> 1;
        };
    }
}
