package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.device.ClaimConsumer;
import io.policyscheduler.engine.cluster.device.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.devices.ClaimJson;
import io.policyscheduler.framework.devices.ClaimWriteException;
import io.policyscheduler.framework.devices.ClaimWriter;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes resource claims through the API server: each time the claim as it is there, with what is changed of it, so that no other's
 * writing is lost. Mirrors {@code bindClaim} of {@code pkg/scheduler/framework/plugins/dynamicresources}. Thread-safe.
 */
final class KubeClaimWriter implements ClaimWriter {
    private static final Logger LOG = LoggerFactory.getLogger(KubeClaimWriter.class);
    private static final int TRIES = 5;
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(50);
    private static final int CONFLICT = 409;

    private final KubeConnection connection;
    private final Executor writes;
    private final EventInbox inbox;
    private final AssumedClaims known;
    private final BooleanSupplier mayWrite;
    private final Sleeper sleeper;
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);

    /**
     * @param writes runs what must not block
     * @param inbox tells the scheduling thread what was written
     * @param known of that thread
     * @param mayWrite false once another process leads
     */
    KubeClaimWriter(
            KubeConnection connection,
            Executor writes,
            EventInbox inbox,
            AssumedClaims known,
            BooleanSupplier mayWrite,
            Sleeper sleeper) {
        this.connection = connection;
        this.writes = writes;
        this.inbox = inbox;
        this.known = known;
        this.mayWrite = mayWrite;
        this.sleeper = sleeper;
    }

    /** What is to become of a claim. */
    private interface Change {
        /** Changes it in place; false when there is nothing to change. */
        boolean apply(ObjectNode claim) throws ClaimWriteException;
    }

    @Override
    public void reserve(ResourceClaimInfo claim, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        if (allocation != null) {
            String adding = "add finalizer to claim " + claim.key();
            write(claim, "", adding, present -> {
                check(claim, present, allocation, pod);
                return addFinalizer(present);
            });
        }
        String adding = (allocation == null ? "add reservation to claim " : "add allocation and reservation to claim ")
                + claim.key();
        ResourceClaimInfo written = write(claim, "/status", adding, present -> {
            check(claim, present, allocation, pod);
            return addReservation(present, allocation, pod);
        });
        inbox.post("a resource claim was written", () -> {
            known.wrote(written);
            known.allocationEnded(claim);
        });
    }

    private void check(ResourceClaimInfo claim, ObjectNode present, @Nullable DeviceAllocation allocation, PodInfo pod)
            throws ClaimWriteException {
        boolean gone = !present.path("metadata").path("uid").asText().equals(claim.uid());
        if (gone || present.path("metadata").has("deletionTimestamp")) {
            throw new ClaimWriteException("claim " + claim.key() + " got deleted in the meantime");
        }
        JsonNode there = present.path("status").path("allocation");
        // An earlier try may have been carried out without an answer.
        boolean ours = allocation != null
                && there.path("devices")
                        .path("results")
                        .equals(ClaimJson.allocation(allocation).path("devices").path("results"))
                && read(present).isReservedFor(pod);
        if (allocation != null && !there.isMissingNode() && !ours) {
            throw new ClaimWriteException("claim " + claim.key() + " got allocated elsewhere in the meantime");
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
        later(claim, "take " + pod.key() + " off claim " + claim.key(), present -> {
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
    public void deallocate(ResourceClaimInfo claim) {
        later(claim, "deallocate claim " + claim.key(), present -> {
            boolean asSeen =
                    present.path("metadata").path("resourceVersion").asText().equals(claim.resourceVersion());
            if (asSeen && present.get("status") instanceof ObjectNode status) {
                status.remove("allocation");
                status.remove("reservedFor");
                status.remove("devices");
                return true;
            }
            return false;
        });
    }

    private void later(ResourceClaimInfo claim, String doing, Change change) {
        writes.execute(() -> {
            try {
                ResourceClaimInfo written = write(claim, "/status", doing, present -> {
                    boolean same = present.path("metadata").path("uid").asText().equals(claim.uid());
                    return same && change.apply(present);
                });
                inbox.post("a resource claim was written", () -> known.wrote(written));
            } catch (ClaimWriteException e) {
                LOG.warn("{}", e.getMessage());
            }
        });
    }

    private ResourceClaimInfo write(ResourceClaimInfo claim, String subresource, String doing, Change change)
            throws ClaimWriteException {
        String path = "/apis/resource.k8s.io/v1/namespaces/" + claim.namespace() + "/resourceclaims/" + claim.name();
        String problem = "";
        for (int tried = 0; tried < TRIES; tried++) {
            try {
                if (!mayWrite.getAsBoolean()) {
                    throw new ClaimWriteException(doing + ": another scheduler leads");
                }
                if (tried > 0) {
                    sleeper.sleep(BETWEEN_TRIES.multipliedBy(tried));
                }
                ApiResponse there = connection.get(path);
                if (there.isNotFound(claim.name())) {
                    throw new ClaimWriteException(doing + ": " + there.message());
                }
                if (!there.success()) {
                    problem = there.message();
                    continue;
                }
                ObjectNode present = (ObjectNode) there.json();
                if (!change.apply(present)) {
                    return read(present);
                }
                ApiResponse answer =
                        connection.put(path + subresource, present.toString().getBytes(StandardCharsets.UTF_8));
                if (answer.success()) {
                    return read((ObjectNode) answer.json());
                }
                problem = answer.message();
                if (answer.code() != CONFLICT && !answer.isInconclusive(claim.name())) {
                    break;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ClaimWriteException(doing + ": interrupted");
            } catch (ApiIoException e) {
                problem = String.valueOf(e.getMessage());
            } catch (IOException e) {
                throw new ClaimWriteException(doing + ": the answer is not JSON");
            }
        }
        throw new ClaimWriteException(doing + ": " + problem);
    }

    private ResourceClaimInfo read(ObjectNode claim) {
        synchronized (reader) {
            try (TreeTraversingParser parser = new TreeTraversingParser(claim)) {
                parser.nextToken();
                if (reader.read(parser, "ResourceClaim") instanceof ResourceClaimInfo info) {
                    return info;
                }
                throw new IllegalStateException("not read as a claim");
            } catch (IOException e) {
                throw new IllegalStateException("a claim that cannot be read: " + e.getMessage(), e);
            }
        }
    }
}
