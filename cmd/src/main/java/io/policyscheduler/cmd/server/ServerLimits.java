package io.policyscheduler.cmd.server;

import java.time.Duration;

/**
 * What a server grants its clients. A client that keeps within them is never cut off while it is served.
 *
 * @param connections how many may be open; beyond it the one that has kept a request back the longest is closed for a new one
 * @param headerBytes of the request line and headers together; more is answered 431
 * @param bodyBytes of one request; more is answered 413
 * @param bodiesBytes of all requests that are being read or answered; beyond it a request is answered 503
 * @param request from the first byte of a request (or the opening of its connection) until it has come in whole
 * @param answer from the moment an answer is ready until the client has taken it; a stream is not limited
 * @param idle between two requests of one connection, and for one write of a stream
 */
public record ServerLimits(
        int connections,
        int headerBytes,
        int bodyBytes,
        long bodiesBytes,
        Duration request,
        Duration answer,
        Duration idle) {
    private static final int CONNECTIONS = 4096;
    private static final int HEADER_BYTES = 16 << 10;
    private static final Duration REQUEST = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    /** Longer than the 90 s for which Go clients keep connections, so that it is not the server that closes them. */
    private static final Duration IDLE = Duration.ofSeconds(120);

    /** For a server whose requests have no body. */
    public static ServerLimits withoutBodies() {
        return withBodies(0, 0);
    }

    /** For a server whose requests have bodies of at most so many bytes, one and together. */
    public static ServerLimits withBodies(int bodyBytes, long bodiesBytes) {
        return new ServerLimits(CONNECTIONS, HEADER_BYTES, bodyBytes, bodiesBytes, REQUEST, ANSWER, IDLE);
    }
}
