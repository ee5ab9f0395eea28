package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.primitives.Longs;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.QualifiedNames;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Validates the arguments of one plugin. Mirrors {@code validation_pluginargs.go} of each release, including texts and order. */
final class ArgumentsValidator {
    private static final int MAX_PERCENTAGE = 100;
    private static final int MAX_SHAPE_SCORE = 10;
    private static final int MAX_RESOURCE_WEIGHT = 100;
    private static final List<String> STRATEGIES =
            List.of("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio");

    private final FieldErrors errors;
    private final String path;
    private final Release release;

    /** @param release the release whose validation applies */
    ArgumentsValidator(FieldErrors errors, String path, Release release) {
        this.errors = errors;
        this.path = path;
        this.release = release;
    }

    void validate(String plugin, JsonNode args) {
        switch (plugin) {
            case PluginNames.DEFAULT_PREEMPTION -> preemption(args);
            case PluginNames.INTER_POD_AFFINITY -> between(path + ".hardPodAffinityWeight", args, 0, MAX_PERCENTAGE);
            case PluginNames.NODE_AFFINITY ->
                new NodeAffinityValidator(errors).validate(args.path("addedAffinity"), path + ".addedAffinity");
            case PluginNames.NODE_RESOURCES_BALANCED -> balanced(args);
            case PluginNames.NODE_RESOURCES_FIT -> fit(args);
            case PluginNames.POD_TOPOLOGY_SPREAD -> new TopologySpreadValidator(errors, path).validate(args);
            case PluginNames.VOLUME_BINDING -> volumeBinding(args);
            case PluginNames.REQUESTED_TO_CAPACITY_RATIO -> {
                shape(args.path("shape"), path + ".shape");
                resources(args.path("resources"), path + ".resources");
            }
            case PluginNames.NODE_RESOURCES_LEAST, PluginNames.NODE_RESOURCES_MOST ->
                resources(args.path("resources"), path + ".resources");
            case PluginNames.DYNAMIC_RESOURCES -> timeouts(args);
            default -> {
                // Nothing to check, or not an in-tree plugin.
            }
        }
    }

    private void preemption(JsonNode args) {
        String percentagePath = path + ".minCandidateNodesPercentage";
        String absolutePath = path + ".minCandidateNodesAbsolute";
        between(percentagePath, args, 0, MAX_PERCENTAGE);
        int percentage = args.path("minCandidateNodesPercentage").asInt();
        int absolute = args.path("minCandidateNodesAbsolute").asInt();
        if (absolute < 0) {
            errors.invalid(absolutePath, absolute, "not in valid range [0, inf)");
        }
        if (percentage == 0 && absolute == 0) {
            errors.invalid(percentagePath, 0, "cannot be zero at the same time as minCandidateNodesAbsolute");
            errors.invalid(absolutePath, 0, "cannot be zero at the same time as minCandidateNodesPercentage");
        }
    }

    private void between(String fieldPath, JsonNode parent, int min, int max) {
        int value =
                parent.path(fieldPath.substring(fieldPath.lastIndexOf('.') + 1)).asInt();
        if (value < min || value > max) {
            errors.invalid(fieldPath, value, "not in valid range [" + min + ", " + max + "]");
        }
    }

    private void balanced(JsonNode args) {
        Set<String> seen = new HashSet<>();
        JsonNode resources = args.path("resources");
        for (int i = 0; i < resources.size(); i++) {
            String resourcePath = path + ".resources[" + i + "]";
            String name = resources.get(i).path("name").asText("");
            if (!seen.add(name)) {
                errors.duplicate(resourcePath + ".name", name);
            }
            long weight = resources.get(i).path("weight").asLong();
            if (weight != 1) {
                errors.invalid(resourcePath + ".weight", weight, "must be 1");
            }
        }
    }

    private void fit(JsonNode args) {
        JsonNode ignored = args.path("ignoredResources");
        for (int i = 0; i < ignored.size(); i++) {
            labelName(path + ".ignoredResources[" + i + "]", ignored.get(i).asText());
        }
        JsonNode groups = args.path("ignoredResourceGroups");
        for (int i = 0; i < groups.size(); i++) {
            String groupPath = path + ".ignoredResourceGroups[" + i + "]";
            String group = groups.get(i).asText();
            if (group.contains("/")) {
                errors.invalid(groupPath, group, "resource group name can't contain '/'");
            }
            labelName(groupPath, group);
        }
        JsonNode strategy = args.path("scoringStrategy");
        if (strategy.isMissingNode()) {
            return;
        }
        boolean isNamed = SchedulerChange.SCORING_STRATEGY_PATHS.in(release);
        String strategyPath = isNamed ? path + ".scoringStrategy" : path;
        String type = strategy.path("type").asText("");
        // In earlier releases, the plugin fails when it is created.
        if (isNamed && !STRATEGIES.contains(type)) {
            errors.unsupported(strategyPath + ".type", type, STRATEGIES);
        }
        resources(strategy.path("resources"), strategyPath + ".resources");
        boolean isStrict = SchedulerChange.STRICT_SCORING_STRATEGY.in(release);
        if (isStrict && strategy.has("requestedToCapacityRatio") && !type.equals("RequestedToCapacityRatio")) {
            errors.forbidden(
                    strategyPath + ".requestedToCapacityRatio",
                    "must be nil when type is not RequestedToCapacityRatio");
        } else if (strategy.has("requestedToCapacityRatio")) {
            shape(
                    strategy.path("requestedToCapacityRatio").path("shape"),
                    strategyPath + (isStrict ? ".requestedToCapacityRatio" : "") + ".shape");
        } else if (type.equals("RequestedToCapacityRatio")) {
            // 1.34 panics here without a message; later releases report this.
            errors.required(
                    strategyPath + ".requestedToCapacityRatio",
                    "must be specified when type is RequestedToCapacityRatio");
        }
    }

    private void labelName(String fieldPath, String name) {
        QualifiedNames.problems(name).forEach(problem -> errors.invalid(fieldPath, name, problem));
    }

    private void resources(JsonNode resources, String resourcesPath) {
        for (int i = 0; i < resources.size(); i++) {
            long weight = resources.get(i).path("weight").asLong();
            if (weight <= 0 || weight > MAX_RESOURCE_WEIGHT) {
                String name = resources.get(i).path("name").asText("");
                errors.invalid(
                        resourcesPath + "[" + i + "].weight",
                        weight,
                        "resource weight of " + name + " not in valid range (0, 100]");
            }
        }
    }

    private void shape(JsonNode shape, String shapePath) {
        if (shape.isEmpty()) {
            errors.required(shapePath, "at least one point must be specified");
            return;
        }
        for (int i = 1; i < shape.size(); i++) {
            int utilization = shape.get(i).path("utilization").asInt();
            if (shape.get(i - 1).path("utilization").asInt() >= utilization) {
                errors.invalid(
                        shapePath + "[" + i + "].utilization",
                        utilization,
                        "values must be sorted in increasing order");
                break;
            }
        }
        for (int i = 0; i < shape.size(); i++) {
            between(shapePath + "[" + i + "].utilization", shape.get(i), 0, MAX_PERCENTAGE);
            between(shapePath + "[" + i + "].score", shape.get(i), 0, MAX_SHAPE_SCORE);
        }
    }

    private void volumeBinding(JsonNode args) {
        long timeout = args.path("bindTimeoutSeconds").asLong();
        if (timeout < 0) {
            errors.invalid(
                    path + ".bindTimeoutSeconds",
                    timeout,
                    "invalid BindTimeoutSeconds, should not be a negative value");
        }
        if (args.has("shape")) {
            errors.invalid(
                    path + ".shape",
                    FieldErrors.GoValue.ofShape(args.path("shape")),
                    "unexpected field `shape`, remove it or turn on the feature gate "
                            + (SchedulerChange.STORAGE_CAPACITY_SCORING.in(release)
                                    ? "StorageCapacityScoring"
                                    : "VolumeCapacityPriority"));
        }
    }

    private void timeouts(JsonNode args) {
        Duration timeout = GoDuration.parse(args.path("filterTimeout").asText("0"));
        if (timeout.isNegative()) {
            errors.invalid(path + ".filterTimeout", timeout, "must be zero or positive");
        }
        if (!args.has("bindingTimeout")) {
            return;
        }
        if (!SchedulerChange.DEVICES_OF_TODAY.in(release)) {
            errors.forbidden(
                    path + ".bindingTimeout",
                    "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled");
            return;
        }
        Duration binding = GoDuration.parse(args.path("bindingTimeout").asText("0"));
        if (binding.compareTo(Duration.ofSeconds(1)) < 0) {
            errors.invalid(path + ".bindingTimeout", binding, "must be at least 1 second");
        }
    }

    /**
     * Checks the added affinity of NodeAffinity. Mirrors {@code component-helpers/scheduling/corev1/nodeaffinity} and
     * {@code labels.NewRequirement}.
     */
    static final class NodeAffinityValidator {
        private static final int MAX_VALUE_LENGTH = 63;
        private static final List<String> OPERATORS = List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt");
        private static final List<String> FIELD_OPERATORS = List.of("In", "NotIn");
        private static final String VALUE_FORMAT = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
        private static final Pattern VALUE = Pattern.compile(VALUE_FORMAT);

        private final FieldErrors errors;

        NodeAffinityValidator(FieldErrors errors) {
            this.errors = errors;
        }

        void validate(JsonNode affinity, String path) {
            JsonNode terms = affinity.path("requiredDuringSchedulingIgnoredDuringExecution")
                    .path("nodeSelectorTerms");
            for (int i = 0; i < terms.size(); i++) {
                term(
                        terms.get(i),
                        path + ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[" + i + "]");
            }
            JsonNode preferred = affinity.path("preferredDuringSchedulingIgnoredDuringExecution");
            for (int i = 0; i < preferred.size(); i++) {
                // Kubernetes ignores a term with weight 0, so it is not validated. Kubernetes omits "preference" from
                // the path.
                if (preferred.get(i).path("weight").asInt() != 0) {
                    term(
                            preferred.get(i).path("preference"),
                            path + ".preferredDuringSchedulingIgnoredDuringExecution[" + i + "]");
                }
            }
        }

        private void term(JsonNode term, String path) {
            JsonNode expressions = term.path("matchExpressions");
            for (int i = 0; i < expressions.size(); i++) {
                expression(expressions.get(i), path + ".matchExpressions[" + i + "]");
            }
            JsonNode fields = term.path("matchFields");
            for (int i = 0; i < fields.size(); i++) {
                field(fields.get(i), path + ".matchFields[" + i + "]");
            }
        }

        private void expression(JsonNode expression, String path) {
            String operator = expression.path("operator").asText("");
            JsonNode values = expression.path("values");
            if (!OPERATORS.contains(operator)) {
                errors.unsupportedOperator(path + ".operator", operator, OPERATORS);
                return;
            }
            String key = expression.path("key").asText("");
            List<String> keyProblems = QualifiedNames.problems(key);
            if (!keyProblems.isEmpty()) {
                errors.invalid(path + ".key", key, String.join("; ", keyProblems));
            }
            String valuesPath = path + ".values";
            switch (operator) {
                case "In", "NotIn" -> {
                    if (values.isEmpty()) {
                        errors.invalid(
                                valuesPath,
                                FieldErrors.GoValue.ofStrings(values),
                                "for 'in', 'notin' operators, values set can't be empty");
                    }
                }
                case "Gt", "Lt" -> comparison(values, valuesPath);
                default -> {
                    if (!values.isEmpty()) {
                        errors.invalid(
                                valuesPath,
                                FieldErrors.GoValue.ofStrings(values),
                                "values set must be empty for exists and does not exist");
                    }
                }
            }
            for (int i = 0; i < values.size(); i++) {
                value(values.get(i).asText(), valuesPath + "[" + i + "][" + key + "]");
            }
        }

        private void comparison(JsonNode values, String path) {
            if (values.size() != 1) {
                errors.invalid(
                        path,
                        FieldErrors.GoValue.ofStrings(values),
                        "for 'Gt', 'Lt' operators, exactly one value is required");
            }
            for (int i = 0; i < values.size(); i++) {
                String value = values.get(i).asText();
                String digits = value.startsWith("+") ? value.substring(1) : value;
                if (Longs.tryParse(digits) == null) {
                    errors.invalid(
                            path + "[" + i + "]", value, "for 'Gt', 'Lt' operators, the value must be an integer");
                }
            }
        }

        private void value(String value, String path) {
            if (value.length() > MAX_VALUE_LENGTH) {
                errors.invalid(path, value, "must be no more than 63 characters");
            } else if (!VALUE.matcher(value).matches()) {
                errors.invalid(
                        path,
                        value,
                        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
                                + " start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345',"
                                + " regex used for validation is '" + VALUE_FORMAT + "')");
            }
        }

        private void field(JsonNode requirement, String path) {
            String operator = requirement.path("operator").asText("");
            JsonNode values = requirement.path("values");
            if (!FIELD_OPERATORS.contains(operator)) {
                errors.unsupportedOperator(path + ".operator", operator, FIELD_OPERATORS);
            } else if (values.size() != 1) {
                errors.invalid(path + ".values", FieldErrors.GoValue.ofStrings(values), "must have one element");
            }
        }
    }

    /** Checks the default constraints of PodTopologySpread. */
    static final class TopologySpreadValidator {
        private final FieldErrors errors;
        private final String path;

        TopologySpreadValidator(FieldErrors errors, String path) {
            this.errors = errors;
            this.path = path;
        }

        void validate(JsonNode args) {
            JsonNode constraints = args.path("defaultConstraints");
            // v1alpha2 has no type; its constraints are always a list.
            if (args.has("defaultingType")) {
                String type = args.path("defaultingType").asText();
                if (!type.equals("System") && !type.equals("List")) {
                    errors.unsupported(path + ".defaultingType", type, List.of("System", "List"));
                } else if (type.equals("System") && !constraints.isEmpty()) {
                    errors.invalid(path + ".defaultingType", type, "when .defaultConstraints are not empty");
                }
            }
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < constraints.size(); i++) {
                constraint(constraints.get(i), path + ".defaultConstraints[" + i + "]", seen);
            }
        }

        private void constraint(JsonNode constraint, String at, Set<String> seen) {
            int maxSkew = constraint.path("maxSkew").asInt();
            if (maxSkew <= 0) {
                errors.invalid(at + ".maxSkew", maxSkew, "not in valid range (0, inf)");
            }
            String key = constraint.path("topologyKey").asText("");
            if (key.isEmpty()) {
                errors.required(at + ".topologyKey", "can not be empty");
            } else {
                QualifiedNames.problems(key).forEach(problem -> errors.invalid(at + ".topologyKey", key, problem));
            }
            String action = constraint.path("whenUnsatisfiable").asText("");
            if (action.isEmpty()) {
                errors.required(at + ".whenUnsatisfiable", "can not be empty");
            } else if (!action.equals("DoNotSchedule") && !action.equals("ScheduleAnyway")) {
                errors.unsupported(at + ".whenUnsatisfiable", action, List.of("DoNotSchedule", "ScheduleAnyway"));
            }
            if (constraint.hasNonNull("labelSelector")) {
                errors.forbidden(
                        at + ".labelSelector", "constraint must not define a selector, as they deduced for each pod");
            }
            String identity = "{" + key + ", " + action + "}";
            if (!seen.add(identity)) {
                errors.duplicate(at, identity);
            }
        }
    }
}
