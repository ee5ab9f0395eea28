package io.policyscheduler.tests.faults;

import java.time.Duration;
import java.util.Map;

/** The proxy's treatment of a call. */
sealed interface Fault {
    /** The proxy answers; the server does not get the request. */
    record Answer(int code, Map<String, String> headers, String body) implements Fault {
        /** The answer of a load balancer without a server. */
        static Answer notFoundPage() {
            return new Answer(404, Map.of("Content-Type", "text/plain"), "404 page not found\n");
        }

        /** The answer of an overloaded server. */
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

    /** Delays the request, and then forwards it, even if the client has given up. */
    record Late(Duration by) implements Fault {}

    /** Forwards the request and drops the response. */
    record LostAnswer() implements Fault {}

    /** Forwards the request twice; the client gets the second response. */
    record Repeated() implements Fault {}

    /** Forwards the request and closes the connection in the middle of the response. */
    record TornAnswer() implements Fault {}

    /** Accepts the request and never responds. */
    record BlackHole() implements Fault {}

    /** Responds with this text, and repeats the last part without an end. The server does not get the request. */
    record Endless(String start, String repeated) implements Fault {
        /** A JSON string that has no end. */
        static Endless string() {
            return new Endless("{\"items\":[{\"metadata\":{\"name\":\"", "x");
        }

        /** A list that has no end of this object. */
        static Endless items(String object) {
            return new Endless("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" + object, "," + object);
        }
    }
}
