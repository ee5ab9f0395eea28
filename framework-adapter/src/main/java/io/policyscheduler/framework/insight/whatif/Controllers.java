package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.engine.cluster.object.PodInfo;

/** Who looks after a pod. */
public final class Controllers {
    private Controllers() {}

    /** True for the pod of a DaemonSet, which has its place on its node. */
    public static boolean isDaemon(PodInfo pod) {
        return pod.controller() != null && pod.controller().kind().equals("DaemonSet");
    }

    /** True for the mirror of a static pod, which the kubelet runs without asking anyone. */
    public static boolean isMirror(PodInfo pod) {
        return pod.controller() != null && pod.controller().kind().equals("Node");
    }

    /** True when a controller makes a new pod elsewhere once the pod is gone. */
    public static boolean isReplaced(PodInfo pod) {
        return pod.controller() != null && !isDaemon(pod) && !isMirror(pod);
    }

    /** A number with its noun. */
    static String count(int number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
