package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.server.Tables.Ages;
import io.policyscheduler.cmd.embedded.server.Tables.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The columns of workloads (printDeployment, printReplicaSet and so on). */
final class WorkloadColumns {
    private final Ages ages;

    private WorkloadColumns(Ages ages) {
        this.ages = ages;
    }

    /** The columns by resource. */
    static Map<String, List<Column>> of(Ages ages) {
        WorkloadColumns columns = new WorkloadColumns(ages);
        return ImmutableMap.<String, List<Column>>builder()
                .put("deployments.apps", columns.deployments())
                .put("replicasets.apps", columns.replicaSets())
                .put("replicationcontrollers", columns.replicaSets())
                .put("statefulsets.apps", columns.statefulSets())
                .put("daemonsets.apps", columns.daemonSets())
                .put("controllerrevisions.apps", columns.revisions())
                .put("jobs.batch", columns.jobs())
                .put("cronjobs.batch", columns.cronJobs())
                .buildOrThrow();
    }

    private List<Column> deployments() {
        return withContainers(
                true,
                Column.ofName(),
                ready("/status/readyReplicas"),
                Column.number("Up-to-date", "/status/updatedReplicas"),
                Column.number("Available", "/status/availableReplicas"),
                ages.column());
    }

    private static Column ready(String path) {
        return Column.text(
                "Ready",
                object -> object.at(path).asInt() + "/"
                        + object.at("/spec/replicas").asInt());
    }

    private List<Column> replicaSets() {
        return withContainers(
                true,
                Column.ofName(),
                Column.number("Desired", "/spec/replicas"),
                Column.number("Current", "/status/replicas"),
                Column.number("Ready", "/status/readyReplicas"),
                ages.column());
    }

    private List<Column> statefulSets() {
        return withContainers(false, Column.ofName(), ready("/status/readyReplicas"), ages.column());
    }

    private List<Column> daemonSets() {
        return withContainers(
                true,
                Column.ofName(),
                Column.number("Desired", "/status/desiredNumberScheduled"),
                Column.number("Current", "/status/currentNumberScheduled"),
                Column.number("Ready", "/status/numberReady"),
                Column.number("Up-to-date", "/status/updatedNumberScheduled"),
                Column.number("Available", "/status/numberAvailable"),
                Column.text("Node Selector", set -> labels(set.at("/spec/template/spec/nodeSelector"))),
                ages.column());
    }

    private List<Column> revisions() {
        return List.of(
                Column.ofName(),
                Column.text("Controller", WorkloadColumns::owner),
                Column.number("Revision", "/revision"),
                ages.column());
    }

    private static String owner(JsonNode object) {
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                String apiVersion = Json.text(owner, "apiVersion");
                int slash = apiVersion.indexOf('/');
                String group = slash < 0 ? "" : "." + apiVersion.substring(0, slash);
                return Json.text(owner, "kind").toLowerCase(Locale.ROOT) + group + "/" + Json.text(owner, "name");
            }
        }
        return Column.NONE;
    }

    private List<Column> jobs() {
        return withContainers(
                true,
                Column.ofName(),
                Column.text("Status", WorkloadColumns::jobStatus),
                Column.text("Completions", WorkloadColumns::completions),
                Column.text(
                        "Duration", job -> ages.between(Ages.start(job), Json.text(job, "status", "completionTime"))),
                ages.column());
    }

    private static String jobStatus(JsonNode job) {
        for (String state : List.of("Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet")) {
            if (Conditions.isTrue(job.path("status"), state)) {
                return state;
            }
        }
        return job.path("metadata").has("deletionTimestamp") ? "Terminating" : "Running";
    }

    private static String completions(JsonNode job) {
        int succeeded = job.at("/status/succeeded").asInt();
        if (job.path("spec").path("completions").isNumber()) {
            return succeeded + "/" + job.path("spec").path("completions").asInt();
        }
        int parallelism = job.at("/spec/parallelism").asInt();
        return succeeded + "/1" + (parallelism > 1 ? " of " + parallelism : "");
    }

    private List<Column> cronJobs() {
        List<Column> columns = new ArrayList<>(List.of(
                Column.ofName(),
                Column.text("Schedule", job -> Json.text(job, "spec", "schedule")),
                Column.text("Timezone", job -> Column.orNone(Json.text(job, "spec", "timeZone"))),
                Column.text("Suspend", job -> job.at("/spec/suspend").asBoolean() ? "True" : "False"),
                Column.number("Active", job -> job.at("/status/active").size()),
                Column.text("Last Schedule", job -> {
                    String last = Json.text(job, "status", "lastScheduleTime");
                    return last.isEmpty() ? Column.NONE : ages.since(last);
                }),
                ages.column()));
        columns.add(Column.wide("Containers", job -> containers(job.at("/spec/jobTemplate/spec"), "name")));
        columns.add(Column.wide("Images", job -> containers(job.at("/spec/jobTemplate/spec"), "image")));
        columns.add(Column.wide("Selector", job -> selector(job.at("/spec/jobTemplate/spec/selector"))));
        return List.copyOf(columns);
    }

    private static List<Column> withContainers(boolean selector, Column... first) {
        List<Column> columns = new ArrayList<>(List.of(first));
        columns.add(Column.wide("Containers", object -> containers(object.path("spec"), "name")));
        columns.add(Column.wide("Images", object -> containers(object.path("spec"), "image")));
        if (selector) {
            columns.add(Column.wide("Selector", object -> selector(object.at("/spec/selector"))));
        }
        return List.copyOf(columns);
    }

    private static String containers(JsonNode spec, String field) {
        List<String> texts = new ArrayList<>();
        spec.at("/template/spec/containers").forEach(container -> texts.add(Json.text(container, field)));
        return String.join(",", texts);
    }

    /** A selector as text; matchExpressions in the form of queries. */
    static String selector(JsonNode selector) {
        if (!selector.has("matchLabels") && !selector.has("matchExpressions")) {
            return labels(selector);
        }
        List<String> terms = new ArrayList<>();
        selector.path("matchLabels")
                .properties()
                .forEach(l -> terms.add(l.getKey() + "=" + l.getValue().asText()));
        for (JsonNode expression : selector.path("matchExpressions")) {
            String key = Json.text(expression, "key");
            List<String> values = new ArrayList<>();
            expression.path("values").forEach(value -> values.add(value.asText()));
            String list = "(" + String.join(",", values) + ")";
            switch (Json.text(expression, "operator")) {
                case "In" -> terms.add(key + " in " + list);
                case "NotIn" -> terms.add(key + " notin " + list);
                case "Exists" -> terms.add(key);
                default -> terms.add("!" + key);
            }
        }
        return Column.orNone(String.join(",", terms));
    }

    static String labels(JsonNode labels) {
        List<String> terms = new ArrayList<>();
        labels.properties()
                .forEach(label ->
                        terms.add(label.getKey() + "=" + label.getValue().asText()));
        return Column.orNone(String.join(",", terms.stream().sorted().toList()));
    }

    /** The columns of pods (printPod). */
    static final class PodColumns {
        private PodColumns() {}

        static List<Column> of(Ages ages) {
            return List.of(
                    Column.ofName(),
                    Column.text("Ready", PodColumns::readiness),
                    Column.text("Status", PodColumns::status),
                    Column.text("Restarts", pod -> restarts(pod, ages)),
                    ages.column(),
                    Column.wide("IP", pod -> Column.orNone(Json.text(pod, "status", "podIP"))),
                    Column.wide("Node", pod -> Column.orNone(Json.text(pod, "spec", "nodeName"))),
                    Column.wide("Nominated Node", pod -> Column.orNone(Json.text(pod, "status", "nominatedNodeName"))),
                    Column.wide("Readiness Gates", PodColumns::gates));
        }

        private static String readiness(JsonNode pod) {
            int ready = 0;
            for (JsonNode container : pod.path("status").path("containerStatuses")) {
                ready += container.path("ready").asBoolean() ? 1 : 0;
            }
            return ready + "/" + pod.path("spec").path("containers").size();
        }

        private static String status(JsonNode pod) {
            String reason = Json.text(pod, "status", "reason");
            for (JsonNode container : pod.path("status").path("containerStatuses")) {
                JsonNode state = container.path("state");
                String waiting = Json.text(state, "waiting", "reason");
                String terminated = Json.text(state, "terminated", "reason");
                if (!waiting.isEmpty() || !terminated.isEmpty()) {
                    reason = waiting.isEmpty() ? terminated : waiting;
                }
            }
            if (pod.path("metadata").has("deletionTimestamp")) {
                return reason.equals("NodeLost") ? "Unknown" : "Terminating";
            }
            if (reason.isEmpty() && isGated(pod)) {
                return "SchedulingGated";
            }
            return reason.isEmpty() ? Json.text(pod, "status", "phase") : reason;
        }

        private static boolean isGated(JsonNode pod) {
            return Json.text(Conditions.find(pod.path("status"), "PodScheduled"), "reason")
                    .equals("SchedulingGated");
        }

        private static String restarts(JsonNode pod, Ages ages) {
            int restarts = 0;
            String last = "";
            for (JsonNode container : pod.path("status").path("containerStatuses")) {
                restarts += container.path("restartCount").asInt();
                String ended = Json.text(container, "lastState", "terminated", "finishedAt");
                last = ended.compareTo(last) > 0 ? ended : last;
            }
            return restarts > 0 && !last.isEmpty()
                    ? restarts + " (" + ages.since(last) + " ago)"
                    : Integer.toString(restarts);
        }

        private static String gates(JsonNode pod) {
            JsonNode gates = pod.path("spec").path("readinessGates");
            if (gates.isEmpty()) {
                return Column.NONE;
            }
            int passed = 0;
            for (JsonNode gate : gates) {
                passed += Conditions.isTrue(pod.path("status"), Json.text(gate, "conditionType")) ? 1 : 0;
            }
            return passed + "/" + gates.size();
        }
    }
}
