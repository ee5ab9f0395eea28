package io.policyscheduler.cmd.live;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of {@code PodScheduled} conditions that are to be written. It holds one write for each pod, the last one, and is bounded:
 * if it is full, the oldest write is dropped, and the pod gets its condition with its next attempt. The writes run on threads of their
 * own, so that binds, evictions, nominations, volumes, and claims never wait for them. Two writes of one pod never run at once.
 * Thread-safe.
 */
final class ConditionWrites {
    /** About what a server that takes half a second for a write gets from four threads in two minutes. */
    static final int MOST = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(ConditionWrites.class);

    private final Executor threads;
    /** By UID, the oldest first. */
    private final Map<String, Runnable> waiting = new LinkedHashMap<>();

    private final Set<String> running = new HashSet<>();
    private long dropped;

    /** @param threads run the writes, as many at once as there are threads */
    ConditionWrites(Executor threads) {
        this.threads = threads;
    }

    /** Queues the write of a pod, in place of an earlier one that has not begun. */
    void put(String uid, Runnable write) {
        boolean isNew;
        synchronized (this) {
            isNew = waiting.put(uid, write) == null;
            if (waiting.size() > MOST) {
                Iterator<String> oldest = waiting.keySet().iterator();
                oldest.next();
                oldest.remove();
                dropped++;
            }
        }
        if (isNew) {
            threads.execute(this::writeNext);
        }
    }

    /** Drops the write of a pod if it has not begun, because something newer is written otherwise. */
    synchronized void drop(String uid) {
        waiting.remove(uid);
    }

    /** Returns true while a write of this pod runs. */
    synchronized boolean isRunning(String uid) {
        return running.contains(uid);
    }

    /** Number of pods whose condition is to be written or is being written. */
    synchronized int size() {
        return waiting.size() + running.size();
    }

    /** Number of writes that were dropped because the queue was full. */
    synchronized long dropped() {
        return dropped;
    }

    private void writeNext() {
        String uid = null;
        Runnable write = null;
        synchronized (this) {
            Iterator<Map.Entry<String, Runnable>> entries = waiting.entrySet().iterator();
            while (write == null && entries.hasNext()) {
                Map.Entry<String, Runnable> next = entries.next();
                if (!running.contains(next.getKey())) {
                    uid = next.getKey();
                    write = next.getValue();
                    entries.remove();
                    running.add(uid);
                }
            }
        }
        if (uid == null || write == null) {
            // Dropped, or left to the thread that writes the same pod.
            return;
        }
        boolean again = true;
        try {
            write.run();
        } finally {
            synchronized (this) {
                running.remove(uid);
                again = waiting.containsKey(uid);
            }
            if (again) {
                try {
                    threads.execute(this::writeNext);
                } catch (RejectedExecutionException e) {
                    LOG.debug("a condition is not written: the process ends");
                }
            }
        }
    }
}
