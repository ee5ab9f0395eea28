package io.policyscheduler.cmd.metrics;

import io.policyscheduler.engine.cluster.object.PodInfo;
import org.jspecify.annotations.Nullable;

/**
 * When the attempts began whose binds are running, by pod object. A table of fixed size, so that remembering allocates
 * nothing; an entry that finds no room takes that of another, whose time is then unknown. For one thread.
 */
@SuppressWarnings("ReferenceEquality") // the same pod object is meant
final class AttemptTimes {
    /** The answer when a time is not known; no start has it in practice. */
    static final long UNKNOWN = Long.MIN_VALUE;

    private static final int SIZE = 4096;
    private static final int PROBES = 8;

    private final @Nullable PodInfo[] pods = new PodInfo[SIZE];
    private final long[] starts = new long[SIZE];

    void put(PodInfo pod, long start) {
        int home = System.identityHashCode(pod);
        int slot = home & (SIZE - 1);
        for (int i = 0; i < PROBES; i++) {
            int candidate = (home + i) & (SIZE - 1);
            if (pods[candidate] == null || pods[candidate] == pod) {
                slot = candidate;
                break;
            }
        }
        pods[slot] = pod;
        starts[slot] = start;
    }

    /** Returns and forgets the start of the pod's attempt. */
    long take(PodInfo pod) {
        int home = System.identityHashCode(pod);
        for (int i = 0; i < PROBES; i++) {
            int slot = (home + i) & (SIZE - 1);
            if (pods[slot] == pod) {
                pods[slot] = null;
                return starts[slot];
            }
        }
        return UNKNOWN;
    }
}
