package io.policyscheduler.cmd.embedded.controller.batch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Conditions;
import io.policyscheduler.cmd.embedded.controller.core.Counts;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import io.policyscheduler.cmd.embedded.controller.core.PodTemplates;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How far a Job has come, and whether that is its end (pkg/controller/job/job_controller.go, indexed_job_utils.go). */
final class JobProgress {
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    /** How a Job ends. */
    record End(boolean succeeded, String reason, String message) {}

    private final JsonNode job;
    private final JsonNode spec;
    private final List<ObjectNode> pods;
    private final Instant now;
    private final int succeeded;
    private final int failed;
    private final Set<Integer> doneIndexes = new TreeSet<>();

    /**
     * @param pods all pods of the Job that are there
     * @param uncounted which of them have ended and are not in the Job's status yet
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
        String index = PodTemplates.annotation(pod, INDEX);
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

    /** Whether this is the end; empty when it is not, or has been before. */
    Optional<End> end() {
        if (isFinished(job)) {
            return Optional.empty();
        }
        if (failed > spec.path("backoffLimit").asInt(6)) {
            return Optional.of(new End(false, "BackoffLimitExceeded", "Job has reached the specified backoff limit"));
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

    /** When the Job must have ended. */
    Optional<Instant> deadline() {
        String start = Json.text(job, "status", "startTime");
        JsonNode seconds = spec.path("activeDeadlineSeconds");
        return start.isEmpty() || !seconds.isNumber()
                ? Optional.empty()
                : Optional.of(PodStates.instant(start).plusSeconds(seconds.asLong()));
    }

    /** How many pods are to be at work. */
    int wantedActive() {
        int parallelism = spec.path("parallelism").asInt(1);
        if (!spec.path("completions").isNumber()) {
            // A work queue: when one has succeeded, no new one starts.
            return succeeded > 0 ? Math.min(parallelism, PodStates.active(pods).size()) : parallelism;
        }
        return Math.min(parallelism, Math.max(0, spec.path("completions").asInt() - succeeded()));
    }

    /** The lowest indexes that are neither done nor at work. */
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

    /** When a pod may be started after failures; empty for at once. */
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
                        .filter(p -> ApiObjects.isDeleted(p) && !PodStates.isFinished(p))
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
            for (String type :
                    e.succeeded() ? List.of("SuccessCriteriaMet", "Complete") : List.of("FailureTarget", "Failed")) {
                Conditions.set(status, type, "True", e.reason(), e.message(), time, "lastProbeTime");
            }
            if (e.succeeded()) {
                status.put("completionTime", time);
            }
        });
    }
}
