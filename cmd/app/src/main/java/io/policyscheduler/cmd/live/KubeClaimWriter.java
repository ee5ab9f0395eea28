package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimJson;
import io.policyscheduler.framework.devices.ClaimWriter.ClaimWriteException;
import io.policyscheduler.framework.devices.ExtendedResources;
import io.policyscheduler.framework.devices.ExtendedResources.SpecialClaim;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterChange.ClaimWritten.Effect;
import io.policyscheduler.framework.scheduler.api.ClusterChange.ClaimWritten.End;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes resource claims through the API server. Each write reads the current claim and changes it, so that concurrent changes of
 * others are not lost. Mirrors {@code bindClaim} of {@code pkg/scheduler/framework/plugins/dynamicresources}. Thread-safe.
 */
final class KubeClaimWriter implements ClaimWriter {
    private static final Logger LOG = LoggerFactory.getLogger(KubeClaimWriter.class);
    private static final String STATUS = "/status";
    private static final Duration RETRY_PERIOD = Duration.ofSeconds(5);

    private final ClaimWrites api;
    private final Executor writes;
    private final EventInbox inbox;
    private final AssumedClaims known;
    private final Duration patience;
    private final BiConsumer<PodInfo, String> pendingConditions;
    private final InputRecording recording;
    private final AtomicBoolean isSlow = new AtomicBoolean();
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);

    /**
     * @param writes runs the writes
     * @param inbox receives written claims for the scheduling thread
     * @param known claims of that thread
     * @param patience how long that thread may wait for a response
     * @param pendingConditions emits an event about a pod that waits for binding conditions
     * @param recording of the claims that are read, and of the errors that the scheduling thread waits for
     */
    KubeClaimWriter(
            ClaimWrites api,
            Executor writes,
            EventInbox inbox,
            AssumedClaims known,
            Duration patience,
            BiConsumer<PodInfo, String> pendingConditions,
            InputRecording recording) {
        this.pendingConditions = pendingConditions;
        this.api = api;
        this.writes = writes;
        this.inbox = inbox;
        this.known = known;
        this.patience = patience;
        this.recording = recording;
    }

    @Override
    public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        try {
            if (allocation != null) {
                api.write(claim, "", "add finalizer to claim " + claim.key(), present -> {
                    check(claim, present, allocation, pod);
                    return addFinalizer(present);
                });
            }
            String adding =
                    (allocation == null ? "add reservation to claim " : "add allocation and reservation to claim ")
                            + claim.key();
            ResourceClaimInfo written = read(api.write(claim, STATUS, adding, present -> {
                check(claim, present, allocation, pod);
                return addReservation(present, allocation, pod);
            }));
            post(Effect.UPDATED, written, End.ALLOCATION, claim);
        } catch (ClaimWrites.UnwrittenException e) {
            settle(claim, e.unconfirmed(), End.ALLOCATION);
            throw new ClaimWriteException(String.valueOf(e.getMessage()));
        } catch (ClaimWriteException | RuntimeException e) {
            post(Effect.NONE, null, End.ALLOCATION, claim);
            throw e;
        }
    }

    @Override
    public ResourceClaimInfo create(SpecialClaim special, DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        ResourceClaimInfo claim;
        try {
            String creating = "create claim for extended resources " + pod.namespace() + "/"
                    + ExtendedResources.generateName(pod);
            claim = read(api.create(pod.namespace(), ClaimJson.claim(special, pod), creating));
        } catch (ClaimWriteException | RuntimeException e) {
            // A claim that was created without a response is found and deleted by the next attempt.
            post(Effect.NONE, null, End.ALLOCATION, special.claim());
            throw e;
        }
        post(Effect.CREATED, claim, End.NONE, null);
        try {
            api.write(claim, "", "add finalizer to claim " + claim.key(), KubeClaimWriter::addFinalizer);
            ResourceClaimInfo written = read(api.write(
                    claim,
                    STATUS,
                    "add allocation and reservation to claim " + claim.key(),
                    present -> addReservation(present, allocation, pod)));
            post(Effect.CREATED, written, End.ALLOCATION, special.claim());
            ObjectNode status = JsonNodeFactory.instance.objectNode().put("resourceClaimName", claim.name());
            status.set("requestMappings", ClaimJson.mappings(special));
            api.patchPod(pod, status);
            return written;
        } catch (ClaimWrites.UnwrittenException | ClaimWriteException e) {
            String unused = wait(deletion(claim));
            post(Effect.NONE, null, End.ALLOCATION, special.claim());
            throw new ClaimWriteException(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public String deleteCreated(ResourceClaimInfo claim) {
        return recording.response("deletion of claim " + claim.key(), () -> wait(deletion(claim)));
    }

    @Override
    public boolean isUnwritten(ResourceClaimInfo claim, BooleanSupplier test) {
        return Boolean.parseBoolean(
                recording.response("no write of claim " + claim.key(), () -> String.valueOf(test.getAsBoolean())));
    }

    private CompletableFuture<String> deletion(ResourceClaimInfo claim) {
        CompletableFuture<String> result = new CompletableFuture<>();
        writes.execute(() -> {
            String problem = "";
            try {
                api.write(claim, "", "remove finalizer of claim " + claim.key(), KubeClaimWriter::removeFinalizer);
                problem = api.delete(claim);
            } catch (ClaimWrites.UnwrittenException | ClaimWriteException e) {
                problem = api.read(claim) == null ? "" : String.valueOf(e.getMessage());
            }
            if (problem.isEmpty()) {
                post(Effect.DELETED, claim, End.NONE, null);
            } else {
                LOG.warn("claim {} was not deleted: {}", claim.key(), problem);
            }
            isSlow.set(false);
            result.complete(problem);
        });
        return result;
    }

    private static boolean removeFinalizer(ObjectNode claim) {
        ArrayNode finalizers = claim.withArray("/metadata/finalizers");
        int before = finalizers.size();
        for (int i = finalizers.size() - 1; i >= 0; i--) {
            if (finalizers.get(i).asText().equals(ResourceClaimInfo.FINALIZER)) {
                finalizers.remove(i);
            }
        }
        return finalizers.size() < before;
    }

    @Override
    public String awaitBindingConditions(
            List<ResourceClaimInfo> claims,
            PodInfo pod,
            String node,
            Duration timeout,
            Function<ResourceClaimInfo, @Nullable String> check) {
        pendingConditions.accept(pod, "waiting for binding conditions for device on node " + node);
        Instant end = api.now().plus(timeout);
        while (true) {
            boolean ready = true;
            for (ResourceClaimInfo claim : claims) {
                ObjectNode present = api.read(claim);
                String problem = present == null ? null : check.apply(read(present));
                if (problem != null && !problem.isEmpty()) {
                    return problem;
                }
                ready &= problem != null;
            }
            if (ready) {
                return "";
            }
            if (!api.now().isBefore(end) || !api.pause(RETRY_PERIOD)) {
                return TIMED_OUT;
            }
        }
    }

    /** Ends a failed write when the server can no longer execute it. */
    private void settle(ResourceClaimInfo claim, ClaimWrites.@Nullable UnconfirmedWrite unconfirmed, End end) {
        if (unconfirmed == null) {
            post(Effect.NONE, null, end, claim);
            return;
        }
        LOG.info("no response to the write of claim {}; reading it until the result is certain", claim.key());
        api.settle(claim, unconfirmed, present -> {
            if (present == null) {
                post(Effect.NONE, null, end, claim);
            } else {
                post(Effect.UPDATED, read(present), end, claim);
            }
        });
    }

    private void post(Effect effect, @Nullable ResourceClaimInfo claim, End end, @Nullable ResourceClaimInfo ended) {
        inbox.post(new ClusterChange.ClaimWritten(effect, claim, end, ended));
    }

    private void check(ResourceClaimInfo claim, ObjectNode present, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        boolean gone = !present.path("metadata").path("uid").asText().equals(claim.uid());
        if (gone || present.path("metadata").has("deletionTimestamp")) {
            throw new ClaimWriteException("claim " + claim.key() + " got deleted in the meantime");
        }
        JsonNode there = present.path("status").path("allocation");
        // An earlier request without a response may have been executed.
        boolean ours = allocation != null
                && there.path("devices")
                        .path("results")
                        .equals(ClaimJson.allocation(allocation).path("devices").path("results"))
                && read(present).isReservedFor(pod);
        if (allocation != null && !there.isMissingNode() && !ours) {
            throw new ClaimWriteException("claim " + claim.key() + " was allocated to another node in the meantime");
        }
        if (allocation == null && !Objects.equals(read(present).allocation(), claim.allocation())) {
            throw new ClaimWriteException("claim " + claim.key() + " lost its allocation in the meantime");
        }
    }

    private static boolean addFinalizer(ObjectNode claim) {
        for (JsonNode finalizer : claim.path("metadata").path("finalizers")) {
            if (finalizer.asText().equals(ResourceClaimInfo.FINALIZER)) {
                return false;
            }
        }
        claim.withArray("/metadata/finalizers").add(ResourceClaimInfo.FINALIZER);
        return true;
    }

    private boolean addReservation(ObjectNode claim, @Nullable DeviceAllocation allocation, PodInfo pod) {
        if (read(claim).isReservedFor(pod)) {
            return false;
        }
        if (allocation != null) {
            claim.withObject("/status").set("allocation", ClaimJson.allocation(allocation));
        }
        claim.withArray("/status/reservedFor").add(ClaimJson.consumer(ClaimConsumer.pod(pod.name(), pod.uid())));
        return true;
    }

    @Override
    public void release(ResourceClaimInfo claim, PodInfo pod) {
        CompletableFuture<String> unused = later(claim, "take " + pod.key() + " off claim " + claim.key(), present -> {
            ArrayNode users = present.withArray("/status/reservedFor");
            int before = users.size();
            for (int i = users.size() - 1; i >= 0; i--) {
                if (users.get(i).path("uid").asText().equals(pod.uid())) {
                    users.remove(i);
                }
            }
            return users.size() < before;
        });
    }

    @Override
    public String deallocate(ResourceClaimInfo claim) {
        String doing = "deallocate claim " + claim.key();
        CompletableFuture<String> problem = later(claim, doing, present -> {
            if (!present.path("status").has("allocation")) {
                return false;
            }
            if (!present.path("metadata").path("resourceVersion").asText().equals(claim.resourceVersion())) {
                throw new ClaimWriteException("Operation cannot be fulfilled on resourceclaims.resource.k8s.io \""
                        + claim.name()
                        + "\": the object has been modified; please apply your changes to the latest version"
                        + " and try again");
            }
            ObjectNode status = present.withObject("/status");
            status.remove("allocation");
            status.remove("reservedFor");
            status.remove("devices");
            return true;
        });
        return recording.response(doing, () -> wait(problem));
    }

    /** After one timeout of the scheduling thread, it does not wait for this server again until a response arrives. */
    private String wait(CompletableFuture<String> problem) {
        try {
            if (!isSlow.get() || problem.isDone()) {
                return problem.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (TimeoutException e) {
            isSlow.set(true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return "";
    }

    /** Writes a claim on another thread; the result is the error, or empty. */
    private CompletableFuture<String> later(ResourceClaimInfo claim, String doing, ClaimWrites.Change change) {
        known.writeStarted(claim);
        CompletableFuture<String> result = new CompletableFuture<>();
        writes.execute(() -> {
            String problem = "";
            try {
                ResourceClaimInfo written = read(api.write(claim, STATUS, doing, present -> {
                    boolean same = present.path("metadata").path("uid").asText().equals(claim.uid());
                    return same && change.apply(present);
                }));
                post(Effect.UPDATED, written, End.RELEASE, claim);
            } catch (ClaimWrites.UnwrittenException e) {
                LOG.warn("{}", e.getMessage());
                problem = e.problem();
                settle(claim, e.unconfirmed(), End.RELEASE);
            } catch (ClaimWriteException e) {
                LOG.warn("{}: {}", doing, e.getMessage());
                problem = String.valueOf(e.getMessage());
                post(Effect.NONE, null, End.RELEASE, claim);
            } finally {
                isSlow.set(false);
                result.complete(problem);
            }
        });
        return result;
    }

    private ResourceClaimInfo read(ObjectNode claim) {
        synchronized (reader) {
            try (TreeTraversingParser parser = new TreeTraversingParser(claim)) {
                parser.nextToken();
                if (recording
                                .decoder(body -> reader.read(body, "ResourceClaim"), () -> false)
                                .decode(parser)
                        instanceof ResourceClaimInfo info) {
                    return info;
                }
                throw new IllegalStateException("not read as a claim");
            } catch (IOException e) {
                throw new IllegalStateException("a claim that cannot be read: " + e.getMessage(), e);
            }
        }
    }

    /**
     * The writes of one claim: read, change, and write, again after a conflict. A write without a response can still be executed
     * until another write succeeds, or until the request timeout of API servers is over. Thread-safe.
     */
    static final class ClaimWrites {
        /**
         * The group versions of claims that can be written, newest first. They differ in the requests, not in the written status.
         */
        static final List<String> VERSIONS =
                List.of("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1");

        private static final int TRIES = 5;
        private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);
        private static final Duration RETRY_PERIOD = Duration.ofSeconds(5);
        private static final int CONFLICT = 409;

        private final KubeConnection connection;
        private final String prefix;
        private final Executor reads;
        private final Delayed timer;
        private final Clock clock;
        private final BooleanSupplier mayWrite;

        /**
         * @param version group version in which the server has claims
         * @param reads runs the reads
         * @param timer starts that later
         * @param clock for waiting
         * @param mayWrite false once another process leads
         */
        ClaimWrites(
                KubeConnection connection,
                String version,
                Executor reads,
                Delayed timer,
                Clock clock,
                BooleanSupplier mayWrite) {
            this.connection = connection;
            this.prefix = ApiDiscovery.prefix(version);
            this.reads = reads;
            this.timer = timer;
            this.clock = clock;
            this.mayWrite = mayWrite;
        }

        /** A change of a claim. */
        interface Change {
            /** Changes the claim in place; returns false if it is already as required. */
            boolean apply(ObjectNode claim) throws ClaimWriteException;
        }

        /**
         * A write without a response.
         *
         * @param resourceVersion of the claim that it replaces; it fails once the claim has another
         * @param since when the request was abandoned
         */
        record UnconfirmedWrite(String resourceVersion, Instant since) {}

        /** A write that failed, as far as is known. */
        static final class UnwrittenException extends Exception {
            private static final long serialVersionUID = 1L;

            private final String problem;
            private final transient @Nullable UnconfirmedWrite unconfirmed;

            private UnwrittenException(String doing, String problem, @Nullable UnconfirmedWrite unconfirmed) {
                super(doing + ": " + problem);
                this.problem = problem;
                this.unconfirmed = unconfirmed;
            }

            /** The reason, from the server if it sent one. */
            String problem() {
                return problem;
            }

            /** The write that may still be executed; null for none. */
            @Nullable
            UnconfirmedWrite unconfirmed() {
                return unconfirmed;
            }
        }

        /** The results of the attempts to write a claim. */
        private static final class Attempt {
            private @Nullable ObjectNode written;
            private @Nullable UnconfirmedWrite unconfirmed;
            private String problem = "";
            private boolean isPermanent;
        }

        /**
         * Writes a claim.
         *
         * @param subresource the written subresource, such as {@code /status}; empty for none
         * @param doing for messages
         * @return the claim as it is then
         * @throws ClaimWriteException when the change refuses
         */
        ObjectNode write(ResourceClaimInfo claim, String subresource, String doing, Change change)
                throws ClaimWriteException, UnwrittenException {
            Attempt attempt = new Attempt();
            for (int tried = 0; tried < TRIES && !attempt.isPermanent; tried++) {
                try {
                    if (!mayWrite.getAsBoolean()) {
                        throw new UnwrittenException(doing, "another scheduler leads", attempt.unconfirmed);
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
                    throw new UnwrittenException(doing, "interrupted", attempt.unconfirmed);
                } catch (ApiIoException e) {
                    attempt.problem = String.valueOf(e.getMessage());
                } catch (IOException e) {
                    throw new UnwrittenException(doing, "the answer is not JSON", attempt.unconfirmed);
                }
            }
            throw new UnwrittenException(doing, attempt.problem, attempt.unconfirmed);
        }

        private void write(Attempt attempt, ResourceClaimInfo claim, String subresource, Change change)
                throws ClaimWriteException, IOException {
            ApiResponse there = connection.get(path(claim));
            if (there.isNotFound(claim.name())) {
                attempt.problem = there.message();
                attempt.unconfirmed = null;
                attempt.isPermanent = true;
                return;
            }
            if (!there.success()) {
                attempt.problem = there.message();
                return;
            }
            ObjectNode present = (ObjectNode) there.json();
            String version = version(present);
            if (attempt.unconfirmed != null
                    && !attempt.unconfirmed.resourceVersion().equals(version)) {
                attempt.unconfirmed = null;
            }
            if (!change.apply(present)) {
                attempt.written = present;
                return;
            }
            ApiResponse response;
            try {
                response = connection.put(
                        path(claim) + subresource, present.toString().getBytes(StandardCharsets.UTF_8));
            } catch (ApiIoException e) {
                if (e.isSent()) {
                    attempt.unconfirmed = new UnconfirmedWrite(version, clock.instant());
                }
                throw e;
            }
            if (response.success()) {
                attempt.written = (ObjectNode) response.json();
                return;
            }
            attempt.problem = response.message();
            if (response.isInconclusive(claim.name())) {
                attempt.unconfirmed = new UnconfirmedWrite(version, clock.instant());
            } else {
                attempt.isPermanent = response.code() != CONFLICT;
            }
        }

        /**
         * Reads a claim until a write without a response has been executed or can no longer be executed; returns the claim, or
         * null.
         */
        void settle(ResourceClaimInfo claim, UnconfirmedWrite unconfirmed, Consumer<@Nullable ObjectNode> settled) {
            timer.execute(() -> reads.execute(() -> read(claim, unconfirmed, settled)), RETRY_PERIOD);
        }

        private void read(
                ResourceClaimInfo claim, UnconfirmedWrite unconfirmed, Consumer<@Nullable ObjectNode> settled) {
            boolean isOver = clock.instant().isAfter(unconfirmed.since().plus(SchedulerOptions.BIND_DOUBT));
            try {
                ApiResponse there = connection.get(path(claim));
                if (there.isNotFound(claim.name())) {
                    settled.accept(null);
                    return;
                }
                if (there.success()) {
                    ObjectNode present = (ObjectNode) there.json();
                    if (isOver || !version(present).equals(unconfirmed.resourceVersion())) {
                        settled.accept(present);
                        return;
                    }
                }
            } catch (IOException e) {
                // Without a response, the loop below reads the claim again.
            }
            settle(claim, unconfirmed, settled);
        }

        /**
         * Creates a claim.
         *
         * @param doing for messages
         * @return the claim with the name that the server gave it
         * @throws ClaimWriteException if the server rejects it or does not respond
         */
        ObjectNode create(String namespace, ObjectNode claim, String doing) throws ClaimWriteException {
            if (!mayWrite.getAsBoolean()) {
                throw new ClaimWriteException(doing + ": another scheduler leads");
            }
            try {
                ApiResponse response = connection.postOnce(
                        prefix + "/namespaces/" + namespace + "/resourceclaims",
                        claim.toString().getBytes(StandardCharsets.UTF_8));
                if (!response.success()) {
                    throw new ClaimWriteException(doing + ": " + response.message());
                }
                return (ObjectNode) response.json();
            } catch (IOException e) {
                throw new ClaimWriteException(doing + ": " + e.getMessage());
            }
        }

        /** Deletes a claim; returns the error, or an empty text. A claim that no longer exists is no error. */
        String delete(ResourceClaimInfo claim) {
            ObjectNode options = JsonNodeFactory.instance.objectNode();
            options.put("apiVersion", "v1").put("kind", "DeleteOptions");
            options.putObject("preconditions").put("uid", claim.uid());
            try {
                ApiResponse response =
                        connection.delete(path(claim), options.toString().getBytes(StandardCharsets.UTF_8));
                return response.success() || response.isNotFound(claim.name()) ? "" : response.message();
            } catch (ApiIoException e) {
                return String.valueOf(e.getMessage());
            }
        }

        /** Returns a claim as it is now; null if it does not exist or cannot be read. */
        @Nullable
        ObjectNode read(ResourceClaimInfo claim) {
            try {
                ApiResponse there = connection.get(path(claim));
                return there.success() ? (ObjectNode) there.json() : null;
            } catch (IOException e) {
                return null;
            }
        }

        /** Waits; returns false if the thread is interrupted. */
        boolean pause(Duration time) {
            try {
                connection.pause(time);
                return mayWrite.getAsBoolean();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /** Time for the wait for binding conditions. */
        Instant now() {
            return clock.instant();
        }

        /**
         * Sets {@code status.extendedResourceClaimStatus} of a pod.
         *
         * @throws ClaimWriteException if the server rejects it or does not respond
         */
        void patchPod(PodInfo pod, ObjectNode status) throws ClaimWriteException {
            ObjectNode patch = JsonNodeFactory.instance.objectNode();
            patch.putObject("metadata").put("uid", pod.uid());
            patch.putObject("status").set("extendedResourceClaimStatus", status);
            String doing = "update pod " + pod.key() + " ExtendedResourceClaimStatus";
            try {
                ApiResponse response = connection.patch(
                        "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name() + "/status",
                        KubeConnection.STRATEGIC_MERGE_PATCH,
                        patch.toString().getBytes(StandardCharsets.UTF_8));
                if (!response.success()) {
                    throw new ClaimWriteException(doing + ": " + response.message());
                }
            } catch (ApiIoException e) {
                throw new ClaimWriteException(doing + ": " + e.getMessage());
            }
        }

        private static String version(ObjectNode claim) {
            return claim.path("metadata").path("resourceVersion").asText();
        }

        /** The newest group version of claims that a server serves; the newest of all if it serves none yet. */
        static String version(Set<String> served) {
            return VERSIONS.stream().filter(served::contains).findFirst().orElse(VERSIONS.get(0));
        }

        private String path(ResourceClaimInfo claim) {
            return prefix + "/namespaces/" + claim.namespace() + "/resourceclaims/" + claim.name();
        }
    }
}
