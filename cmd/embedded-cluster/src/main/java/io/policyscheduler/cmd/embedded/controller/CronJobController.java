package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import io.policyscheduler.cmd.embedded.controller.JobController.JobProgress;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
        forgetOldest(cron, owned, "Complete", "successfulJobsHistoryLimit", 3);
        forgetOldest(cron, owned, "Failed", "failedJobsHistoryLimit", 1);
        List<ObjectNode> active =
                owned.stream().filter(job -> !JobProgress.isFinished(job)).toList();
        tell(cron, active, owned);
        if (!cron.path("spec").path("suspend").asBoolean()) {
            schedule(cron, active);
        }
    }

    private void schedule(ObjectNode cron, List<ObjectNode> active) {
        Optional<CronSchedule> schedule = CronSchedule.parse(Json.text(cron, "spec", "schedule"));
        if (schedule.isEmpty()) {
            events.warning(
                    type(),
                    cron,
                    "UnparseableSchedule",
                    "unparseable schedule: " + Json.text(cron, "spec", "schedule"));
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
        Optional<Instant> due = schedule.get().next(from, zone).filter(at -> !at.isAfter(now));
        if (due.isPresent()) {
            // Of several missed times, only the newest one starts a Job.
            Optional<Instant> later = schedule.get().next(due.get(), zone);
            while (later.isPresent() && !later.get().isAfter(now)) {
                due = later;
                later = schedule.get().next(later.get(), zone);
            }
            start(cron, active, due.get());
        }
        schedule.get().next(now, zone).ifPresent(at -> lookAt(at, cron));
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

    private void tell(ObjectNode cron, List<ObjectNode> active, List<ObjectNode> owned) {
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

    private void forgetOldest(ObjectNode cron, List<ObjectNode> owned, String condition, String limit, int byDefault) {
        int kept = cron.path("spec").path(limit).asInt(byDefault);
        List<ObjectNode> ended = owned.stream()
                .filter(job -> Conditions.isTrue(job.path("status"), condition))
                .sorted(Comparator.comparing(job -> Json.text(job, "metadata", "creationTimestamp")))
                .toList();
        ended.stream()
                .limit(Math.max(0, ended.size() - kept))
                .forEach(job -> objects().delete(jobs, job));
    }

    /** A schedule of five fields, {@code MINUTE HOUR DAY MONTH WEEKDAY}, or a macro such as {@code @hourly} (robfig/cron v3). */
    static final class CronSchedule {
        private static final Map<String, String> WORDS = ImmutableMap.of(
                "@yearly", "0 0 1 1 *",
                "@annually", "0 0 1 1 *",
                "@monthly", "0 0 1 * *",
                "@weekly", "0 0 * * 0",
                "@daily", "0 0 * * *",
                "@midnight", "0 0 * * *",
                "@hourly", "0 * * * *");
        private static final List<String> MONTHS =
                List.of("", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
        private static final List<String> DAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
        /** Long enough for the 29th of February. */
        private static final Duration HORIZON = Duration.ofDays(5 * 366);

        private final BitSet minutes;
        private final BitSet hours;
        private final BitSet days;
        private final BitSet months;
        private final BitSet weekdays;
        /** Whether a day must match both fields of days, which applies if one of them is a star. */
        private final boolean bothDays;

        private CronSchedule(List<String> fields) {
            this.minutes = bits(fields.get(0), 0, 59, List.of());
            this.hours = bits(fields.get(1), 0, 23, List.of());
            this.days = bits(fields.get(2), 1, 31, List.of());
            this.months = bits(fields.get(3), 1, 12, MONTHS);
            this.weekdays = bits(fields.get(4), 0, 6, DAYS);
            this.bothDays = isStar(fields.get(2)) || isStar(fields.get(4));
        }

        /** Empty for an invalid schedule. */
        static Optional<CronSchedule> parse(String text) {
            String spelled = WORDS.getOrDefault(text.trim(), text.trim());
            List<String> fields = Splitter.onPattern("\\s+").splitToList(spelled);
            if (fields.size() != 5) {
                return Optional.empty();
            }
            try {
                return Optional.of(new CronSchedule(fields));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        private static boolean isStar(String field) {
            return field.startsWith("*") || field.startsWith("?");
        }

        private static BitSet bits(String field, int least, int most, List<String> names) {
            BitSet bits = new BitSet();
            for (String part : Splitter.on(',').split(field)) {
                List<String> stepped = Splitter.on('/').splitToList(part);
                String range = stepped.get(0);
                int step = stepped.size() > 1 ? Integer.parseInt(stepped.get(1)) : 1;
                List<String> ends = Splitter.on('-').splitToList(range);
                boolean star = isStar(range);
                int first = star ? least : number(ends.get(0), names);
                int last = star || (ends.size() == 1 && stepped.size() > 1)
                        ? most
                        : number(ends.get(ends.size() - 1), names);
                if (first < least || last > most || first > last || step < 1 || ends.size() > 2 || stepped.size() > 2) {
                    throw new IllegalArgumentException(field);
                }
                for (int i = first; i <= last; i += step) {
                    bits.set(i);
                }
            }
            return bits;
        }

        private static int number(String text, List<String> names) {
            int named = names.indexOf(text.toLowerCase(Locale.ROOT));
            return named >= 0 && !text.isEmpty() ? named : Integer.parseInt(text);
        }

        /** The first time after the given one; empty if there is none for years. */
        Optional<Instant> next(Instant after, ZoneId zone) {
            ZonedDateTime time =
                    after.atZone(zone).truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
            ZonedDateTime end = time.plus(HORIZON);
            while (time.isBefore(end)) {
                if (!months.get(time.getMonthValue())) {
                    time = time.plusMonths(1).withDayOfMonth(1).truncatedTo(ChronoUnit.DAYS);
                } else if (!isDay(time)) {
                    time = time.plusDays(1).truncatedTo(ChronoUnit.DAYS);
                } else if (!hours.get(time.getHour())) {
                    time = time.plusHours(1).truncatedTo(ChronoUnit.HOURS);
                } else if (!minutes.get(time.getMinute())) {
                    time = time.plusMinutes(1);
                } else {
                    return Optional.of(time.toInstant());
                }
            }
            return Optional.empty();
        }

        private boolean isDay(ZonedDateTime time) {
            boolean day = days.get(time.getDayOfMonth());
            boolean weekday = weekdays.get(time.getDayOfWeek().getValue() % 7);
            return bothDays ? day && weekday : day || weekday;
        }
    }
}
