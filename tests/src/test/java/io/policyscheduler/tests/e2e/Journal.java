package io.policyscheduler.tests.e2e;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.util.ArrayDeque;
import java.util.Deque;

/** Records the last actions of schedulers for failure messages, and counts them. */
public final class Journal implements SchedulerListener {
    private static final int KEPT = 20;

    private final Deque<String> lines = new ArrayDeque<>();
    private int synced;
    private int failedBinds;

    private synchronized void note(String line) {
        lines.add(line);
        if (lines.size() > KEPT) {
            lines.remove();
        }
    }

    @Override
    public synchronized void onSynced() {
        synced++;
        note("synced");
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        note(entry.key() + " bound to " + node);
    }

    @Override
    public synchronized void onBindFailed(QueuedPod entry, String node, String message) {
        failedBinds++;
        note(entry.key() + " not bound to " + node + ": " + message);
    }

    @Override
    public void onFailure(QueuedPod entry, String reason, String message) {
        note(entry.key() + " " + reason + ": " + message);
    }

    @Override
    public void onPodGone(PodInfo pod) {
        note(pod.key() + " gone");
    }

    @Override
    public void onExpired(PodInfo pod) {
        note(pod.key() + " never confirmed");
    }

    /** Returns the number of schedulers that have completed all their lists. */
    public synchronized int synced() {
        return synced;
    }

    /** Returns the number of failed binds. */
    public synchronized int failedBinds() {
        return failedBinds;
    }

    @Override
    public synchronized String toString() {
        return String.join("\n  ", lines);
    }
}
