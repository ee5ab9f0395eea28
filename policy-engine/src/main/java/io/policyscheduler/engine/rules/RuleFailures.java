package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.data.RuleFailure;
import java.time.Clock;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The counters of rule failures; logs at most one warning per rule and minute. Thread-safe; only called by failing rules. */
public final class RuleFailures {
    private static final Logger LOG = LoggerFactory.getLogger(RuleFailures.class);
    private static final long MINUTE = 60_000;

    private static final class Count {
        final AtomicLong failures = new AtomicLong();
        final AtomicLong nextWarning = new AtomicLong(Long.MIN_VALUE);
        final AtomicLong warnings = new AtomicLong();
    }

    private final Clock clock;
    private final @Nullable Consumer<RuleFailure.Kind> listener;
    private final Map<String, Count> counts = new ConcurrentHashMap<>();

    /** @param clock limits the rate of warnings */
    public RuleFailures(Clock clock) {
        this(clock, null);
    }

    private RuleFailures(Clock clock, @Nullable Consumer<RuleFailure.Kind> listener) {
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Counters that report to a listener instead of the log.
     *
     * @param listener receives each failure, on the thread of the rule
     */
    public static RuleFailures withListener(Consumer<RuleFailure.Kind> listener) {
        return new RuleFailures(Clock.systemUTC(), listener);
    }

    /** Failures by rule, sorted by name; rules without failures are missing. */
    public Map<String, Long> counts() {
        Map<String, Long> all = new TreeMap<>();
        counts.forEach((rule, count) -> all.put(rule, count.failures.get()));
        return all;
    }

    /** The number of logged warnings about a rule. */
    public long warnings(String rule) {
        Count count = counts.get(rule);
        return count == null ? 0 : count.warnings.get();
    }

    void report(String rule, RuleFailure.Kind kind, String what, String subject) {
        Count count = counts.computeIfAbsent(rule, unused -> new Count());
        long failures = count.failures.incrementAndGet();
        if (listener != null) {
            listener.accept(kind);
            return;
        }
        long now = clock.millis();
        long due = count.nextWarning.get();
        if (now >= due && count.nextWarning.compareAndSet(due, now + MINUTE)) {
            count.warnings.incrementAndGet();
            LOG.warn(
                    "rule {} failed: {} for {}; {} (failure {} of this rule)",
                    rule,
                    kind.text(),
                    subject,
                    what,
                    failures);
        }
    }

    /** The failure of an exception; anything but a RuleFailure is a bug, and is logged with its stack trace. */
    static RuleFailure.Kind kind(String rule, RuntimeException thrown) {
        if (thrown instanceof RuleFailure failure) {
            return failure.kind();
        }
        LOG.error("rule {} failed because of a bug", rule, thrown);
        return RuleFailure.Kind.INTERNAL;
    }
}
