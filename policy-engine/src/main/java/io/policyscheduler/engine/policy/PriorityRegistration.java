package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.cluster.FeatureGates;
import io.policyscheduler.engine.rules.RuleDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Takes the priority entries of a Policy one after the other, mirrors {@code RegisterCustomPriorityFunction}. */
final class PriorityRegistration {
    private static final int SCORE_FACTOR = 10;

    private final String file;
    private final AlgorithmCatalog catalog;
    private final PolicyWarnings warnings;
    private final PolicyRules rules;
    private final Map<String, Long> registered;
    private final boolean strict;
    private final Map<String, List<SourcePosition>> keys = new LinkedHashMap<>();
    private final List<PolicyProblem> problems = new ArrayList<>();
    private final List<WeightedLabel> preferences = new ArrayList<>();
    private final List<WeightedLabel> antiAffinities = new ArrayList<>();
    final List<PriorityArgument.ShapePoint> ratioShape = new ArrayList<>();
    final Map<String, Long> ratioResources = new LinkedHashMap<>();

    /** @param strict refuse the names that other releases than v1.17 had */
    PriorityRegistration(
            String file,
            FeatureGates gates,
            AlgorithmCatalog catalog,
            PolicyWarnings warnings,
            PolicyRules rules,
            boolean strict) {
        this.file = file;
        this.strict = strict;
        this.rules = rules;
        this.catalog = catalog;
        this.warnings = warnings;
        this.registered = new HashMap<>(KnownAlgorithms.priorityWeights());
        registered.remove(KnownAlgorithms.NODE_LABEL);
        registered.remove(KnownAlgorithms.SERVICE_AFFINITY);
        registered.remove(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO);
        if (!gates.enabled(FeatureGates.EVEN_PODS_SPREAD)) {
            registered.remove(KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY);
        }
        if (!gates.enabled(FeatureGates.RESOURCE_LIMITS_PRIORITY_FUNCTION)) {
            registered.remove(KnownAlgorithms.RESOURCE_LIMITS_PRIORITY);
        }
    }

    /** Configured keys and the entries that led to them. */
    Map<String, List<SourcePosition>> keys() {
        return keys;
    }

    /** Labels that nodes should have, once for each share of their weight. */
    List<String> presentLabels() {
        return WeightedLabel.shares(preferences, true);
    }

    /** Labels that nodes should not have, once for each share of their weight. */
    List<String> absentLabels() {
        return WeightedLabel.shares(preferences, false);
    }

    /** Labels to spread services over, once for each share of their weight. */
    List<String> antiAffinityLabels() {
        return WeightedLabel.shares(antiAffinities, true);
    }

    /** Warns where entries of one kind have different weights. */
    void warnAboutWeights() {
        WeightedLabel.firstOfOtherWeight(preferences)
                .ifPresent(label -> warnings.differentWeights("labelPreference", label.position()));
        WeightedLabel.firstOfOtherWeight(antiAffinities)
                .ifPresent(label -> warnings.differentWeights("serviceAntiAffinity", label.position()));
    }

    long weight(String key) {
        return registered.getOrDefault(key, 1L);
    }

    List<PolicyProblem> problems() {
        return problems;
    }

    void add(PriorityPolicy entry) {
        PriorityArgument argument = entry.argument();
        // EqualPriority is skipped by its name, whatever else the entry says.
        if (entry.name().equals(KnownAlgorithms.EQUAL_PRIORITY)) {
            warnings.add(
                    PolicyWarning.EQUAL_PRIORITY,
                    "EqualPriority gives every node the same score and is skipped",
                    entry.position());
        } else if (argument == null) {
            addPlain(entry);
        } else if (argument.members() != 1) {
            problems.add(PolicyProblem.at(
                    PolicyProblem.ARGUMENT_COUNT,
                    "Exactly 1 priority argument is required, numArgs: " + argument.members() + ", Priority: "
                            + entry.name(),
                    file,
                    entry.position(),
                    entry.name()));
        } else {
            addArgument(entry, argument);
        }
    }

    private void addArgument(PriorityPolicy entry, PriorityArgument argument) {
        RuleDefinition rule = argument.rule();
        if (rule != null) {
            String name = entry.name();
            boolean taken = keys.containsKey(name)
                    || KnownAlgorithms.priorityWeights().containsKey(name)
                    || catalog.hasPriority(name);
            rules.checkNames(name, rule, taken);
            rules.priority(rule);
            use(name, entry.weight(), entry.position());
            return;
        }
        String key = KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO;
        long weight = entry.weight();
        if (argument.labelPreference() != null) {
            key = KnownAlgorithms.NODE_LABEL;
            PriorityArgument.LabelPreference preference = argument.labelPreference();
            preferences.add(new WeightedLabel(preference.label(), preference.presence(), weight, entry.position()));
            warnings.labels(List.of(preference.label()), "labelPreference", entry.position());
            weight += registered.getOrDefault(key, 0L);
        } else if (argument.serviceAntiAffinity() != null) {
            key = KnownAlgorithms.SERVICE_AFFINITY;
            antiAffinities.add(
                    new WeightedLabel(argument.serviceAntiAffinity().label(), true, weight, entry.position()));
            warnings.labels(List.of(argument.serviceAntiAffinity().label()), "serviceAntiAffinity", entry.position());
            weight += registered.getOrDefault(key, 0L);
        } else if (argument.requestedToCapacityRatio() != null) {
            addRatio(entry, argument.requestedToCapacityRatio());
        }
        if (!entry.name().equals(key) && KnownAlgorithms.priorityWeights().containsKey(entry.name())) {
            warnings.nameOverridden(entry.name(), key, entry.position());
        }
        use(key, weight, entry.position());
    }

    private void addRatio(PriorityPolicy entry, PriorityArgument.RatioArguments ratio) {
        ratioShape.clear();
        ratioResources.clear();
        for (PriorityArgument.ShapePoint point : ratio.shape()) {
            ratioShape.add(new PriorityArgument.ShapePoint(point.utilization(), point.score() * SCORE_FACTOR));
        }
        String error = shapeError(ratioShape);
        if (error != null) {
            problems.add(PolicyProblem.at(
                    PolicyProblem.SHAPE,
                    "invalid RequestedToCapacityRatioPriority arguments: " + error,
                    file,
                    entry.position(),
                    entry.name()));
        }
        for (PriorityArgument.ResourceWeight resource : ratio.resources()) {
            warnings.ratioResource(resource, ratioResources.containsKey(resource.name()));
            ratioResources.put(resource.name(), resource.weight() == 0 ? 1 : resource.weight());
        }
        if (ratioResources.isEmpty()) {
            ratioResources.put("cpu", 1L);
            ratioResources.put("memory", 1L);
        }
    }

    private static @Nullable String shapeError(List<PriorityArgument.ShapePoint> shape) {
        if (shape.isEmpty()) {
            return "at least one point must be specified";
        }
        for (int i = 1; i < shape.size(); i++) {
            int before = shape.get(i - 1).utilization();
            int after = shape.get(i).utilization();
            if (before >= after) {
                return "utilization values must be sorted. Utilization[" + (i - 1) + "]==" + before + " >= Utilization["
                        + i + "]==" + after;
            }
        }
        for (int i = 0; i < shape.size(); i++) {
            String error = pointError(shape.get(i), "[" + i + "]==");
            if (error != null) {
                return error;
            }
        }
        return null;
    }

    /** The misspelling in the last text is that of v1.17. */
    private static @Nullable String pointError(PriorityArgument.ShapePoint point, String index) {
        if (point.utilization() < 0) {
            return "utilization values must not be less than 0. Utilization" + index + point.utilization();
        }
        if (point.utilization() > 100) {
            return "utilization values must not be greater than 100. Utilization" + index + point.utilization();
        }
        if (point.score() < 0) {
            return "score values must not be less than 0. Score" + index + point.score();
        }
        return point.score() > 100 ? "score valuses not be greater than 100. Score" + index + point.score() : null;
    }

    private void addPlain(PriorityPolicy entry) {
        String name = entry.name();
        boolean own = !KnownAlgorithms.priorityWeights().containsKey(name) && catalog.hasPriority(name);
        if (!own && !registered.containsKey(name)) {
            Optional<HistoricName> historic = strict ? Optional.empty() : HistoricNames.priority(name);
            if (historic.isEmpty()) {
                problems.add(UnknownNames.problem(false, name, strict, file, entry.position()));
                return;
            }
            warnings.add(PolicyWarning.NAME_CHANGED, historic.get().describe(), entry.position());
        }
        boolean fromArgument = KnownAlgorithms.priorityWeights().getOrDefault(name, 1L) == 0;
        if (fromArgument) {
            warnings.add(
                    PolicyWarning.WEIGHT_REPLACED,
                    "the plain entry " + name + " replaces the weight " + weight(name)
                            + " that the argument entries before it add up to",
                    entry.position());
        } else if (keys.containsKey(name)) {
            warnings.add(
                    PolicyWarning.DUPLICATE_NAME,
                    "priority " + name + " is listed twice; the last weight, " + entry.weight() + ", counts",
                    entry.position());
        }
        use(name, entry.weight(), entry.position());
    }

    private void use(String key, long weight, SourcePosition position) {
        registered.put(key, weight);
        keys.computeIfAbsent(key, unused -> new ArrayList<>()).add(position);
    }
}
