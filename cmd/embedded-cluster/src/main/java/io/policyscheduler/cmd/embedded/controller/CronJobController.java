package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.CronSchedule;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import io.policyscheduler.cmd.embedded.controller.JobController.JobProgress;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Creates a Job at each time of a schedule (pkg/controller/cronjob). */
public final class CronJobController extends KeyedController {
    private final ResourceType jobs;
    private final EventRecorder events;

    public CronJobController(Clientset objects) {
        super(objects, "cronjobs.batch", "jobs.batch");
        this.jobs = objects.type("jobs.batch");
        this.events = new EventRecorder(objects, "cronjob-controller");
    }

    @Override
    public void reconcile(ObjectNode cron) {
        if (Clientset.isDeleted(cron)) {
            return;
        }
        List<ObjectNode> owned = objects().list(jobs, ObjectKey.of(cron).namespace()).stream()
                .filter(job -> Owners.controls(cron, job))
                .toList();
        cleanUpFinishedJobs(cron, owned, "Complete", "successfulJobsHistoryLimit", 3);
        cleanUpFinishedJobs(cron, owned, "Failed", "failedJobsHistoryLimit", 1);
        List<ObjectNode> active =
                owned.stream().filter(job -> !JobProgress.isFinished(job)).toList();
        updateStatus(cron, active, owned);
        if (!cron.path("spec").path("suspend").asBoolean()) {
            schedule(cron, active);
        }
    }

    private void schedule(ObjectNode cron, List<ObjectNode> active) {
        CronSchedule schedule;
        try {
            schedule = CronSchedule.parse(
                    Json.text(cron, "spec", "schedule"), objects().catalog().release());
        } catch (IllegalArgumentException e) {
            // A file may contain what the API server rejects.
            events.warning(
                    type(),
                    cron,
                    "UnparseableSchedule",
                    "unparseable schedule: " + Json.text(cron, "spec", "schedule") + " : " + e.getMessage());
            return;
        }
        Instant now = objects().now();
        String last = Json.text(cron, "status", "lastScheduleTime");
        Instant from = PodStates.instant(last.isEmpty() ? Json.text(cron, "metadata", "creationTimestamp") : last);
        JsonNode late = cron.path("spec").path("startingDeadlineSeconds");
        if (late.isNumber() && from.isBefore(now.minusSeconds(late.asLong()))) {
            from = now.minusSeconds(late.asLong());
        }
        ZoneId zone = zone(cron);
        Optional<Instant> due = schedule.next(from, zone).filter(at -> !at.isAfter(now));
        if (due.isPresent()) {
            // Of several missed times, only the newest one starts a Job.
            Optional<Instant> later = schedule.next(due.get(), zone);
            while (later.isPresent() && !later.get().isAfter(now)) {
                due = later;
                later = schedule.next(later.get(), zone);
            }
            start(cron, active, due.get());
        }
        schedule.next(now, zone).ifPresent(at -> enqueueAt(at, cron));
    }

    private static ZoneId zone(ObjectNode cron) {
        String zone = Json.text(cron, "spec", "timeZone");
        try {
            return zone.isEmpty() ? ZoneOffset.UTC : ZoneId.of(zone);
        } catch (DateTimeException e) {
            return ZoneOffset.UTC;
        }
    }

    private void start(ObjectNode cron, List<ObjectNode> active, Instant at) {
        String policy = Json.text(cron, "spec", "concurrencyPolicy");
        if (!active.isEmpty() && policy.equals("Forbid")) {
            events.normal(
                    type(),
                    cron,
                    "JobAlreadyActive",
                    "Not starting job because prior execution is running and concurrency policy is Forbid");
            return;
        }
        if (policy.equals("Replace")) {
            active.forEach(job -> objects().delete(jobs, job));
        }
        JsonNode template = cron.path("spec").path("jobTemplate");
        ObjectNode job = ControllerUtils.pod(type(), cron, template);
        Json.child(job, "metadata").put("name", Json.text(cron, "metadata", "name") + "-" + at.getEpochSecond() / 60);
        ControllerUtils.annotate(job, "batch.kubernetes.io/cronjob-scheduled-timestamp", Json.time(at));
        objects().create(jobs, job).ifPresent(created -> {
            events.normal(
                    type(),
                    cron,
                    "SuccessfulCreate",
                    "Created job " + ObjectKey.of(created).name());
            objects().changeStatus(type(), cron, status -> status.put("lastScheduleTime", Json.time(at)));
        });
    }

    private void updateStatus(ObjectNode cron, List<ObjectNode> active, List<ObjectNode> owned) {
        Optional<String> success = owned.stream()
                .map(job -> Json.text(job, "status", "completionTime"))
                .filter(time -> !time.isEmpty())
                .max(Comparator.naturalOrder());
        objects().changeStatus(type(), cron, status -> {
            ArrayNode references = Json.array();
            for (ObjectNode job : active) {
                references
                        .addObject()
                        .put("kind", "Job")
                        .put("namespace", ObjectKey.of(job).namespace())
                        .put("name", ObjectKey.of(job).name())
                        .put("uid", Clientset.uid(job))
                        .put("apiVersion", jobs.apiVersion("v1"))
                        .put("resourceVersion", Json.text(job, "metadata", "resourceVersion"));
            }
            if (references.isEmpty()) {
                status.remove("active");
            } else {
                status.set("active", references);
            }
            success.ifPresent(time -> status.put("lastSuccessfulTime", time));
        });
    }

    private void cleanUpFinishedJobs(
            ObjectNode cron, List<ObjectNode> owned, String condition, String limit, int byDefault) {
        int kept = cron.path("spec").path(limit).asInt(byDefault);
        List<ObjectNode> ended = owned.stream()
                .filter(job -> Conditions.isTrue(job.path("status"), condition))
                .sorted(Comparator.comparing(job -> Json.text(job, "metadata", "creationTimestamp")))
                .toList();
        ended.stream()
                .limit(Math.max(0, ended.size() - kept))
                .forEach(job -> objects().delete(jobs, job));
    }
}
