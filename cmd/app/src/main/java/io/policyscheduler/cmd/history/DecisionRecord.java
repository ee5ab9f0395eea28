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
 * A recorded decision. It contains only texts and numbers, within the limits of {@link AttemptDetails}.
 *
 * @param number of the decision in this process, from 1
 * @param info the pod and its attempt
 * @param decision without message and plugins
 * @param details the filter and score results of the attempt
 * @param result the current result
 */
public record DecisionRecord(long number, AttemptInfo info, Decision decision, AttemptDetails details, Result result)
        implements DecisionLog.Entry {
    /** Maximum number of recorded victims. */
    static final int MOST_VICTIMS = 20;

    /** The possible results of a decision. */
    enum Outcome {
        /** A node is selected, and the bind has not ended. */
        BINDING,
        BOUND,
        /** The bind or its preparation failed. */
        BIND_REFUSED,
        UNSCHEDULABLE,
        ERROR;

        /** The name in JSON and text. */
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
     * A pod and its attempt number.
     *
     * @param pod namespace/name
     * @param attempt number of the attempt for the pod, from 1; 0 if unknown
     * @param time of the decision
     * @param profile the scheduler name
     * @param nominatedNode the nominated node before the attempt; empty for none
     * @param nanos duration of the decision
     * @param tables state of the tables that rules could read
     */
    record AttemptInfo(
            String pod,
            String uid,
            int attempt,
            Instant time,
            String profile,
            String nominatedNode,
            long nanos,
            List<TableMark> tables) {
        AttemptInfo {
            tables = ImmutableList.copyOf(tables);
        }
    }

    /**
     * The result of a decision.
     *
     * @param message the reason of a failure; empty for none
     * @param room the preemption; null for none
     */
    record Result(Outcome outcome, String message, @Nullable Preemption room) {}

    /**
     * Preemption.
     *
     * @param node the nominated node
     * @param victims namespace/name, the first {@link #MOST_VICTIMS}
     * @param count number of victims
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

    @Override
    public Instant time() {
        return info.time();
    }

    static DecisionRecord of(long number, AttemptInfo info, Decision decision, AttemptDetails details) {
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
        return new DecisionRecord(number, info, bare, details, new Result(Outcome.of(decision.kind()), message, null));
    }

    DecisionRecord with(Outcome outcome, String message) {
        return new DecisionRecord(
                number, info, decision, details, new Result(outcome, AttemptDetails.bounded(message), result.room()));
    }

    /** A copy after a failed attempt. */
    DecisionRecord failed(String message) {
        return switch (result.outcome()) {
            case UNSCHEDULABLE, ERROR -> with(result.outcome(), message);
            // The pod could not be assumed.
            case BINDING -> with(Outcome.ERROR, message);
            case BOUND, BIND_REFUSED -> this;
        };
    }

    DecisionRecord with(Preemption room) {
        return new DecisionRecord(
                number, info, decision, details, new Result(result.outcome(), result.message(), room));
    }

    /** Approximate size in memory, in bytes. Names of nodes are shared with the cluster and count as references. */
    long bytes() {
        long bytes = FIXED
                + 2L
                        * (info.pod().length()
                                + info.uid().length()
                                + result.message().length());
        for (AttemptDetails.Rejection rejection : details.rejections()) {
            bytes += ELEMENT
                    + rejection.reason().length()
                    + (long) REFERENCE * rejection.names().size();
        }
        bytes += (long) ELEMENT * (details.algorithms().size() + info.tables().size());
        for (AttemptDetails.Scored scored : details.best()) {
            bytes += ELEMENT + (long) Long.BYTES * scored.scores().length();
        }
        Preemption room = result.room();
        return room == null
                ? bytes
                : bytes + (long) ELEMENT * (1 + room.victims().size());
    }

    /** The objects of each decision. */
    private static final int FIXED = 400;
    /** Size of a small object with the reference to it. */
    private static final int ELEMENT = 64;

    private static final int REFERENCE = 4;

    /**
     * The state of a table at a decision, without its values.
     *
     * @param generation number of the values in effect, counted from 1; 0 before the first values
     * @param measured time of the newest value; null for values that do not expire
     * @param stale values that were ignored because they were too old
     * @param problem why newer values are not in effect; null for none
     */
    public record TableMark(
            String name,
            long generation,
            @Nullable Instant measured,
            int stale,
            @Nullable String problem) {
        /** The state of a table that is recorded. */
        public static TableMark of(TableState state) {
            return new TableMark(
                    state.schema().name(), state.generation(), state.sourceTime(), state.stale(), state.problem());
        }
    }
}
