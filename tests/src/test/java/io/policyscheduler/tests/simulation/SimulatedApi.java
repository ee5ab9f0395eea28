package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;

/** The path of a call from the scheduler's process to the API server and back. */
final class SimulatedApi {
    /** As {@code KubeConnection.DEFAULT_TIMEOUT}. */
    private static final long CALL_TIMEOUT = 10_000;
    /** The longest time that a server works on a request whose client has given up ({@code --request-timeout}). */
    static final long SERVER_TIMEOUT = 60_000;

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final long LONGEST_STORM = 10_000;

    /**
     * A response.
     *
     * @param retryAfter seconds; 0 if the header is missing
     */
    record Answer(int code, String body, int retryAfter) {
        Answer(int code, String body) {
            this(code, body, 0);
        }
    }

    private final SimulationRun simulation;
    private final RandomChoices random;
    private long downUntil = -LONGEST_STORM;
    private long busyUntil;
    private long lastFault = -LONGEST_STORM;

    SimulatedApi(SimulationRun simulation) {
        this.simulation = simulation;
        this.random = simulation.random();
    }

    /** The server accepts no connections for a while. */
    void goDown(long millis) {
        downUntil = simulation.time().now() + millis;
    }

    /** Whether the server has not responded in the last seconds. Then a pod may wait for the end of its preemption. */
    boolean wasUnavailable(long millis) {
        return !simulation.isCalm() && simulation.time().now() < Math.max(downUntil, lastFault) + millis;
    }

    /** Carries out a call, perhaps with a fault. Time passes and other events occur during the call. */
    Answer call(String method, String path, String contentType, byte[] body) throws IOException {
        boolean writes = !method.equals("GET");
        if (!simulation.isCalm() && simulation.time().now() < downUntil) {
            trace(method, path, "refused connection");
            throw new ConnectException("Connection refused");
        }
        simulation.pause(random.skewedMillis(simulation.isCalm() ? 10 : 200));
        if (writes) {
            simulation.maybeCrash("before " + method + " " + path);
        }
        Answer busy = busy(method, path);
        if (busy != null) {
            return busy;
        }
        Answer answer = random.percent(simulation.faultPercent())
                ? faulty(method, path, contentType, body, writes)
                : serve(method, path, contentType, body);
        if (writes) {
            simulation.maybeCrash("after " + method + " " + path);
        }
        simulation.pause(random.skewedMillis(simulation.isCalm() ? 10 : 500));
        return answer;
    }

    /** Returns the response of an overloaded server; null if it is not overloaded. */
    private @Nullable Answer busy(String method, String path) {
        long now = simulation.time().now();
        if (!simulation.isCalm() && random.percent(simulation.scenario().stormPercent())) {
            busyUntil = now + random.skewedMillis(LONGEST_STORM);
        }
        if (simulation.isCalm() || now >= busyUntil) {
            return null;
        }
        lastFault = now;
        int code = random.of(429, 503);
        trace(method, path, code + ", try again");
        return new Answer(code, status(code, "too busy").body(), 1);
    }

    private Answer faulty(String method, String path, String contentType, byte[] body, boolean writes)
            throws IOException {
        lastFault = simulation.time().now();
        switch (random.between(0, writes ? 7 : 2)) {
            case 0 -> {
                trace(method, path, "500, not carried out");
                return status(500, "injected fault");
            }
            case 1 -> {
                trace(method, path, "timeout, not carried out");
                throw timeout();
            }
            case 2 -> {
                trace(method, path, "404 of somebody else, not carried out");
                return new Answer(404, "404 page not found");
            }
            case 3 -> {
                serve(method, path, contentType, body);
                trace(method, path, "timeout, carried out");
                throw timeout();
            }
            case 4 -> {
                late(method, path, contentType, body, random.between(0, (int) SERVER_TIMEOUT));
                throw timeout();
            }
            case 5 -> {
                serve(method, path, contentType, body);
                trace(method, path, "500, carried out");
                return status(500, "etcdserver: request timed out");
            }
            case 6 -> {
                late(method, path, contentType, body, random.between(0, 5000));
                throw new IOException("unexpected end of stream");
            }
            default -> {
                trace(method, path, "409, not carried out");
                return status(409, "injected conflict");
            }
        }
    }

    /** The client gets no response, but the server continues. */
    private void late(String method, String path, String contentType, byte[] body, long millis) {
        trace(method, path, "carried out in " + millis + " ms, unheard");
        int sender = sender();
        simulation.time().in(millis, SimulationRun.NOBODY, "late request", () -> {
            try {
                serve(method, path, contentType, body, sender);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private IOException timeout() {
        simulation.pause(CALL_TIMEOUT);
        return new SocketTimeoutException("timeout");
    }

    private static Answer status(int code, String message) {
        return new Answer(code, "{\"message\":\"" + message + "\"}");
    }

    private int sender() {
        SchedulerProcess process = simulation.process();
        return process == null ? SimulationRun.NOBODY : process.id();
    }

    /** The same for the current process. */
    Answer serve(String method, String path, String contentType, byte[] body) throws IOException {
        return serve(method, path, contentType, body, sender());
    }

    /** The server executes a request. */
    private Answer serve(String method, String path, String contentType, byte[] body, int sender) throws IOException {
        Response response = simulation.cluster().call(method, path, contentType, body);
        if (path.endsWith("/binding")) {
            JsonNode binding = MAPPER.readTree(body);
            String node = Manifests.text(binding, "target", "name");
            trace(method, path, node + " " + response.code());
            if (response.code() < 300) {
                simulation.audit().bound(Splitter.on('/').splitToList(path).get(6), node);
            }
        } else if (!method.equals("GET")) {
            trace(method, path, String.valueOf(response.code()));
        }
        if (method.equals("PUT") && path.contains("/resourceclaims/") && response.code() < 300) {
            simulation.audit().claimWritten(Splitter.on('/').splitToList(path).get(7), sender);
        }
        simulation.follow();
        return new Answer(response.code(), response.body().toString());
    }

    private void trace(String method, String path, String what) {
        simulation.trace().add(method + " " + path + ": " + what);
    }
}
