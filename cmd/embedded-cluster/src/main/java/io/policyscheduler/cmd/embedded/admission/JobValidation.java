package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.CronSchedule;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.engine.cluster.release.Release;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Validates the fields of Jobs and CronJobs that have come with releases after 1.20, and changes of Jobs. Mirrors
 * {@code pkg/apis/batch/validation}.
 */
final class JobValidation {
    /** Fields of a Job, with the first release whose API server keeps each of them with default gates; others drop it. */
    private static final Map<String, Integer> NEWER_FIELDS = ImmutableMap.<String, Integer>builder()
            .put("ttlSecondsAfterFinished", 21)
            .put("completionMode", 22)
            .put("suspend", 22)
            .put("podFailurePolicy", 26)
            .put("backoffLimitPerIndex", 29)
            .put("maxFailedIndexes", 29)
            .put("podReplacementPolicy", 29)
            .put("successPolicy", 31)
            .put("managedBy", 32)
            .buildOrThrow();

    private static final List<String> IMMUTABLE =
            List.of("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy");
    private static final List<String> ACTIONS = List.of("Count", "FailIndex", "FailJob", "Ignore");
    private static final String PATH_FORM = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
    private static final String ZONE_FORM = "[A-Za-z.\\-_0-9+]{1,14}";
    private static final int LIMIT = 100_000;
    private static final int LIMIT_OF_LARGE = 10_000;
    private static final int MOST_RULES = 20;
    private static final int MOST_EXIT_CODES = 255;
    private static final int LONGEST_MANAGER = 63;

    private final JsonNode job;
    private final String path;
    private final FieldErrors errors;

    /**
     * @param job the spec of a Job
     * @param path of the spec
     */
    JobValidation(JsonNode job, String path, FieldErrors errors) {
        this.job = job;
        this.path = path;
        this.errors = errors;
    }

    /** Removes the fields that a release does not have from the spec of a Job, and completes the other ones. */
    static void complete(ObjectNode spec, Release release) {
        NEWER_FIELDS.forEach((field, since) -> {
            if (!release.atLeast(since)) {
                spec.remove(field);
            }
        });
        for (JsonNode rule : spec.path("podFailurePolicy").path("rules")) {
            for (JsonNode condition : rule.path("onPodConditions")) {
                if (condition instanceof ObjectNode object) {
                    Json.putIfAbsent(object, "status", "True");
                }
            }
        }
    }

    /** Checks the fields of a completed spec, from which those of later releases have been removed. */
    void check() {
        for (String field : List.of(
                "parallelism",
                "completions",
                "activeDeadlineSeconds",
                "backoffLimit",
                "ttlSecondsAfterFinished",
                "backoffLimitPerIndex",
                "maxFailedIndexes")) {
            errors.notNegative(path + "." + field, job.path(field));
        }
        if (has("maxFailedIndexes") && !has("backoffLimitPerIndex")) {
            errors.required(path + ".backoffLimitPerIndex", "when maxFailedIndexes is specified");
        }
        if (has("managedBy")) {
            manager(Json.text(job, "managedBy"));
        }
        String mode = Json.text(job, "completionMode");
        if (has("completionMode") && !List.of("NonIndexed", "Indexed").contains(mode)) {
            errors.notSupported(path + ".completionMode", mode, List.of("NonIndexed", "Indexed"));
        }
        if (mode.equals("Indexed")) {
            indexed();
        } else if (!has("completionMode") || mode.equals("NonIndexed")) {
            for (String field : List.of("backoffLimitPerIndex", "maxFailedIndexes")) {
                if (has(field)) {
                    errors.invalidValue(path + "." + field, job.path(field), "requires indexed completion mode");
                }
            }
        }
        failurePolicy();
        if (has("successPolicy")) {
            if (mode.equals("Indexed")) {
                successPolicy();
            } else {
                errors.invalidValue(
                        path + ".successPolicy", job.path("successPolicy"), "requires indexed completion mode");
            }
        }
    }

    /** Returns whether a failed pod must not be restarted by its kubelet. */
    boolean mustNotRestart() {
        String policy = Json.text(job, "template", "spec", "restartPolicy");
        return has("podFailurePolicy") && policy.equals("OnFailure");
    }

    private boolean has(String field) {
        return !Json.at(job, field).isMissingNode();
    }

    private long number(String field) {
        return job.path(field).asLong();
    }

    private void manager(String name) {
        String place = path + ".managedBy";
        int slash = name.indexOf('/');
        if (name.isEmpty()) {
            errors.required(place, "");
        } else if (slash <= 0 || slash == name.length() - 1) {
            errors.invalid(place, name, "must be a domain-prefixed path (such as \"acme.io/foo\")");
        } else {
            errors.all(place, name.substring(0, slash), FieldErrors.subdomain(name.substring(0, slash)));
            String rest = name.substring(slash + 1);
            if (!rest.matches(PATH_FORM)) {
                errors.invalid(place, rest, "Invalid path (regex used for validation is '" + PATH_FORM + "')");
            }
        }
        if (name.length() > LONGEST_MANAGER) {
            errors.causes()
                    .add(new Cause(
                            place,
                            "FieldValueTooLong",
                            "Too long: may not be more than " + LONGEST_MANAGER + " bytes"));
        }
    }

    private void indexed() {
        if (!has("completions")) {
            errors.required(path + ".completions", "when completion mode is Indexed");
        }
        atMost("parallelism", LIMIT, "must be less than or equal to 100000 when completion mode is Indexed");
        if (has("completions") && number("maxFailedIndexes") > number("completions")) {
            errors.invalidValue(
                    path + ".maxFailedIndexes",
                    number("maxFailedIndexes"),
                    "must be less than or equal to completions");
        }
        atMost("maxFailedIndexes", LIMIT, "must be less than or equal to 100000");
        if (number("completions") > LIMIT && has("backoffLimitPerIndex")) {
            if (!has("maxFailedIndexes")) {
                errors.required(path + ".maxFailedIndexes", "must be specified when completions is above 100000");
            }
            String detail = "must be less than or equal to 10000 when completions are above 100000 and used with"
                    + " backoff limit per index";
            atMost("parallelism", LIMIT_OF_LARGE, detail);
            atMost("maxFailedIndexes", LIMIT_OF_LARGE, detail);
        }
    }

    private void atMost(String field, int limit, String detail) {
        if (number(field) > limit) {
            errors.invalidValue(path + "." + field, number(field), detail);
        }
    }

    private void failurePolicy() {
        if (has("podReplacementPolicy")) {
            List<String> supported =
                    has("podFailurePolicy") ? List.of("Failed") : List.of("Failed", "TerminatingOrFailed");
            errors.oneOf(path + ".podReplacementPolicy", Json.text(job, "podReplacementPolicy"), supported);
        }
        Set<String> containers = new HashSet<>();
        for (String list : List.of("containers", "initContainers")) {
            Json.at(job, "template", "spec", list).forEach(container -> containers.add(Json.text(container, "name")));
        }
        JsonNode rules = job.path("podFailurePolicy").path("rules");
        tooMany(path + ".podFailurePolicy.rules", rules, MOST_RULES);
        for (int i = 0; i < rules.size(); i++) {
            failureRule(path + ".podFailurePolicy.rules[" + i + "]", rules.path(i), containers);
        }
    }

    private void failureRule(String place, JsonNode rule, Set<String> containers) {
        if (Json.text(rule, "action").equals("FailIndex") && !has("backoffLimitPerIndex")) {
            errors.invalid(place + ".action", "FailIndex", "requires the backoffLimitPerIndex to be set");
        }
        requireOneOf(place + ".action", Json.text(rule, "action"), ACTIONS);
        JsonNode codes = Json.at(rule, "onExitCodes");
        JsonNode conditions = rule.path("onPodConditions");
        if (codes.isObject()) {
            exitCodes(place + ".onExitCodes", codes, containers);
        }
        tooMany(place + ".onPodConditions", conditions, MOST_RULES);
        for (int i = 0; i < conditions.size(); i++) {
            String at = place + ".onPodConditions[" + i + "]";
            String type = Json.text(conditions.path(i), "type");
            errors.all(at + ".type", type, FieldErrors.qualifiedName(type));
            requireOneOf(at + ".status", Json.text(conditions.path(i), "status"), List.of("False", "True", "Unknown"));
        }
        if (codes.isObject() != conditions.isEmpty()) {
            String which = codes.isObject()
                    ? "both OnExitCodes and OnPodConditions is not supported"
                    : "one of OnExitCodes and OnPodConditions is required";
            errors.causes().add(new Cause(place, "FieldValueInvalid", "Invalid value: specifying " + which));
        }
    }

    private void exitCodes(String place, JsonNode codes, Set<String> containers) {
        String operator = Json.text(codes, "operator");
        requireOneOf(place + ".operator", operator, List.of("In", "NotIn"));
        String container = Json.text(codes, "containerName");
        if (codes.path("containerName").isTextual() && !containers.contains(container)) {
            errors.invalid(
                    place + ".containerName",
                    container,
                    "must be one of the container or initContainer names in the pod template");
        }
        JsonNode values = codes.path("values");
        if (values.isEmpty()) {
            errors.invalidValue(
                    place + ".values", values.isMissingNode() ? "null" : values, "at least one value is required");
        }
        tooMany(place + ".values", values, MOST_EXIT_CODES);
        boolean isOrdered = true;
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < values.size(); i++) {
            long value = values.path(i).asLong();
            if (operator.equals("In") && value == 0) {
                errors.invalidValue(place + ".values[" + i + "]", value, "must not be 0 for the In operator");
            }
            if (!seen.add(value)) {
                errors.duplicate(place + ".values[" + i + "]", value);
            }
            isOrdered &= i == 0 || values.path(i - 1).asLong() <= value;
        }
        if (!isOrdered) {
            errors.invalidValue(place + ".values", values, "must be ordered");
        }
    }

    private void requireOneOf(String place, String value, List<String> supported) {
        if (value.isEmpty()) {
            errors.required(
                    place,
                    "valid values: "
                            + supported.stream()
                                    .map(text -> "\"" + text + "\"")
                                    .collect(Collectors.joining(" ", "[", "]")));
        } else {
            errors.oneOf(place, value, supported);
        }
    }

    private void tooMany(String place, JsonNode list, int limit) {
        if (list.size() > limit) {
            errors.causes()
                    .add(new Cause(
                            place,
                            "FieldValueTooMany",
                            "Too many: " + list.size() + ": must have at most " + limit + " items"));
        }
    }

    private void successPolicy() {
        JsonNode rules = job.path("successPolicy").path("rules");
        String place = path + ".successPolicy.rules";
        if (rules.isEmpty()) {
            errors.required(place, "at least one rules must be specified when the successPolicy is specified");
        }
        tooMany(place, rules, MOST_RULES);
        for (int i = 0; i < rules.size(); i++) {
            successRule(place + "[" + i + "]", rules.path(i));
        }
    }

    private void successRule(String place, JsonNode rule) {
        boolean hasIndexes = rule.path("succeededIndexes").isTextual();
        boolean hasCount = rule.path("succeededCount").isNumber();
        if (!hasIndexes && !hasCount) {
            errors.required(place, "at least one of succeededCount or succeededIndexes must be specified");
        }
        long indexes = 0;
        if (hasIndexes) {
            String text = Json.text(rule, "succeededIndexes");
            try {
                indexes = indexes(text, number("completions"));
            } catch (IllegalArgumentException e) {
                errors.invalid(place + ".succeededIndexes", text, "error parsing succeededIndexes: " + e.getMessage());
            }
        }
        if (hasCount) {
            long count = rule.path("succeededCount").asLong();
            errors.notNegative(place + ".succeededCount", rule.path("succeededCount"));
            if (count > number("completions")) {
                errors.invalidValue(
                        place + ".succeededCount",
                        count,
                        "must be less than or equal to " + number("completions")
                                + " (the number of specified completions)");
            }
            if (hasIndexes && count > indexes) {
                errors.invalidValue(
                        place + ".succeededCount",
                        count,
                        "must be less than or equal to " + indexes
                                + " (the number of indexes in the specified succeededIndexes field)");
            }
        }
    }

    /** The number of indexes in a list such as {@code 0-2,5}. */
    private static long indexes(String text, long completions) {
        long total = 0;
        long last = -1;
        for (String interval :
                text.isEmpty() ? List.<String>of() : Splitter.on(',').splitToList(text)) {
            List<String> ends = Splitter.on('-').splitToList(interval);
            if (ends.size() > 2) {
                throw new IllegalArgumentException("the fragment \"" + interval
                        + "\" violates the requirement that an index interval can have at most two parts separated by"
                        + " '-'");
            }
            long first = index(ends.get(0), completions);
            long end = ends.size() == 1 ? first : index(ends.get(1), completions);
            if (ends.size() == 2 && first >= end) {
                throw new IllegalArgumentException("non-increasing order, previous: " + first + ", current: " + end);
            }
            if (last >= first) {
                throw new IllegalArgumentException("non-increasing order, previous: " + last + ", current: " + first);
            }
            total += end - first + 1;
            last = end;
        }
        return total;
    }

    private static long index(String text, long completions) {
        long index;
        try {
            index = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("cannot convert string to integer for index: \"" + text + "\"", e);
        }
        if (index >= completions) {
            throw new IllegalArgumentException("too large index: \"" + text + "\"");
        }
        return index;
    }

    /** Checks the schedule and the time zone of a CronJob. */
    static void schedule(JsonNode spec, Release release, FieldErrors errors) {
        String schedule = Json.text(spec, "schedule");
        if (schedule.isEmpty()) {
            errors.required("spec.schedule", "");
        } else {
            try {
                CronSchedule.parse(schedule, release);
            } catch (IllegalArgumentException e) {
                errors.invalid("spec.schedule", schedule, String.valueOf(e.getMessage()));
            }
            if (schedule.contains("TZ") && release.atLeast(29)) {
                errors.invalid(
                        "spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
            }
        }
        if (spec.path("timeZone").isTextual()) {
            timeZone(Json.text(spec, "timeZone"), errors);
        }
    }

    private static void timeZone(String zone, FieldErrors errors) {
        String place = "spec.timeZone";
        if (zone.isEmpty()) {
            errors.invalid(place, zone, "timeZone must be nil or non-empty string");
            return;
        }
        for (String part : Splitter.on('/').split(zone)) {
            if (List.of(".", "..").contains(part) || part.startsWith("-") || !part.matches(ZONE_FORM)) {
                errors.invalid(place, zone, "unknown time zone " + zone);
                return;
            }
        }
        if (zone.toLowerCase(Locale.ROOT).equals("local")) {
            errors.invalid(
                    place,
                    zone,
                    "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
        }
        boolean isKnown = zone.equals("UTC")
                || zone.equals("Local")
                || ZoneId.getAvailableZoneIds().contains(zone);
        if (!isKnown) {
            errors.invalid(place, zone, "unknown time zone " + zone);
        }
    }

    /**
     * Adds the errors of a change.
     *
     * @param immutable adds an error if a field of both objects differs
     */
    static void change(
            JsonNode present, ObjectNode proposed, Release release, Immutable immutable, FieldErrors errors) {
        JsonNode before = present.path("spec");
        JsonNode after = proposed.path("spec");
        boolean isElastic =
                release.atLeast(27) && Json.text(after, "completionMode").equals("Indexed");
        if (!isElastic) {
            immutable.check("spec.completions", before.path("completions"), after.path("completions"));
        } else if (after.path("completions").isNumber()
                && !after.path("completions").equals(before.path("completions"))
                && !after.path("completions").equals(after.path("parallelism"))) {
            errors.invalidValue(
                    "spec.completions",
                    after.path("completions"),
                    "can only be modified in tandem with spec.parallelism");
        }
        immutable.check("spec.selector", before.path("selector"), after.path("selector"));
        template(present, after.path("template"), release, immutable);
        for (String field : IMMUTABLE) {
            immutable.check("spec." + field, before.path(field), after.path(field));
        }
    }

    /** A check whether a field is the same. */
    @FunctionalInterface
    interface Immutable {
        void check(String field, JsonNode before, JsonNode after);
    }

    /** The template of a suspended Job without pods may get other nodes and, from 1.36 on, other resources. */
    private static void template(JsonNode present, JsonNode after, Release release, Immutable immutable) {
        JsonNode status = present.path("status");
        boolean isSuspended = present.path("spec").path("suspend").asBoolean();
        boolean isNotStarted = Json.text(status, "startTime").isEmpty();
        boolean isIdle = release.atLeast(36)
                && (isNotStarted || Conditions.isTrue(status, "Suspended"))
                && status.path("active").asLong() == 0;
        JsonNode before = present.path("spec").path("template");
        if (!isSuspended || !release.atLeast(23) || !(isNotStarted || isIdle)) {
            immutable.check("spec.template", before, after);
            return;
        }
        ObjectNode expected = before.deepCopy();
        for (String field : List.of("labels", "annotations")) {
            take(Json.child(expected, "metadata"), after.path("metadata"), field);
        }
        for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
            take(Json.child(expected, "spec"), after.path("spec"), field);
        }
        ObjectNode affinity = Json.child(Json.child(expected, "spec"), "affinity");
        take(affinity, Json.at(after, "spec", "affinity"), "nodeAffinity");
        if (!isIdle) {
            immutable.check("spec.template", expected, after);
            return;
        }
        for (String list : List.of("containers", "initContainers")) {
            JsonNode containers = expected.path("spec").path(list);
            JsonNode others = after.path("spec").path(list);
            for (int i = 0; i < containers.size() && containers.size() == others.size(); i++) {
                if (containers.path(i) instanceof ObjectNode container
                        && Json.text(container, "name").equals(Json.text(others.path(i), "name"))) {
                    take(container, others.path(i), "resources");
                }
            }
        }
        immutable.check("spec.template.spec", expected.path("spec"), after.path("spec"));
    }

    private static void take(ObjectNode target, JsonNode source, String field) {
        if (source.has(field)) {
            target.set(field, source.path(field));
        } else {
            target.remove(field);
        }
    }
}
