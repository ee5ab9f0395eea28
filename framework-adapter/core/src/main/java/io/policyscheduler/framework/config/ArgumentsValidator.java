package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.primitives.Longs;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.QualifiedNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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
        if (!SchedulerChange.ARGUMENTS_HAVE_PATHS.in(release)) {
            String problem = new FirstProblem(args).of(plugin);
            if (problem != null) {
                errors.inPlugin(path, problem);
                return;
            }
        }
        switch (plugin) {
            case PluginNames.DEFAULT_PREEMPTION -> preemption(args);
            case PluginNames.INTER_POD_AFFINITY -> between(path + ".hardPodAffinityWeight", args, 0, MAX_PERCENTAGE);
            case PluginNames.NODE_AFFINITY ->
                new NodeAffinityValidator(errors).validate(args.path("addedAffinity"), path + ".addedAffinity");
            case PluginNames.NODE_RESOURCES_BALANCED -> balanced(args);
            case PluginNames.NODE_RESOURCES_FIT -> fit(args);
            case PluginNames.POD_TOPOLOGY_SPREAD -> new TopologySpreadValidator(errors, path, release).validate(args);
            case PluginNames.VOLUME_BINDING -> volumeBinding(args);
            case PluginNames.REQUESTED_TO_CAPACITY_RATIO -> {
                shape(args.path("shape"), path + ".shape");
                JsonNode resources = args.path("resources");
                for (int i = 0; i < resources.size(); i++) {
                    long weight = resources.get(i).path("weight").asLong();
                    if (weight < 1) {
                        errors.invalid(
                                path + ".resources[" + i + "].weight",
                                weight,
                                "resource weight of "
                                        + resources.get(i).path("name").asText("") + " not in valid range [1, inf)");
                    }
                }
            }
            case PluginNames.NODE_LABEL -> {
                labels(args, "");
                labels(args, "Preference");
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

    /** Rejects labels that are both required to be present and to be absent, or both preferred. */
    private void labels(JsonNode args, String suffix) {
        List<String> present = FirstProblem.strings(args.path("presentLabels" + suffix));
        List<String> absent = FirstProblem.strings(args.path("absentLabels" + suffix));
        String before = SchedulerChange.ARGUMENTS_BEFORE_PLUGINS.in(release) ? path + "." : "";
        for (int i = 0; i < absent.size(); i++) {
            int other = present.lastIndexOf(absent.get(i));
            if (other >= 0) {
                errors.invalid(
                        path + ".presentLabels" + suffix + "[" + other + "]",
                        absent.get(i),
                        "conflict with " + before + "absentLabels" + suffix + "[" + i + "]");
            }
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
        if (!SchedulerChange.DEVICE_ARGUMENTS.in(release)) {
            return;
        }
        Duration timeout = GoDuration.parse(args.path("filterTimeout").asText("0"));
        if (timeout.isNegative()) {
            errors.invalid(path + ".filterTimeout", timeout, "must be zero or positive");
        }
        if (!args.has("bindingTimeout")) {
            return;
        }
        if (!SchedulerChange.DEVICE_FEATURES.in(release)) {
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

    /** The first problem of arguments in the words of 1.18 to 1.20, whose plugins check them in their constructors. */
    private record FirstProblem(JsonNode args) {
        static List<String> strings(JsonNode list) {
            List<String> values = new ArrayList<>();
            list.forEach(value -> values.add(value.asText()));
            return values;
        }

        /** Null if the arguments are valid, or are validated as in later releases. */
        @Nullable
        String of(String plugin) {
            return switch (plugin) {
                case PluginNames.DEFAULT_PREEMPTION -> preemption();
                case PluginNames.INTER_POD_AFFINITY -> {
                    int weight = args.path("hardPodAffinityWeight").asInt();
                    yield weight >= 0 && weight <= MAX_PERCENTAGE
                            ? null
                            : "hardPodAffinityWeight: Invalid value: " + weight + ": not in valid range [0-100]";
                }
                case PluginNames.NODE_LABEL -> {
                    String conflict = labels("");
                    yield conflict == null ? labels("Preference") : conflict;
                }
                case PluginNames.VOLUME_BINDING -> {
                    long timeout = args.path("bindTimeoutSeconds").asLong();
                    yield timeout > 0 ? null : "invalid BindTimeoutSeconds: " + timeout + ", must be positive integer";
                }
                case PluginNames.REQUESTED_TO_CAPACITY_RATIO -> {
                    String shape = shape(args.path("shape"));
                    yield shape == null
                            ? weights(1, Long.MAX_VALUE, "resource %s weight %d must not be less than 1", "")
                            : shape;
                }
                case PluginNames.NODE_RESOURCES_LEAST, PluginNames.NODE_RESOURCES_MOST ->
                    weights(
                            1,
                            MAX_RESOURCE_WEIGHT,
                            "resource Weight of %s should be a positive value, got %d",
                            "resource Weight of %s should be less than 100, got %d");
                default -> null;
            };
        }

        private @Nullable String preemption() {
            int percentage = args.path("minCandidateNodesPercentage").asInt();
            int absolute = args.path("minCandidateNodesAbsolute").asInt();
            if (percentage < 0 || percentage > MAX_PERCENTAGE) {
                return "minCandidateNodesPercentage is not in the range [0, 100]";
            }
            if (absolute < 0) {
                return "minCandidateNodesAbsolute is not in the range [0, inf)";
            }
            return percentage == 0 && absolute == 0
                    ? "both minCandidateNodesPercentage and minCandidateNodesAbsolute cannot be zero"
                    : null;
        }

        private @Nullable String labels(String suffix) {
            List<String> present = strings(args.path("presentLabels" + suffix));
            List<String> absent = strings(args.path("absentLabels" + suffix));
            return absent.stream()
                    .filter(present::contains)
                    .findFirst()
                    .map(label -> "detecting at least one label (e.g., " + GoText.quote(label)
                            + ") that exist in both the present([" + String.join(" ", present) + "]) and absent(["
                            + String.join(" ", absent) + "]) label list")
                    .orElse(null);
        }

        private @Nullable String weights(long min, long max, String tooSmall, String tooLarge) {
            for (JsonNode resource : args.path("resources")) {
                long weight = resource.path("weight").asLong();
                if (weight < min || weight > max) {
                    String name = resource.path("name").asText("");
                    return String.format(Locale.ROOT, weight < min ? tooSmall : tooLarge, name, weight);
                }
            }
            return null;
        }

        private static @Nullable String shape(JsonNode shape) {
            if (shape.isEmpty()) {
                return "at least one point must be specified";
            }
            for (int i = 1; i < shape.size(); i++) {
                int before = shape.get(i - 1).path("utilization").asInt();
                int utilization = shape.get(i).path("utilization").asInt();
                if (before >= utilization) {
                    return "utilization values must be sorted. Utilization[" + (i - 1) + "]==" + before
                            + " >= Utilization[" + i + "]==" + utilization;
                }
            }
            for (int i = 0; i < shape.size(); i++) {
                String problem = range("utilization", "Utilization", MAX_PERCENTAGE, i, shape.get(i));
                problem = problem == null ? range("score", "Score", MAX_SHAPE_SCORE, i, shape.get(i)) : problem;
                if (problem != null) {
                    return problem;
                }
            }
            return null;
        }

        private static @Nullable String range(String field, String goField, int max, int index, JsonNode point) {
            int value = point.path(field).asInt();
            if (value >= 0 && value <= max) {
                return null;
            }
            return field + " values must not be " + (value < 0 ? "less than 0" : "greater than " + max) + ". " + goField
                    + "[" + index + "]==" + value;
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
        private final boolean isOld;

        TopologySpreadValidator(FieldErrors errors, String path, Release release) {
            this.errors = errors;
            this.path = path;
            this.isOld = !SchedulerChange.ARGUMENTS_HAVE_PATHS.in(release);
        }

        void validate(JsonNode args) {
            JsonNode constraints = args.path("defaultConstraints");
            // v1alpha2 has no type; its constraints are always a list.
            if (args.has("defaultingType")) {
                String type = args.path("defaultingType").asText();
                boolean isKnown = type.equals("System") || type.equals("List");
                if (!isKnown && isOld) {
                    errors.invalid(path + ".defaultingType", type, "must be one of {\"System\", \"List\"}");
                } else if (!isKnown) {
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
                errors.invalid(
                        at + ".maxSkew", maxSkew, isOld ? "must be greater than zero" : "not in valid range (0, inf)");
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
