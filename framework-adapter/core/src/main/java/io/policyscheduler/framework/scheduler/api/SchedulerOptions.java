package io.policyscheduler.framework.scheduler.api;

import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Timeouts and start conditions of the scheduler.
 *
 * @param initialBackoff backoff after a first failure ({@code podInitialBackoffSeconds})
 * @param maxBackoff longest backoff ({@code podMaxBackoffSeconds})
 * @param assumedTtl how long a bound pod may be unconfirmed before the scheduler reads it from the API server; its resources stay
 *     reserved
 * @param requiredKinds kinds whose initial list must be complete before the first pod is scheduled
 * @param requeueHints whether plugins filter the changes that requeue a pod; otherwise every change requeues every pod, as in v1.17
 * @param enabled false to schedule nothing until {@link ClusterChange.SchedulingEnabled}; for leader election
 * @param decisionBudget work above which a decision is too expensive if others take far less: an event reports it, and the pod's
 *     backoff is extended; zero for no budget
 * @param unschedulableTimeout when an unschedulable pod is requeued without a change
 */
public record SchedulerOptions(
        Duration initialBackoff,
        Duration maxBackoff,
        Duration assumedTtl,
        Set<ResourceKind> requiredKinds,
        boolean enabled,
        boolean requeueHints,
        Duration decisionBudget,
        Duration unschedulableTimeout) {
    /** Default of {@link #decisionBudget}. */
    public static final Duration DECISION_BUDGET = Duration.ofMillis(200);
    /** Default of {@link #unschedulableTimeout}. */
    public static final Duration UNSCHEDULABLE_TIMEOUT = Duration.ofSeconds(60);
    /** {@link #unschedulableTimeout} of current releases. */
    public static final Duration EVENT_TIMEOUT = Duration.ofMinutes(5);
    /** The delay before a failed pod is read again after the first failed read; doubles. */
    public static final Duration REREAD_DELAY = Duration.ofMillis(200);
    /** The longest such delay. */
    public static final Duration MAX_REREAD_DELAY = Duration.ofMinutes(1);
    /** The period of checks for expired backoffs and overdue assumed pods. */
    public static final Duration SHORT_PERIOD = Duration.ofSeconds(1);
    /**
     * How long after a bind without a response it may still be executed: API servers cancel a request after one minute
     * ({@code --request-timeout}).
     */
    public static final Duration BIND_DOUBT = Duration.ofSeconds(65);
    /** The period of checks for pods that have been unschedulable for too long. */
    public static final Duration LONG_PERIOD = Duration.ofSeconds(30);

    public SchedulerOptions {
        requirePositive("initialBackoff", initialBackoff);
        requirePositive("maxBackoff", maxBackoff);
        if (maxBackoff.compareTo(initialBackoff) < 0) {
            throw new IllegalArgumentException(
                    "maxBackoff " + maxBackoff + " is less than initialBackoff " + initialBackoff);
        }
        requirePositive("unschedulableTimeout", unschedulableTimeout);
        if (decisionBudget.isNegative()) {
            throw new IllegalArgumentException("decisionBudget must not be negative, but is " + decisionBudget);
        }
        requiredKinds = Set.copyOf(requiredKinds);
    }

    private static void requirePositive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " must be positive, but is " + value);
        }
    }

    /** The values of v1.17, with all kinds required that v1.17 reads, enabled. */
    public static SchedulerOptions defaults() {
        return new SchedulerOptions(
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Arrays.stream(ResourceKind.values())
                        .filter(ResourceKind::isReadByV117)
                        .collect(Collectors.toUnmodifiableSet()),
                true,
                false,
                DECISION_BUDGET,
                UNSCHEDULABLE_TIMEOUT);
    }

    /** A copy with other backoffs. */
    public SchedulerOptions withBackoff(Duration initial, Duration max) {
        return changed(copy -> {
            copy.initialBackoff = initial;
            copy.maxBackoff = max;
        });
    }

    /** A copy with another timeout for unconfirmed pods. */
    public SchedulerOptions withAssumedTtl(Duration ttl) {
        return changed(copy -> copy.assumedTtl = ttl);
    }

    /** A copy that waits for other kinds. */
    public SchedulerOptions withRequiredKinds(Set<ResourceKind> kinds) {
        return changed(copy -> copy.requiredKinds = kinds);
    }

    /**
     * The unschedulable timeout of pods that wait for events: {@link #unschedulableTimeout} unless it is the default, which is the
     * one of 1.17.
     */
    public Duration eventTimeout() {
        return unschedulableTimeout.equals(UNSCHEDULABLE_TIMEOUT) ? EVENT_TIMEOUT : unschedulableTimeout;
    }

    /** A copy that starts enabled or disabled. */
    public SchedulerOptions withEnabled(boolean value) {
        return changed(copy -> copy.enabled = value);
    }

    /** A copy with or without requeue hints. */
    public SchedulerOptions withRequeueHints(boolean value) {
        return changed(copy -> copy.requeueHints = value);
    }

    /** A copy with another budget; zero for none. */
    public SchedulerOptions withDecisionBudget(Duration value) {
        return changed(copy -> copy.decisionBudget = value);
    }

    /** A copy with another unschedulable timeout. */
    public SchedulerOptions withUnschedulableTimeout(Duration value) {
        return changed(copy -> copy.unschedulableTimeout = value);
    }

    private SchedulerOptions changed(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.build();
    }

    /** A mutable copy of the options. */
    private static final class Copy {
        private Duration initialBackoff;
        private Duration maxBackoff;
        private Duration assumedTtl;
        private Set<ResourceKind> requiredKinds;
        private boolean enabled;
        private boolean requeueHints;
        private Duration decisionBudget;
        private Duration unschedulableTimeout;

        Copy(SchedulerOptions options) {
            initialBackoff = options.initialBackoff;
            maxBackoff = options.maxBackoff;
            assumedTtl = options.assumedTtl;
            requiredKinds = options.requiredKinds;
            enabled = options.enabled;
            requeueHints = options.requeueHints;
            decisionBudget = options.decisionBudget;
            unschedulableTimeout = options.unschedulableTimeout;
        }

        SchedulerOptions build() {
            return new SchedulerOptions(
                    initialBackoff,
                    maxBackoff,
                    assumedTtl,
                    requiredKinds,
                    enabled,
                    requeueHints,
                    decisionBudget,
                    unschedulableTimeout);
        }
    }
}
