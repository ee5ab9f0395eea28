package io.policyscheduler.cmd.embedded.controller.batch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ObjectNames;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.EventWriter;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.Owners;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import io.policyscheduler.cmd.embedded.controller.core.PodTemplates;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Runs the pods of a Job until enough have succeeded or too many have failed (pkg/controller/job). Each finished pod is counted
 * once: a finalizer keeps it until it is.
 */
public final class JobController extends KeyedController {
    private static final String TRACKING = "batch.kubernetes.io/job-tracking";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(10);

    private final ResourceType pods;
    private final EventWriter events;

    public JobController(ApiObjects objects) {
        super(objects, "jobs.batch", "pods");
        this.pods = objects.type("pods");
        this.events = new EventWriter(objects, "job-controller");
    }

    @Override
    public void reconcile(ObjectNode job) {
        List<ObjectNode> owned = objects().list(pods, ObjectKey.of(job).namespace()).stream()
                .filter(pod -> Owners.controls(job, pod))
                .toList();
        JobProgress progress = new JobProgress(
                job, owned, JobController::isUncounted, objects().now());
        Optional<JobProgress.End> end = progress.end();
        List<ObjectNode> active = PodStates.active(owned);
        boolean finished = JobProgress.isFinished(job);
        boolean suspended = job.path("spec").path("suspend").asBoolean();
        int running = active.size();
        if (finished || end.isPresent() || suspended || ApiObjects.isDeleted(job)) {
            active.forEach(pod -> delete(job, pod));
            running = 0;
        } else {
            running = keepRunning(job, progress, active);
        }
        int left = running;
        objects().changeStatus(type(), job, status -> progress.write(status, left, end, suspended));
        owned.stream().filter(JobController::isUncounted).forEach(pod -> release(pod));
        if (!finished) {
            end.ifPresent(e -> tell(job, e));
            progress.deadline().ifPresent(at -> lookAt(at, job));
        }
        cleanUp(job, end.isPresent() || finished);
    }

    /** Pods whose Job has gone are not kept for counting. */
    @Override
    public void reconcileAbsent(ObjectKey key) {
        for (ObjectNode pod : objects().list(pods, key.namespace())) {
            JsonNode owner = Owners.controllerOf(pod);
            if (Json.text(owner, "kind").equals("Job")
                    && Json.text(owner, "name").equals(key.name())) {
                release(pod);
            }
        }
    }

    private static boolean isUncounted(JsonNode pod) {
        boolean gone = ApiObjects.isDeleted(pod)
                && pod.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0;
        return isTracked(pod) && (PodStates.isFinished(pod) || gone);
    }

    private static boolean isTracked(JsonNode pod) {
        for (JsonNode finalizer : pod.path("metadata").path("finalizers")) {
            if (finalizer.asText().equals(TRACKING)) {
                return true;
            }
        }
        return false;
    }

    private void release(ObjectNode pod) {
        if (isTracked(pod)) {
            objects().change(pods, pod, present -> {
                ArrayNode kept = Json.array();
                present.path("metadata").path("finalizers").forEach(finalizer -> {
                    if (!finalizer.asText().equals(TRACKING)) {
                        kept.add(finalizer);
                    }
                });
                if (kept.isEmpty()) {
                    Json.child(present, "metadata").remove("finalizers");
                } else {
                    Json.child(present, "metadata").set("finalizers", kept);
                }
            });
        }
    }

    /** Starts what is missing, after a failure later; returns how many pods are at work then. */
    private int keepRunning(ObjectNode job, JobProgress progress, List<ObjectNode> active) {
        int wanted = progress.wantedActive();
        int missing = wanted - active.size();
        if (missing < 0) {
            active.stream().skip(wanted).forEach(pod -> delete(job, pod));
            return wanted;
        }
        Optional<Instant> notBefore = progress.retryAt(FIRST_BACKOFF, LONGEST_BACKOFF);
        if (missing > 0 && notBefore.filter(at -> at.isAfter(objects().now())).isPresent()) {
            lookAt(notBefore.get(), job);
            return active.size();
        }
        List<Integer> indexes = progress.freeIndexes(active, missing);
        for (int i = 0; i < missing; i++) {
            create(job, progress.isIndexed() && i < indexes.size() ? indexes.get(i) : -1);
        }
        return active.size() + Math.max(0, missing);
    }

    private void create(ObjectNode job, int index) {
        ObjectNode pod = PodTemplates.pod(type(), job, job.path("spec").path("template"));
        String name = Json.text(job, "metadata", "name") + (index < 0 ? "" : "-" + index) + "-";
        ObjectNode metadata = Json.child(pod, "metadata");
        metadata.put("generateName", name);
        if (index >= 0) {
            // Real ones name such pods themselves too, so that the index is in the name.
            metadata.put("name", ObjectNames.generate(name, objects().random()));
            PodTemplates.label(pod, INDEX, Integer.toString(index));
            PodTemplates.annotate(pod, INDEX, Integer.toString(index));
        }
        Json.list(metadata, "finalizers").add(TRACKING);
        objects()
                .create(pods, pod)
                .ifPresent(created -> events.normal(
                        type(),
                        job,
                        "SuccessfulCreate",
                        "Created pod: " + ObjectKey.of(created).name()));
    }

    private void delete(ObjectNode job, ObjectNode pod) {
        release(pod);
        objects().get(pods, ObjectKey.of(pod)).ifPresent(present -> objects().delete(pods, present));
        events.normal(
                type(),
                job,
                "SuccessfulDelete",
                "Deleted pod: " + ObjectKey.of(pod).name());
    }

    private void tell(ObjectNode job, JobProgress.End end) {
        if (end.succeeded()) {
            events.normal(type(), job, "Completed", "Job completed");
        } else {
            events.warning(type(), job, end.reason(), end.message());
        }
    }

    private void cleanUp(ObjectNode job, boolean finished) {
        JsonNode ttl = job.path("spec").path("ttlSecondsAfterFinished");
        if (!finished || !ttl.isNumber() || ApiObjects.isDeleted(job)) {
            return;
        }
        Instant due = JobProgress.finishedAt(job).orElse(objects().now()).plusSeconds(ttl.asLong());
        if (due.isAfter(objects().now())) {
            lookAt(due, job);
        } else {
            objects().delete(type(), job);
        }
    }
}
