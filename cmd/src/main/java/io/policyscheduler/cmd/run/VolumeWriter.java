package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.ApiResponse;
import io.policyscheduler.cmd.kube.KubeConnection;
import io.policyscheduler.engine.cluster.ClaimInfo;
import io.policyscheduler.engine.cluster.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.predicates.AssumedBindings;
import io.policyscheduler.predicates.VolumeBinder;
import io.policyscheduler.predicates.VolumeDecision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what was assumed of a pod's volumes, the claim on a volume and the selected node on a claim, and waits until the volume
 * controller has bound the claims. Mirrors {@code BindPodVolumes} of
 * {@code pkg/controller/volume/scheduling/scheduler_binder.go}.
 */
final class VolumeWriter {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeWriter.class);
    private static final Duration POLL = Duration.ofSeconds(1);

    private final KubeConnection connection;
    private final Executor writes;
    private final DelayedExecutor timer;
    private final Clock clock;

    VolumeWriter(KubeConnection connection, Executor writes, DelayedExecutor timer, Clock clock) {
        this.connection = connection;
        this.writes = writes;
        this.timer = timer;
        this.clock = clock;
    }

    /**
     * Writes and waits.
     *
     * @param timeout how long the controller may take ({@code bindTimeoutSeconds})
     * @param done gets the error, empty when all claims are bound
     */
    void write(PodInfo pod, AssumedBindings bindings, Duration timeout, Consumer<String> done) {
        writes.execute(() -> {
            String error = send(pod, bindings);
            if (!error.isEmpty()) {
                done.accept(error);
                return;
            }
            List<ClaimInfo> waiting = new ArrayList<>(bindings.claims());
            bindings.volumes().forEach(match -> waiting.add(match.claim()));
            poll(new Wait(pod, waiting, bindings.claims(), clock.instant().plus(timeout), done));
        });
    }

    private String send(PodInfo pod, AssumedBindings bindings) {
        try {
            for (VolumeDecision.Match match : bindings.volumes()) {
                ApiResponse response =
                        patch("/api/v1/persistentvolumes/" + match.volume().name(), claimRef(match));
                if (!response.success()) {
                    return response.message();
                }
            }
            for (ClaimInfo claim : bindings.claims()) {
                ApiResponse response = patch(path(claim), selectedNode(claim));
                if (!response.success()) {
                    return response.message();
                }
            }
            return "";
        } catch (ApiIoException e) {
            return String.valueOf(e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("binding the volumes of {} failed unexpectedly", pod.key(), e);
            return String.valueOf(e);
        }
    }

    private ApiResponse patch(String path, ObjectNode body) throws ApiIoException {
        return connection.patch(
                path, KubeConnection.MERGE_PATCH, body.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String path(ClaimInfo claim) {
        return "/api/v1/namespaces/" + claim.namespace() + "/persistentvolumeclaims/" + claim.name();
    }

    private static ObjectNode claimRef(VolumeDecision.Match match) {
        PersistentVolumeInfo volume = match.volume();
        ClaimInfo claim = match.claim();
        ObjectNode patch = withVersion(volume.uid(), volume.resourceVersion());
        String boundBy = volume.annotations().get(VolumeBinder.BOUND_BY_CONTROLLER);
        if (boundBy != null) {
            patch.withObject("/metadata/annotations").put(VolumeBinder.BOUND_BY_CONTROLLER, boundBy);
        }
        patch.withObject("/spec/claimRef")
                .put("kind", "PersistentVolumeClaim")
                .put("apiVersion", "v1")
                .put("namespace", claim.namespace())
                .put("name", claim.name())
                .put("uid", claim.uid())
                .put("resourceVersion", claim.resourceVersion());
        return patch;
    }

    private static ObjectNode selectedNode(ClaimInfo claim) {
        ObjectNode patch = withVersion(claim.uid(), claim.resourceVersion());
        patch.withObject("/metadata/annotations")
                .put(ClaimInfo.SELECTED_NODE, claim.annotations().getOrEmpty(ClaimInfo.SELECTED_NODE));
        return patch;
    }

    private static ObjectNode withVersion(String uid, String resourceVersion) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.putObject("metadata").put("uid", uid).put("resourceVersion", resourceVersion);
        return patch;
    }

    /**
     * One pod's wait.
     *
     * @param waiting all claims that must become bound
     * @param provisioned those of them that wait for a provisioner, which gives up by removing the annotation
     */
    private record Wait(
            PodInfo pod,
            List<ClaimInfo> waiting,
            List<ClaimInfo> provisioned,
            Instant deadline,
            Consumer<String> done) {}

    private void poll(Wait wait) {
        timer.execute(() -> writes.execute(() -> check(wait)), POLL);
    }

    private void check(Wait wait) {
        try {
            boolean allBound = true;
            for (ClaimInfo claim : wait.waiting()) {
                ApiResponse response = connection.get(path(claim));
                if (!response.success()) {
                    wait.done().accept("Failed to bind volumes: " + response.message());
                    return;
                }
                JsonNode object = response.json();
                JsonNode annotations = object.path("metadata").path("annotations");
                boolean bound =
                        !object.path("spec").path("volumeName").asText("").isEmpty()
                                && annotations.has(ClaimInfo.BIND_COMPLETED);
                if (!bound && wait.provisioned().contains(claim)) {
                    String node = claim.annotations().getOrEmpty(ClaimInfo.SELECTED_NODE);
                    if (!annotations.path(ClaimInfo.SELECTED_NODE).asText("").equals(node)) {
                        wait.done()
                                .accept("Failed to bind volumes: provisioning failed for PVC \"" + claim.name() + "\"");
                        return;
                    }
                }
                allBound &= bound;
            }
            if (allBound) {
                wait.done().accept("");
                return;
            }
        } catch (IOException e) {
            // The server is away for a moment; the deadline below bounds how long that may last.
        } catch (RuntimeException e) {
            LOG.error(
                    "waiting for the volumes of {} failed unexpectedly",
                    wait.pod().key(),
                    e);
            wait.done().accept("Failed to bind volumes: " + e);
            return;
        }
        if (clock.instant().isAfter(wait.deadline())) {
            wait.done().accept("Failed to bind volumes: timed out waiting for the condition");
        } else {
            poll(wait);
        }
    }
}
