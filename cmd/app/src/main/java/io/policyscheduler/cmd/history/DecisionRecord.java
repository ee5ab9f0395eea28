package io.policyscheduler.cmd.history;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.Decision;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A decision that is remembered. Texts and numbers only, bounded as {@link AttemptDetails} says.
 *
 * @param number counts the decisions of this process, from 1
 * @param tried who was decided
 * @param decision without message and plugins
 * @param details what was seen on the way
 * @param result what came of it so far
 */
public record DecisionRecord(long number, Tried tried, Decision decision, AttemptDetails details, Result result) {
    /** Most victims that are named. */
    static final int MOST_VICTIMS = 20;

    /** What may come of a decision. */
    enum Outcome {
        /** A node was chosen and the bind is not answered yet. */
        BINDING,
        BOUND,
        /** The bind or its preparation failed. */
        BIND_REFUSED,
        UNSCHEDULABLE,
        ERROR;

        /** As it is told. */
        String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Outcome of(Decision.Kind kind) {
            return switch (kind) {
                case PLACED -> BINDING;
                case UNSCHEDULABLE, NO_NODES -> UNSCHEDULABLE;
                case ERROR -> ERROR;
            };
        }
    }

    /**
     * A pod and its turn.
     *
     * @param pod namespace/name
     * @param attempt which attempt of the pod, from 1; 0 when unknown
     * @param time when it was decided
     * @param profile the scheduler name
     * @param nominatedNode promised to it before; empty for none
     * @param nanos how long deciding took
     * @param tables that rules could read, as they were
     */
    record Tried(
            String pod,
            String uid,
            int attempt,
            Instant time,
            String profile,
            String nominatedNode,
            long nanos,
            List<TableMark> tables) {
        Tried {
            tables = ImmutableList.copyOf(tables);
        }
    }

    /**
     * What came of it.
     *
     * @param message why not; empty when there is nothing to say
     * @param room what was done to make room; null for nothing
     */
    record Result(Outcome outcome, String message, @Nullable Preemption room) {}

    /**
     * Preemption.
     *
     * @param node promised to the pod
     * @param victims namespace/name, the first {@link #MOST_VICTIMS}
     * @param count how many there are
     */
    record Preemption(String node, List<String> victims, int count) {
        Preemption {
            victims = ImmutableList.copyOf(victims);
        }

        static Preemption of(String node, List<PodInfo> victims) {
            return new Preemption(
                    node, victims.stream().limit(MOST_VICTIMS).map(PodInfo::key).toList(), victims.size());
        }
    }

    static DecisionRecord of(long number, Tried tried, Decision decision, AttemptDetails details) {
        Decision bare = new Decision(
                decision.kind(),
                decision.node(),
                decision.score(),
                "",
                decision.feasibleNodes(),
                decision.evaluatedNodes(),
                Set.of(),
                Set.of(),
                decision.generation());
        String message = AttemptDetails.bounded(decision.message());
        return new DecisionRecord(number, tried, bare, details, new Result(Outcome.of(decision.kind()), message, null));
    }

    DecisionRecord with(Outcome outcome, String message) {
        return new DecisionRecord(
                number, tried, decision, details, new Result(outcome, AttemptDetails.bounded(message), result.room()));
    }

    /** The same after the attempt failed. */
    DecisionRecord failed(String message) {
        return switch (result.outcome()) {
            case UNSCHEDULABLE, ERROR -> with(result.outcome(), message);
            // It could not even be assumed.
            case BINDING -> with(Outcome.ERROR, message);
            case BOUND, BIND_REFUSED -> this;
        };
    }

    DecisionRecord with(Preemption room) {
        return new DecisionRecord(
                number, tried, decision, details, new Result(result.outcome(), result.message(), room));
    }

    /** Roughly what it takes in memory, in bytes; names of nodes are shared with the cluster's and counted as references. */
    long bytes() {
        long bytes = FIXED
                + 2L
                        * (tried.pod().length()
                                + tried.uid().length()
                                + result.message().length());
        for (AttemptDetails.Rejection rejection : details.rejections()) {
            bytes += ELEMENT
                    + rejection.reason().length()
                    + (long) REFERENCE * rejection.names().size();
        }
        bytes += (long) ELEMENT * (details.algorithms().size() + tried.tables().size());
        for (AttemptDetails.Scored scored : details.best()) {
            bytes += ELEMENT + (long) Long.BYTES * scored.scores().length();
        }
        Preemption room = result.room();
        return room == null
                ? bytes
                : bytes + (long) ELEMENT * (1 + room.victims().size());
    }

    /** The objects that every decision has. */
    private static final int FIXED = 400;
    /** A small object, with what refers to it. */
    private static final int ELEMENT = 64;

    private static final int REFERENCE = 4;

    /**
     * A table of the policy as it was when a pod was decided, without its values.
     *
     * @param generation counts the values that have been in force; 0 while there are none
     * @param measured when the newest value was true; null for values that have no age
     * @param stale values that were left out because they were too old
     * @param problem why newer values were not in force; null when there were none
     */
    public record TableMark(
            String name,
            long generation,
            @Nullable Instant measured,
            int stale,
            @Nullable String problem) {
        /** What is to be remembered of a table. */
        public static TableMark of(TableState state) {
            return new TableMark(
                    state.schema().name(), state.generation(), state.sourceTime(), state.stale(), state.problem());
        }
    }
}
