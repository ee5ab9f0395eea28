package io.policyscheduler.cmd.simulate;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.write.PodWriter;
import io.policyscheduler.cmd.simulate.Evictor.EvictionOutcome.Kind;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.whatif.EvictionPlan;
import io.policyscheduler.framework.insight.whatif.EvictionPlan.Eviction;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Evicts pods one after the other at a rate. Evictions that a disruption budget prevents are retried a few times after all
 * others. Each call contains the UID of the pod, so that a new pod with the same name is not evicted.
 */
final class Evictor {
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY_REQUESTS = 429;

    private final PodWriter writer;
    private final Rate rate;
    private final int attempts;
    private final Sleeper sleeper;

    private record Attempt(Eviction eviction, int number) {}

    /** @param attempts maximum attempts for a pod that a budget protects, above 0 */
    public Evictor(PodWriter writer, Rate rate, int attempts, Sleeper sleeper) {
        this.writer = writer;
        this.rate = rate;
        this.attempts = attempts;
        this.sleeper = sleeper;
    }

    /**
     * Evicts.
     *
     * @param listener receives each result
     * @return all results, in that order
     */
    public List<EvictionOutcome> run(List<Eviction> evictions, Consumer<EvictionOutcome> listener)
            throws InterruptedException {
        Deque<Attempt> queue = new ArrayDeque<>();
        evictions.forEach(eviction -> queue.add(new Attempt(eviction, 1)));
        List<EvictionOutcome> outcomes = new ArrayList<>();
        boolean first = true;
        while (!queue.isEmpty()) {
            if (!first) {
                sleeper.sleep(rate.interval());
            }
            first = false;
            Attempt attempt = queue.remove();
            EvictionOutcome outcome = evict(attempt.eviction());
            if (outcome.kind() == Kind.BUDGET && attempt.number() < attempts) {
                queue.add(new Attempt(attempt.eviction(), attempt.number() + 1));
                continue;
            }
            outcomes.add(outcome);
            listener.accept(outcome);
        }
        return outcomes;
    }

    private EvictionOutcome evict(Eviction eviction) {
        PodInfo pod = eviction.pod();
        ApiResponse response;
        try {
            response = writer.evict(pod.namespace(), pod.name(), pod.uid());
        } catch (ApiIoException e) {
            return new EvictionOutcome(eviction, Kind.FAILED, String.valueOf(e.getMessage()));
        }
        if (response.success()) {
            return new EvictionOutcome(eviction, Kind.EVICTED, "");
        }
        Kind kind = switch (response.code()) {
            case NOT_FOUND, CONFLICT -> Kind.GONE;
            case TOO_MANY_REQUESTS -> Kind.BUDGET;
            default -> Kind.FAILED;
        };
        return new EvictionOutcome(eviction, kind, response.message());
    }

    /**
     * The result of one eviction.
     *
     * @param message the error of the server; empty on success
     */
    record EvictionOutcome(EvictionPlan.Eviction eviction, Kind kind, String message) {
        /** How it ended. */
        public enum Kind {
            EVICTED,
            /** The pod does not exist, or another one has its name. */
            GONE,
            /** A disruption budget prevented each attempt. */
            BUDGET,
            /** The server rejected the request, or did not respond. */
            FAILED
        }
    }

    /**
     * A rate.
     *
     * @param interval between two operations, above 0
     */
    record Rate(Duration interval) {
        private static final Pattern TEXT = Pattern.compile("(\\d{1,6})/(s|min|h)");

        /**
         * {@code 10/min}, {@code 2/s} or {@code 30/h}.
         *
         * @throws IllegalArgumentException with one line if the text is not a rate
         */
        public static Rate parse(String text) {
            Matcher matcher = TEXT.matcher(text);
            if (!matcher.matches() || Integer.parseInt(matcher.group(1)) == 0) {
                throw new IllegalArgumentException("\"" + text + "\" is not a rate such as 10/min, 2/s or 30/h");
            }
            Duration unit = switch (matcher.group(2)) {
                case "s" -> Duration.ofSeconds(1);
                case "min" -> Duration.ofMinutes(1);
                default -> Duration.ofHours(1);
            };
            return new Rate(unit.dividedBy(Long.parseLong(matcher.group(1))));
        }
    }
}
