package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ObjectKey.Names;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.Counts;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs the pods of a Job until enough have succeeded or too many have failed (pkg/controller/job). A finalizer ensures that each
 * finished pod is counted once.
 */
public final class JobController extends KeyedController {
    private static final String TRACKING = "batch.kubernetes.io/job-tracking";
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(10);
    private static final Duration LONGEST_BACKOFF = Duration.ofMinutes(10);

    private final ResourceType pods;
    private final EventRecorder events;

    public JobController(Clientset objects) {
        super(objects, "jobs.batch", "pods");
        this.pods = objects.type("pods");
        this.events = new EventRecorder(objects, "job-controller");
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
        if (finished || end.isPresent() || suspended || Clientset.isDeleted(job)) {
            active.forEach(pod -> delete(job, pod));
            running = 0;
        } else {
            running = managePods(job, progress, active);
        }
        int left = running;
        objects().changeStatus(type(), job, status -> progress.write(status, left, end, suspended));
        owned.stream().filter(JobController::isUncounted).forEach(pod -> release(pod));
        if (!finished) {
            end.ifPresent(e -> recordEnd(job, e));
            progress.deadline().ifPresent(at -> enqueueAt(at, job));
        }
        cleanUp(job, end.isPresent() || finished);
    }

    /** Pods of a deleted Job do not need to be counted. */
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
        boolean gone = Clientset.isDeleted(pod)
                && pod.path("metadata").path("deletionGracePeriodSeconds").asLong() == 0;
        return Owners.hasFinalizer(pod, TRACKING) && (PodStates.isFinished(pod) || gone);
    }

    private void release(ObjectNode pod) {
        if (Owners.hasFinalizer(pod, TRACKING)) {
            objects().change(pods, pod, present -> Owners.removeFinalizer(present, TRACKING));
        }
    }

    /** Starts missing pods, with a backoff after a failure; returns the number of active pods. */
    private int managePods(ObjectNode job, JobProgress progress, List<ObjectNode> active) {
        int desired = progress.desiredActive();
        int missing = desired - active.size();
        if (missing < 0) {
            active.stream().skip(desired).forEach(pod -> delete(job, pod));
            return desired;
        }
        Optional<Instant> notBefore = progress.retryAt(FIRST_BACKOFF, LONGEST_BACKOFF);
        if (missing > 0 && notBefore.filter(at -> at.isAfter(objects().now())).isPresent()) {
            enqueueAt(notBefore.get(), job);
            return active.size();
        }
        List<Integer> indexes = progress.freeIndexes(active, missing);
        for (int i = 0; i < missing; i++) {
            create(job, progress.isIndexed() && i < indexes.size() ? indexes.get(i) : -1);
        }
        return active.size() + Math.max(0, missing);
    }

    private void create(ObjectNode job, int index) {
        ObjectNode pod = ControllerUtils.pod(type(), job, job.path("spec").path("template"));
        String name = Json.text(job, "metadata", "name") + (index < 0 ? "" : "-" + index) + "-";
        ObjectNode metadata = Json.child(pod, "metadata");
        metadata.put("generateName", name);
        if (index >= 0) {
            // Real controllers also generate these names, which contain the index.
            metadata.put("name", Names.generate(name, objects().random()));
            ControllerUtils.label(pod, INDEX, Integer.toString(index));
            ControllerUtils.annotate(pod, INDEX, Integer.toString(index));
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

    private void recordEnd(ObjectNode job, JobProgress.End end) {
        if (end.succeeded()) {
            events.normal(type(), job, "Completed", "Job completed");
        } else {
            events.warning(type(), job, end.reason(), end.message());
        }
    }

    private void cleanUp(ObjectNode job, boolean finished) {
        JsonNode ttl = job.path("spec").path("ttlSecondsAfterFinished");
        if (!finished || !ttl.isNumber() || Clientset.isDeleted(job)) {
            return;
        }
        Instant due = JobProgress.finishedAt(job).orElse(objects().now()).plusSeconds(ttl.asLong());
        if (due.isAfter(objects().now())) {
            enqueueAt(due, job);
        } else {
            objects().delete(type(), job);
        }
    }

    /** The completed indexes of a Job as text: {@code 0-2,5} (pkg/controller/job/indexed_job_utils.go). */
    static final class IndexRanges {
        private IndexRanges() {}

        static List<Integer> parse(String text) {
            List<Integer> indexes = new ArrayList<>();
            for (String part : Splitter.on(',').omitEmptyStrings().split(text)) {
                List<String> ends = Splitter.on('-').splitToList(part);
                int last = Integer.parseInt(ends.get(ends.size() - 1));
                for (int i = Integer.parseInt(ends.get(0)); i <= last; i++) {
                    indexes.add(i);
                }
            }
            return indexes;
        }

        static String text(Collection<Integer> indexes) {
            StringBuilder text = new StringBuilder();
            int start = -1;
            int previous = -2;
            for (int index : new TreeSet<>(indexes)) {
                if (index != previous + 1) {
                    end(text, start, previous);
                    start = index;
                }
                previous = index;
            }
            end(text, start, previous);
            return text.toString();
        }

        private static void end(StringBuilder text, int start, int last) {
            if (start >= 0) {
                text.append(text.isEmpty() ? "" : ",").append(start);
                // Two in a row are not a range, as in Kubernetes.
                if (last > start) {
                    text.append(last == start + 1 ? "," : "-").append(last);
                }
            }
        }
    }

    /** The progress of a Job, and whether it is finished (pkg/controller/job/job_controller.go, indexed_job_utils.go). */
    static final class JobProgress {
        private static final String INDEX = "batch.kubernetes.io/job-completion-index";

        /** The result of a Job. */
        record End(boolean succeeded, String reason, String message) {}

        private final JsonNode job;
        private final JsonNode spec;
        private final List<ObjectNode> pods;
        private final Instant now;
        private final int succeeded;
        private final int failed;
        private final Set<Integer> doneIndexes = new TreeSet<>();

        /**
         * @param pods all existing pods of the Job
         * @param uncounted finished pods that are not in the Job's status yet
         */
        JobProgress(JsonNode job, List<ObjectNode> pods, Predicate<ObjectNode> uncounted, Instant now) {
            this.job = job;
            this.spec = job.path("spec");
            this.pods = pods;
            this.now = now;
            List<ObjectNode> fresh = pods.stream().filter(uncounted).toList();
            long well = fresh.stream()
                    .filter(pod -> PodStates.phase(pod).equals("Succeeded"))
                    .count();
            this.succeeded = job.path("status").path("succeeded").asInt() + (int) well;
            this.failed = job.path("status").path("failed").asInt() + fresh.size() - (int) well;
            doneIndexes.addAll(IndexRanges.parse(Json.text(job, "status", "completedIndexes")));
            fresh.stream()
                    .filter(pod -> PodStates.phase(pod).equals("Succeeded"))
                    .forEach(pod -> doneIndexes.add(index(pod)));
        }

        private static int index(JsonNode pod) {
            String index = ControllerUtils.annotation(pod, INDEX);
            return index.isEmpty() ? -1 : Integer.parseInt(index);
        }

        boolean isIndexed() {
            return Json.text(spec, "completionMode").equals("Indexed");
        }

        private int succeeded() {
            return isIndexed() ? (int) doneIndexes.stream().filter(i -> i >= 0).count() : succeeded;
        }

        static boolean isFinished(JsonNode job) {
            return Conditions.isTrue(job.path("status"), "Complete") || Conditions.isTrue(job.path("status"), "Failed");
        }

        static Optional<Instant> finishedAt(JsonNode job) {
            for (String type : List.of("Complete", "Failed")) {
                JsonNode condition = Conditions.find(job.path("status"), type);
                if (Json.text(condition, "status").equals("True")) {
                    return Optional.of(PodStates.instant(Json.text(condition, "lastTransitionTime")));
                }
            }
            return Optional.empty();
        }

        /** The final result; empty if the Job is active or was already finished. */
        Optional<End> end() {
            if (isFinished(job)) {
                return Optional.empty();
            }
            if (failed > spec.path("backoffLimit").asInt(6)) {
                return Optional.of(
                        new End(false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"));
            }
            if (deadline().filter(at -> !at.isAfter(now)).isPresent()) {
                return Optional.of(new End(false, "DeadlineExceeded", "Job was active longer than specified deadline"));
            }
            boolean complete = spec.path("completions").isNumber()
                    ? succeeded() >= spec.path("completions").asInt()
                    : succeeded > 0 && PodStates.active(pods).isEmpty();
            return complete
                    ? Optional.of(new End(true, "CompletionsReached", "Reached expected number of succeeded pods"))
                    : Optional.empty();
        }

        /** The deadline of the Job. */
        Optional<Instant> deadline() {
            String start = Json.text(job, "status", "startTime");
            JsonNode seconds = spec.path("activeDeadlineSeconds");
            return start.isEmpty() || !seconds.isNumber()
                    ? Optional.empty()
                    : Optional.of(PodStates.instant(start).plusSeconds(seconds.asLong()));
        }

        /** The number of pods that should be active. */
        int desiredActive() {
            int parallelism = spec.path("parallelism").asInt(1);
            if (!spec.path("completions").isNumber()) {
                // A work queue: after the first success, no new pod starts.
                return succeeded > 0
                        ? Math.min(parallelism, PodStates.active(pods).size())
                        : parallelism;
            }
            return Math.min(parallelism, Math.max(0, spec.path("completions").asInt() - succeeded()));
        }

        /** The lowest indexes that are neither complete nor active. */
        List<Integer> freeIndexes(List<ObjectNode> active, int count) {
            Set<Integer> taken = new HashSet<>(doneIndexes);
            active.forEach(pod -> taken.add(index(pod)));
            List<Integer> free = new ArrayList<>();
            for (int i = 0; isIndexed() && i < spec.path("completions").asInt() && free.size() < count; i++) {
                if (!taken.contains(i)) {
                    free.add(i);
                }
            }
            return free;
        }

        /** The time of the next start after failures; empty for now. */
        Optional<Instant> retryAt(Duration first, Duration longest) {
            @Nullable Instant last = null;
            for (ObjectNode pod : pods) {
                if (PodStates.phase(pod).equals("Failed")) {
                    Instant end = endOf(pod);
                    last = last == null || end.isAfter(last) ? end : last;
                }
            }
            if (last == null || failed == 0) {
                return Optional.empty();
            }
            long factor = 1L << Math.min(failed - 1, 10);
            Duration wait = first.multipliedBy(factor);
            return Optional.of(last.plus(wait.compareTo(longest) > 0 ? longest : wait));
        }

        private static Instant endOf(JsonNode pod) {
            return PodStates.instant(pod.at("/status/containerStatuses/0/state/terminated/finishedAt")
                    .asText());
        }

        void write(ObjectNode status, int active, Optional<End> end, boolean suspended) {
            String time = Json.time(now);
            if (!suspended) {
                Json.putIfAbsent(status, "startTime", time);
            }
            long ready = end.isPresent() || active == 0
                    ? 0
                    : PodStates.active(pods).stream().filter(PodStates::isReady).count();
            Counts.put(status, "active", active);
            status.put("ready", ready);
            status.put(
                    "terminating",
                    pods.stream()
                            .filter(p -> Clientset.isDeleted(p) && !PodStates.isFinished(p))
                            .count());
            Counts.put(status, "succeeded", succeeded());
            Counts.put(status, "failed", failed);
            if (isIndexed() && !doneIndexes.isEmpty()) {
                status.put("completedIndexes", IndexRanges.text(doneIndexes));
            }
            status.putObject("uncountedTerminatedPods");
            if (suspended && end.isEmpty()) {
                Conditions.set(status, "Suspended", "True", "JobSuspended", "Job suspended", time, "lastProbeTime");
                status.remove("startTime");
            } else if (Conditions.isTrue(status, "Suspended")) {
                Conditions.set(status, "Suspended", "False", "JobResumed", "Job resumed", time, "lastProbeTime");
            }
            end.ifPresent(e -> {
                for (String type : e.succeeded()
                        ? List.of("SuccessCriteriaMet", "Complete")
                        : List.of("FailureTarget", "Failed")) {
                    Conditions.set(status, type, "True", e.reason(), e.message(), time, "lastProbeTime");
                }
                if (e.succeeded()) {
                    status.put("completionTime", time);
                }
            });
        }
    }
}
