package io.policyscheduler.cmd.history;

import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The last decisions of a scheduler, in a ring buffer. The scheduling thread writes without a lock; any thread reads. A record is
 * replaced as a whole when the result of its decision arrives.
 */
public final class DecisionHistory implements SchedulerListener {
    private final AtomicReferenceArray<@Nullable DecisionRecord> ring;
    private final InstantSource clock;
    private final TableSource tables;
    private final @Nullable DecisionLog log;
    /** Numbers of the last decision about each pod in the ring, by UID; only for the scheduling thread. */
    private final Map<String, Long> lastOfPod = new HashMap<>();

    private @Nullable QueuedPod attempt;
    private AttemptDetails details = AttemptDetails.NONE;
    /** The last logged decision. */
    private @Nullable DecisionRecord logged;

    private volatile long decided;
    private volatile long bytes;

    /**
     * An empty history.
     *
     * @param capacity maximum number of decisions; 0 turns the history off
     * @param clock wall clock
     */
    public DecisionHistory(int capacity, InstantSource clock) {
        this(capacity, clock, TableSource.NONE, null);
    }

    /**
     * A history with tables and a log.
     *
     * @param log receives each decision and its results; null for none
     */
    public DecisionHistory(int capacity, InstantSource clock, TableSource tables, @Nullable DecisionLog log) {
        this.ring = new AtomicReferenceArray<>(capacity);
        this.clock = clock;
        this.tables = tables;
        this.log = log;
    }

    /** Maximum number of decisions; 0 if the history is off. */
    public int capacity() {
        return ring.length();
    }

    /** Approximate size in memory, in bytes. */
    public long bytes() {
        return bytes;
    }

    /** Total number of decisions, including those that are no longer stored. */
    long decided() {
        return decided;
    }

    /** The stored decisions that match, the last one first. */
    List<DecisionRecord> find(Predicate<DecisionRecord> wanted) {
        List<DecisionRecord> found = new ArrayList<>();
        for (int i = 0; i < ring.length(); i++) {
            DecisionRecord recorded = ring.get(i);
            if (recorded != null && wanted.test(recorded)) {
                found.add(recorded);
            }
        }
        found.sort(Comparator.comparingLong(DecisionRecord::number).reversed());
        return List.copyOf(found);
    }

    /** The last decisions, up to a limit, the last one first; faster than {@link #find} of all. */
    List<DecisionRecord> last(int most) {
        List<DecisionRecord> found = new ArrayList<>();
        long newest = decided;
        for (long number = newest; number > Math.max(0, newest - Math.min(most, ring.length())); number--) {
            DecisionRecord recorded = ring.get(slot(number));
            if (recorded != null) {
                found.add(recorded);
            }
        }
        return List.copyOf(found);
    }

    @Override
    public boolean needsDetails() {
        return ring.length() > 0 || log != null;
    }

    @Override
    public void onAttempt(QueuedPod entry) {
        attempt = entry;
        details = AttemptDetails.NONE;
    }

    @Override
    public void onAttempted(PodInfo pod, AttemptDetails seen) {
        details = seen;
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    public void onDecision(PodInfo pod, Decision decision, long nanos) {
        if (!needsDetails()) {
            return;
        }
        QueuedPod entry = attempt;
        DecisionRecord.AttemptInfo info = new DecisionRecord.AttemptInfo(
                pod.key(),
                pod.uid(),
                entry == null ? 0 : entry.attempts(),
                clock.instant(),
                pod.spec().schedulerName(),
                pod.nominatedNodeName(),
                nanos,
                tables.of(decision.generation(), pod.spec().schedulerName()));
        long number = decided + 1;
        DecisionRecord recorded = DecisionRecord.of(number, info, decision, details);
        attempt = null;
        details = AttemptDetails.NONE;
        if (log != null) {
            logged = recorded;
            log.made(recorded);
        }
        if (ring.length() == 0) {
            decided = number;
            return;
        }
        DecisionRecord before = ring.getAndSet(slot(number), recorded);
        if (before != null) {
            lastOfPod.remove(before.info().uid(), before.number());
        }
        lastOfPod.put(pod.uid(), number);
        bytes += recorded.bytes() - (before == null ? 0 : before.bytes());
        decided = number;
    }

    private int slot(long number) {
        return (int) ((number - 1) % ring.length());
    }

    @Override
    public void onBound(QueuedPod entry, String node, long nanos) {
        long number = numberOf(entry.pod());
        logged(number, entry, DecisionRecord.Outcome.BOUND, null);
        change(
                number,
                recorded -> node.equals(recorded.decision().node())
                        ? recorded.with(
                                DecisionRecord.Outcome.BOUND, recorded.result().message())
                        : recorded);
    }

    @Override
    public void onBindFailed(QueuedPod entry, String node, String message) {
        long number = numberOf(entry.pod());
        logged(number, entry, DecisionRecord.Outcome.BIND_REFUSED, message);
        change(
                number,
                recorded -> node.equals(recorded.decision().node())
                        ? recorded.with(DecisionRecord.Outcome.BIND_REFUSED, message)
                        : recorded);
    }

    @Override
    public void onFailure(QueuedPod entry, String reason, String message) {
        long number = numberOf(entry.pod());
        DecisionRecord last = logged;
        boolean isKnown = last != null
                && last.info().uid().equals(entry.pod().uid())
                && last.result().message().equals(AttemptDetails.bounded(message));
        if (!isKnown) {
            logged(number, entry, null, message);
        }
        change(number, recorded -> recorded.failed(message));
    }

    @Override
    public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
        long number = numberOf(preemptor);
        DecisionRecord.Preemption room = DecisionRecord.Preemption.of(node, victims);
        if (log != null) {
            log.result(number, preemptor.uid(), 0, null, null, room);
        }
        change(number, recorded -> recorded.with(room));
    }

    private void logged(
            long number, QueuedPod entry, DecisionRecord.@Nullable Outcome outcome, @Nullable String message) {
        if (log != null) {
            log.result(number, entry.pod().uid(), entry.attempts(), outcome, message, null);
        }
    }

    /** The number of the last decision about a pod; 0 if it is not in the ring. */
    private long numberOf(PodInfo pod) {
        return lastOfPod.getOrDefault(pod.uid(), 0L);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void change(long number, UnaryOperator<DecisionRecord> change) {
        DecisionRecord before = number == 0 ? null : ring.get(slot(number));
        if (before != null) {
            DecisionRecord after = change.apply(before);
            ring.set(slot(number), after);
            bytes += after.bytes() - before.bytes();
        }
    }

    /** Provides the tables that rules read. The scheduling thread calls it for each decision; it must not block. */
    @FunctionalInterface
    public interface TableSource {
        /** No tables. */
        TableSource NONE = (generation, schedulerName) -> List.of();

        /**
         * The tables of a profile at this moment, sorted by name.
         *
         * @param generation of the profiles; only the current generation has tables
         */
        List<TableMark> of(long generation, String schedulerName);
    }
}
