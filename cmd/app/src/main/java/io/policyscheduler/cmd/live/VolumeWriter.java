package io.policyscheduler.cmd.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.WorkerThreads.Delayed;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.predicates.VolumeBinder;
import io.policyscheduler.predicates.VolumeBinder.AssumedBindings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the assumed volumes of a pod, which are the claim reference of a volume and the selected node of a claim, and waits
 * until the volume controller has bound the claims. A write without a response is repeated; the wait uses watches only. Mirrors
 * {@code BindPodVolumes} of {@code pkg/controller/volume/scheduling/scheduler_binder.go}.
 */
final class VolumeWriter {
    private static final String NOT_NEEDED = "no longer needed";
    private static final Logger LOG = LoggerFactory.getLogger(VolumeWriter.class);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration FIRST_DELAY = Duration.ofMillis(200);
    private static final int MAX_DOUBLINGS = 5;
    private static final int CONFLICT = 409;

    private final KubeConnection connection;
    private final Executor writes;
    private final Delayed timer;
    private final EventInbox inbox;
    private final ClusterView cluster;
    private final Clock clock;

    /**
     * @param inbox runs the checks of the cluster state
     * @param cluster of the thread that the inbox belongs to
     */
    VolumeWriter(
            KubeConnection connection,
            Executor writes,
            Delayed timer,
            EventInbox inbox,
            ClusterView cluster,
            Clock clock) {
        this.connection = connection;
        this.writes = writes;
        this.timer = timer;
        this.inbox = inbox;
        this.cluster = cluster;
        this.clock = clock;
    }

    /** One write: the path and name of the object, and its change. */
    private record Step(String path, String name, ObjectNode patch) {}

    /**
     * The volumes of one pod.
     *
     * @param waiting all claims that must become bound
     * @param provisioned claims that wait for a provisioner, which gives up by removing the annotation
     * @param ended whether the pod is deleted or rejected
     */
    private record Job(
            PodInfo pod,
            List<Step> steps,
            List<ClaimInfo> waiting,
            List<ClaimInfo> provisioned,
            Instant deadline,
            AtomicBoolean ended,
            Consumer<String> done) {}

    /**
     * Writes and waits.
     *
     * @param timeout timeout of the controller ({@code bindTimeoutSeconds})
     * @param ended set when the result is no longer needed
     * @param done receives the error; empty if all claims are bound
     */
    void write(PodInfo pod, AssumedBindings bindings, Duration timeout, AtomicBoolean ended, Consumer<String> done) {
        List<Step> steps = new ArrayList<>();
        List<ClaimInfo> waiting = new ArrayList<>(bindings.claims());
        for (PodVolumes.Match match : bindings.volumes()) {
            String name = match.volume().name();
            steps.add(new Step("/api/v1/persistentvolumes/" + name, name, claimRef(match)));
            waiting.add(match.claim());
        }
        for (ClaimInfo claim : bindings.claims()) {
            steps.add(new Step(path(claim), claim.name(), selectedNode(claim)));
        }
        Instant deadline = clock.instant().plus(timeout);
        Job job = new Job(pod, steps, waiting, bindings.claims(), deadline, ended, done);
        writes.execute(() -> send(job, 0, 0));
    }

    private void send(Job job, int first, int failed) {
        int next = first;
        boolean inDoubt = failed > 0;
        try {
            for (; next < job.steps().size(); next++) {
                if (job.ended().get()) {
                    job.done().accept(NOT_NEEDED);
                    return;
                }
                String error = patch(job.steps().get(next), inDoubt);
                if (!error.isEmpty()) {
                    job.done().accept(error);
                    return;
                }
                inDoubt = false;
            }
            poll(job);
        } catch (ApiIoException e) {
            if (!e.isSent() || clock.instant().isAfter(job.deadline())) {
                job.done().accept(String.valueOf(e.getMessage()));
                return;
            }
            int at = next;
            Duration delay = FIRST_DELAY.multipliedBy(1L << Math.min(failed, MAX_DOUBLINGS));
            LOG.atDebug()
                    .addKeyValue("pod", job.pod().key())
                    .log("volumes are not bound yet, retrying: {}", e.getMessage());
            timer.execute(() -> writes.execute(() -> send(job, at, failed + 1)), delay);
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("pod", job.pod().key())
                    .setCause(e)
                    .log("binding the volumes failed unexpectedly");
            job.done().accept(String.valueOf(e));
        }
    }

    /** Returns the error of the server; throws if it is unknown whether the server executed the request. */
    private String patch(Step step, boolean inDoubt) throws ApiIoException {
        ApiResponse response = patch(step, step.patch());
        if (response.code() == CONFLICT && inDoubt && isDone(step)) {
            return "";
        }
        return response.success() ? "" : response.message();
    }

    private ApiResponse patch(Step step, ObjectNode body) throws ApiIoException {
        ApiResponse response = connection.patch(
                step.path(), KubeConnection.MERGE_PATCH, body.toString().getBytes(StandardCharsets.UTF_8));
        if (response.isInconclusive(step.name())) {
            throw new ApiIoException("PATCH " + step.path() + ": " + response, response.code());
        }
        return response;
    }

    /**
     * Whether an earlier patch without a response was executed. A patch that changes nothing shows this, and needs no additional
     * permission.
     */
    private boolean isDone(Step step) throws ApiIoException {
        ObjectNode nothing = JsonNodeFactory.instance.objectNode();
        nothing.putObject("metadata").set("uid", step.patch().path("metadata").path("uid"));
        ApiResponse response = patch(step, nothing);
        try {
            return response.success() && contains(response.json(), step.patch());
        } catch (IOException e) {
            throw new ApiIoException("PATCH " + step.path() + ": the response is not JSON", e);
        }
    }

    /** The object contains everything that the patch writes, except for versions. */
    private static boolean contains(JsonNode object, JsonNode patch) {
        if (!patch.isObject()) {
            return object.equals(patch);
        }
        return patch.properties().stream()
                .allMatch(field -> field.getKey().equals("resourceVersion")
                        || contains(object.path(field.getKey()), field.getValue()));
    }

    private static String path(ClaimInfo claim) {
        return "/api/v1/namespaces/" + claim.namespace() + "/persistentvolumeclaims/" + claim.name();
    }

    private static ObjectNode claimRef(PodVolumes.Match match) {
        PersistentVolumeInfo volume = match.volume();
        ClaimInfo claim = match.claim();
        ObjectNode patch = withVersion(volume.uid(), volume.resourceVersion());
        String boundBy = volume.annotations().get(PodVolumes.BOUND_BY_CONTROLLER);
        if (boundBy != null) {
            patch.withObject("/metadata/annotations").put(PodVolumes.BOUND_BY_CONTROLLER, boundBy);
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

    private void poll(Job job) {
        timer.execute(
                () -> inbox.post(new ClusterChange.Task(
                        "check the claims of " + job.pod().key(), () -> check(job))),
                POLL);
    }

    private void check(Job job) {
        if (job.ended().get()) {
            job.done().accept(NOT_NEEDED);
            return;
        }
        boolean allBound = true;
        for (ClaimInfo claim : job.waiting()) {
            ClaimInfo now = cluster.claim(claim.namespace(), claim.name());
            if (now == null) {
                job.done().accept("Failed to bind volumes: persistentvolumeclaims \"" + claim.name() + "\" not found");
                return;
            }
            boolean bound = !now.volumeName().isEmpty() && now.annotations().has(ClaimInfo.BIND_COMPLETED);
            if (!bound && job.provisioned().contains(claim) && !selected(now).equals(selected(claim))) {
                job.done().accept("Failed to bind volumes: provisioning failed for PVC \"" + claim.name() + "\"");
                return;
            }
            allBound &= bound;
        }
        if (allBound) {
            job.done().accept("");
        } else if (clock.instant().isAfter(job.deadline())) {
            job.done().accept("Failed to bind volumes: timed out waiting for the condition");
        } else {
            poll(job);
        }
    }

    private static String selected(ClaimInfo claim) {
        return claim.annotations().getOrEmpty(ClaimInfo.SELECTED_NODE);
    }

    /** Reserves the volumes of a pod when its node is selected, so that the next pod cannot use them. */
    static final class VolumeReservation implements VolumeAssumer {
        private final VolumeBinder binder;
        private final ClusterState cluster;
        private final VolumeWriter writer;
        private final Duration timeout;

        VolumeReservation(VolumeBinder binder, ClusterState cluster, VolumeWriter writer, Duration timeout) {
            this.binder = binder;
            this.cluster = cluster;
            this.writer = writer;
            this.timeout = timeout;
        }

        @Override
        public Assumed assume(PodInfo pod, String node) {
            NodeInfo info = cluster.node(node);
            if (info == null) {
                return Assumed.NOTHING;
            }
            AssumedBindings bindings = binder.assume(cluster, pod, info);
            if (bindings.allBound()) {
                return Assumed.NOTHING;
            }
            AtomicBoolean ended = new AtomicBoolean();
            return new Assumed() {
                @Override
                public void bind(Consumer<String> done) {
                    writer.write(pod, bindings, timeout, ended, done);
                }

                @Override
                public void undo() {
                    ended.set(true);
                    bindings.undo(cluster);
                }
            };
        }
    }
}
