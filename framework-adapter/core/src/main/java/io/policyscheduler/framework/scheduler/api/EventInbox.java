package io.policyscheduler.framework.scheduler.api;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The queue of the scheduling thread: any thread posts, the scheduling thread drains all messages in order. */
public final class EventInbox {
    /**
     * Records the changes that the scheduling loop drains from its inbox, by iteration. Replaying them at the same times reproduces
     * the decisions. Called on the scheduling thread.
     */
    public interface IterationRecorder {
        /** Records nothing. */
        IterationRecorder NONE = changes -> {};

        /** An iteration begins and applies these changes in order; empty if it only fires timers or schedules a pod. */
        void begin(List<ClusterChange> changes);

        /** The iteration has ended. */
        default void end() {}
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition posted = lock.newCondition();
    private final Deque<ClusterChange> changes = new ArrayDeque<>();

    /** Adds a change; never blocks for long. */
    public void post(ClusterChange change) {
        lock.lock();
        try {
            changes.add(change);
            posted.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Runs an action on the scheduling thread that later decisions can depend on. */
    public void post(String description, Runnable action) {
        post(new ClusterChange.Task(description, action, true));
    }

    /** Removes and returns all messages, in order. */
    public List<ClusterChange> drain() {
        lock.lock();
        try {
            if (changes.isEmpty()) {
                return List.of();
            }
            List<ClusterChange> all = new ArrayList<>(changes);
            changes.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a message or the timeout.
     *
     * @return true if there is a message
     */
    public boolean await(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (changes.isEmpty() && left > 0) {
                left = posted.awaitNanos(left);
            }
            return !changes.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The number of posted messages. */
    public int size() {
        lock.lock();
        try {
            return changes.size();
        } finally {
            lock.unlock();
        }
    }
}
