package io.policyscheduler.tests.faults;

import java.time.Duration;
import java.util.Map;

/** What the proxy does to a call. */
sealed interface Fault {
    /** Answers itself; the server hears nothing. */
    record Answer(int code, Map<String, String> headers, String body) implements Fault {
        /** As a load balancer that has no server behind it. */
        static Answer notFoundPage() {
            return new Answer(404, Map.of("Content-Type", "text/plain"), "404 page not found\n");
        }

        /** As a server that is too busy. */
        static Answer busy(int code, int seconds) {
            return new Answer(
                    code, Map.of("Retry-After", Integer.toString(seconds)), status(code, "TooManyRequests", "busy"));
        }

        static Answer refused(int code, String message) {
            return new Answer(code, Map.of(), status(code, "Injected", message));
        }

        private static String status(int code, String reason, String message) {
            return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"" + reason
                    + "\",\"message\":\"" + message + "\",\"code\":" + code + "}";
        }
    }

    /** Holds the request back, then lets it through, also when the caller has given up. */
    record Late(Duration by) implements Fault {}

    /** Lets the request through and loses the answer. */
    record LostAnswer() implements Fault {}

    /** Lets the request through twice; the caller gets the second answer. */
    record Repeated() implements Fault {}

    /** Lets the request through and breaks off in the middle of the answer. */
    record TornAnswer() implements Fault {}

    /** Takes the request and never says anything. */
    record BlackHole() implements Fault {}
}
