package io.policyscheduler.cmd.embedded.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Faults that tests order from the embedded cluster. Thread-safe; a fault holds until it is used up or cleared. */
public final class Faults {
    /** What happens to a request. */
    sealed interface Effect {}

    /** The request is not carried out; the answer is a Status with this code. */
    record Answer(int code, String reason, String message) implements Effect {}

    /** The request is carried out, but the connection ends without an answer. */
    record LoseAnswer() implements Effect {}

    /** The request is carried out later. */
    record Delay(Duration duration) implements Effect {}

    /** The request is carried out after its release. */
    record Hold(CountDownLatch released) implements Effect {}

    private static final class Rule {
        private final Pattern method;
        private final Pattern path;
        private final Effect effect;
        private int left;

        private Rule(String method, String path, int times, Effect effect) {
            this.method = Pattern.compile(method);
            this.path = Pattern.compile(path);
            this.effect = effect;
            this.left = times;
        }
    }

    private final List<Rule> rules = new ArrayList<>();
    private int watchesToExpire;
    private @Nullable Duration watchDuration;

    /**
     * Answers matching requests with an error instead of carrying them out.
     *
     * @param method regular expression for the whole method, for example {@code POST|PUT}
     * @param path regular expression for the whole path without query, for example {@code .*}{@code /binding}
     * @param times how many requests
     * @param code HTTP status
     */
    public synchronized void answer(String method, String path, int times, int code) {
        String reason = switch (code) {
            case 409 -> "Conflict";
            case 410 -> "Expired";
            case 429 -> "TooManyRequests";
            case 500 -> "InternalError";
            case 503 -> "ServiceUnavailable";
            case 504 -> "Timeout";
            default -> "";
        };
        rules.add(new Rule(method, path, times, new Answer(code, reason, "injected fault")));
    }

    /** Carries matching requests out, but drops the connection without an answer. Parameters as in {@link #answer}. */
    public synchronized void loseAnswer(String method, String path, int times) {
        rules.add(new Rule(method, path, times, new LoseAnswer()));
    }

    /** Carries matching requests out after a delay. Parameters as in {@link #answer}. */
    public synchronized void delay(String method, String path, int times, Duration duration) {
        rules.add(new Rule(method, path, times, new Delay(duration)));
    }

    /**
     * Holds matching requests back until they are released. As with the default {@code --request-timeout}, a request that has waited for
     * a minute gets 504 instead. Parameters as in {@link #answer}.
     *
     * @return releases all of them, those that have arrived and those that have not
     */
    public synchronized Runnable hold(String method, String path, int times) {
        CountDownLatch released = new CountDownLatch(1);
        rules.add(new Rule(method, path, times, new Hold(released)));
        return released::countDown;
    }

    /** Ends every watch, open or new, when it has lasted that long; null takes the fault back. */
    public synchronized void closeWatchesAfter(@Nullable Duration duration) {
        watchDuration = duration;
    }

    /** Answers the next watches with one 410 Expired event. */
    public synchronized void expireNextWatches(int times) {
        watchesToExpire = times;
    }

    /** Takes all faults back. */
    public synchronized void clear() {
        rules.clear();
        watchesToExpire = 0;
        watchDuration = null;
    }

    /** The effect on this request, which counts as one use; null for none. */
    synchronized @Nullable Effect next(String method, String path) {
        for (Iterator<Rule> each = rules.iterator(); each.hasNext(); ) {
            Rule rule = each.next();
            if (rule.method.matcher(method).matches() && rule.path.matcher(path).matches()) {
                rule.left--;
                if (rule.left <= 0) {
                    each.remove();
                }
                return rule.effect;
            }
        }
        return null;
    }

    synchronized boolean expireThisWatch() {
        if (watchesToExpire == 0) {
            return false;
        }
        watchesToExpire--;
        return true;
    }

    synchronized @Nullable Duration watchDuration() {
        return watchDuration;
    }
}
