package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.threads.DelayedExecutor;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes of one claim: what is there is read, changed and written, again on a conflict. A write without an answer may be carried
 * out later, as long as nobody else writes the claim, and at most for as long as API servers work on a request. Thread-safe.
 */
final class ClaimWrites {
    /** The group versions of claims that can be written, which differ in what is asked for and not in what is written; newest first. */
    static final List<String> VERSIONS =
            List.of("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1");

    private static final int TRIES = 5;
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);
    private static final int CONFLICT = 409;

    private final KubeConnection connection;
    private final String prefix;
    private final Executor reads;
    private final DelayedExecutor timer;
    private final Clock clock;
    private final BooleanSupplier mayWrite;

    /**
     * @param version group version in which the server has claims
     * @param reads runs what must not block
     * @param timer starts that later
     * @param clock for waiting
     * @param mayWrite false once another process leads
     */
    ClaimWrites(
            KubeConnection connection,
            String version,
            Executor reads,
            DelayedExecutor timer,
            Clock clock,
            BooleanSupplier mayWrite) {
        this.connection = connection;
        this.prefix = ApiDiscovery.prefix(version);
        this.reads = reads;
        this.timer = timer;
        this.clock = clock;
        this.mayWrite = mayWrite;
    }

    /** What is to become of a claim. */
    interface Change {
        /** Changes it in place; false when there is nothing to change. */
        boolean apply(ObjectNode claim) throws ClaimWriteException;
    }

    /**
     * A write without an answer.
     *
     * @param resourceVersion of the claim that it replaces; it fails once the claim has another
     * @param since when it was given up
     */
    record Doubt(String resourceVersion, Instant since) {}

    /** A claim was not written, as far as is known. */
    static final class UnwrittenException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String problem;
        private final transient @Nullable Doubt doubt;

        private UnwrittenException(String doing, String problem, @Nullable Doubt doubt) {
            super(doing + ": " + problem);
            this.problem = problem;
            this.doubt = doubt;
        }

        /** Why not, in the words of the server if it has any. */
        String problem() {
            return problem;
        }

        /** What may yet be carried out; null when nothing may. */
        @Nullable
        Doubt doubt() {
            return doubt;
        }
    }

    /** What tries to write a claim have come to. */
    private static final class Attempt {
        private @Nullable ObjectNode written;
        private @Nullable Doubt doubt;
        private String problem = "";
        private boolean isHopeless;
    }

    /**
     * Writes a claim.
     *
     * @param subresource what is written of it, such as {@code /status}; empty for the rest
     * @param doing for messages
     * @return the claim as it is then
     * @throws ClaimWriteException when the change refuses
     */
    ObjectNode write(ResourceClaimInfo claim, String subresource, String doing, Change change)
            throws ClaimWriteException, UnwrittenException {
        Attempt attempt = new Attempt();
        for (int tried = 0; tried < TRIES && !attempt.isHopeless; tried++) {
            try {
                if (!mayWrite.getAsBoolean()) {
                    throw new UnwrittenException(doing, "another scheduler leads", attempt.doubt);
                }
                if (tried > 0) {
                    connection.pause(BETWEEN_TRIES.multipliedBy(tried));
                }
                write(attempt, claim, subresource, change);
                if (attempt.written != null) {
                    return attempt.written;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new UnwrittenException(doing, "interrupted", attempt.doubt);
            } catch (ApiIoException e) {
                attempt.problem = String.valueOf(e.getMessage());
            } catch (IOException e) {
                throw new UnwrittenException(doing, "the answer is not JSON", attempt.doubt);
            }
        }
        throw new UnwrittenException(doing, attempt.problem, attempt.doubt);
    }

    private void write(Attempt attempt, ResourceClaimInfo claim, String subresource, Change change)
            throws ClaimWriteException, IOException {
        ApiResponse there = connection.get(path(claim));
        if (there.isNotFound(claim.name())) {
            attempt.problem = there.message();
            attempt.doubt = null;
            attempt.isHopeless = true;
            return;
        }
        if (!there.success()) {
            attempt.problem = there.message();
            return;
        }
        ObjectNode present = (ObjectNode) there.json();
        String version = version(present);
        if (attempt.doubt != null && !attempt.doubt.resourceVersion().equals(version)) {
            attempt.doubt = null;
        }
        if (!change.apply(present)) {
            attempt.written = present;
            return;
        }
        ApiResponse answer;
        try {
            answer =
                    connection.put(path(claim) + subresource, present.toString().getBytes(StandardCharsets.UTF_8));
        } catch (ApiIoException e) {
            if (e.isSent()) {
                attempt.doubt = new Doubt(version, clock.instant());
            }
            throw e;
        }
        if (answer.success()) {
            attempt.written = (ObjectNode) answer.json();
            return;
        }
        attempt.problem = answer.message();
        if (answer.isInconclusive(claim.name())) {
            attempt.doubt = new Doubt(version, clock.instant());
        } else {
            attempt.isHopeless = answer.code() != CONFLICT;
        }
    }

    /** Reads a claim until a write without an answer has been carried out or cannot be any more; then tells what it is, or null. */
    void settle(ResourceClaimInfo claim, Doubt doubt, Consumer<@Nullable ObjectNode> settled) {
        timer.execute(() -> reads.execute(() -> look(claim, doubt, settled)), BETWEEN_LOOKS);
    }

    private void look(ResourceClaimInfo claim, Doubt doubt, Consumer<@Nullable ObjectNode> settled) {
        boolean isOver = clock.instant().isAfter(doubt.since().plus(SchedulerOptions.BIND_DOUBT));
        try {
            ApiResponse there = connection.get(path(claim));
            if (there.isNotFound(claim.name())) {
                settled.accept(null);
                return;
            }
            if (there.success()) {
                ObjectNode present = (ObjectNode) there.json();
                if (isOver || !version(present).equals(doubt.resourceVersion())) {
                    settled.accept(present);
                    return;
                }
            }
        } catch (IOException e) {
            // Asked again below: without an answer nothing is certain.
        }
        settle(claim, doubt, settled);
    }

    private static String version(ObjectNode claim) {
        return claim.path("metadata").path("resourceVersion").asText();
    }

    /** The newest group version in which a server that serves these has claims; the newest of all when it has none yet. */
    static String version(Set<String> served) {
        return VERSIONS.stream().filter(served::contains).findFirst().orElse(VERSIONS.get(0));
    }

    private String path(ResourceClaimInfo claim) {
        return prefix + "/namespaces/" + claim.namespace() + "/resourceclaims/" + claim.name();
    }
}
