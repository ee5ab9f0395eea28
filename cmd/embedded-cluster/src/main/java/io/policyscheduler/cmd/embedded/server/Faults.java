package io.policyscheduler.cmd.embedded.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Faults that tests inject into the embedded cluster. Thread-safe; a fault stays until it is used up or cleared. */
public final class Faults {
    /** The effect of a fault on a request. */
    sealed interface Effect {}

    /** The request is not executed; the response is a Status with this code. */
    record ErrorResponse(int code, String reason, String message) implements Effect {}

    /** The request is executed, but the connection closes without a response. */
    record DropResponse() implements Effect {}

    /** The request is executed after a delay. */
    record Delay(Duration duration) implements Effect {}

    /** The request is executed after its release. */
    record Hold(CountDownLatch released) implements Effect {}

    private static final class Rule {
        private final Pattern method;
        private final Pattern path;
        private final Effect effect;
        private int remaining;

        private Rule(String method, String path, int times, Effect effect) {
            this.method = Pattern.compile(method);
            this.path = Pattern.compile(path);
            this.effect = effect;
            this.remaining = times;
        }
    }

    private final List<Rule> rules = new ArrayList<>();
    private int watchesToExpire;
    private @Nullable Duration watchDuration;

    /**
     * Responds to matching requests with an error instead of executing them.
     *
     * @param method regular expression for the whole method, for example {@code POST|PUT}
     * @param path regular expression for the whole path without query, for example {@code .*}{@code /binding}
     * @param times how many requests
     * @param code HTTP status
     */
    public synchronized void respond(String method, String path, int times, int code) {
        String reason = switch (code) {
            case 409 -> "Conflict";
            case 410 -> "Expired";
            case 429 -> "TooManyRequests";
            case 500 -> "InternalError";
            case 503 -> "ServiceUnavailable";
            case 504 -> "Timeout";
            default -> "";
        };
        rules.add(new Rule(method, path, times, new ErrorResponse(code, reason, "injected fault")));
    }

    /** Executes matching requests, but closes the connection without a response. Parameters as in {@link #respond}. */
    public synchronized void dropResponse(String method, String path, int times) {
        rules.add(new Rule(method, path, times, new DropResponse()));
    }

    /** Executes matching requests after a delay. Parameters as in {@link #respond}. */
    public synchronized void delay(String method, String path, int times, Duration duration) {
        rules.add(new Rule(method, path, times, new Delay(duration)));
    }

    /**
     * Blocks matching requests until they are released. As with the default {@code --request-timeout}, a request that has waited
     * for a minute gets 504 instead. Parameters as in {@link #respond}.
     *
     * @return releases all blocked requests, and removes the fault
     */
    public synchronized Runnable hold(String method, String path, int times) {
        CountDownLatch released = new CountDownLatch(1);
        rules.add(new Rule(method, path, times, new Hold(released)));
        return released::countDown;
    }

    /** Ends each open or new watch after this time; null removes the fault. */
    public synchronized void closeWatchesAfter(@Nullable Duration duration) {
        watchDuration = duration;
    }

    /** Sends one 410 Expired event to the next watches. */
    public synchronized void expireNextWatches(int times) {
        watchesToExpire = times;
    }

    /** Removes all faults. */
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
                rule.remaining--;
                if (rule.remaining <= 0) {
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
