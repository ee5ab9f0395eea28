package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy.SeparateLabel;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.Policy.PredicateArgument;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import io.policyscheduler.engine.rules.RuleDefinition;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Registers the entries of a Policy, with the arguments that entries of one kind share. */
abstract class PolicyRegistration {
    final String file;
    final AlgorithmRegistry registry;
    final PolicyWarnings warnings;
    final PolicyRules rules;
    final boolean strict;
    final Map<String, List<SourcePosition>> keys = new LinkedHashMap<>();
    final Map<SourcePosition, String> namesInFile = new HashMap<>();
    final List<Problem> problems = new ArrayList<>();

    /** @param strict whether to reject names of other releases than v1.17 */
    private PolicyRegistration(
            String file, AlgorithmRegistry registry, PolicyWarnings warnings, PolicyRules rules, boolean strict) {
        this.file = file;
        this.registry = registry;
        this.warnings = warnings;
        this.rules = rules;
        this.strict = strict;
    }

    /** Registered keys and their entries. */
    final Map<String, List<SourcePosition>> keys() {
        return keys;
    }

    /** Names in the file that are not keys, by position: deprecated ones, and those of entries with arguments, which are free text. */
    final Map<SourcePosition, String> namesInFile() {
        return namesInFile;
    }

    final List<Problem> problems() {
        return problems;
    }

    final void rejectArguments(String message, String name, SourcePosition position) {
        problems.add(Problem.at(PolicyProblemCode.ARGUMENT_COUNT, message + name, file, position, name));
    }

    /** The predicates. Mirrors {@code RegisterCustomFitPredicate}. */
    static final class Predicates extends PolicyRegistration {
        private final Set<String> registered = new TreeSet<>();
        private final Set<String> listed = new HashSet<>();
        final List<String> presentLabels = new ArrayList<>();
        final List<String> absentLabels = new ArrayList<>();
        final List<String> affinityLabels = new ArrayList<>();

        Predicates(
                String file,
                FeatureGates gates,
                AlgorithmRegistry registry,
                PolicyWarnings warnings,
                PolicyRules rules,
                boolean strict) {
            super(file, registry, warnings, rules, strict);
            for (KnownAlgorithm known : KnownAlgorithms.predicateRows()) {
                if (known.isListable(gates)) {
                    registered.add(known.name());
                }
            }
        }

        void add(PredicatePolicy entry) {
            PredicateArgument argument = entry.argument();
            if (argument == null) {
                addPlain(entry);
                return;
            }
            int members = argument.members();
            if (members != 1) {
                rejectArguments(
                        "Exactly 1 predicate argument is required, numArgs: " + members + ", Predicate: ",
                        entry.name(),
                        entry.position());
                return;
            }
            RuleDefinition rule = argument.rule();
            if (rule != null) {
                String name = entry.name();
                boolean taken = keys.containsKey(name)
                        || KnownAlgorithms.predicates().contains(name)
                        || registry.hasPredicate(name);
                rules.checkNames(name, rule, taken);
                rules.predicate(rule);
                use(name, entry.position());
                return;
            }
            String key = KnownAlgorithms.CHECK_SERVICE_AFFINITY;
            if (argument.serviceAffinity() != null) {
                affinityLabels.addAll(argument.serviceAffinity().labels());
                warnings.labels(argument.serviceAffinity().labels(), "serviceAffinity", entry.position());
            }
            if (argument.labelsPresence() != null) {
                key = KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE;
                PredicateArgument.LabelsPresence presence = argument.labelsPresence();
                (presence.presence() ? presentLabels : absentLabels).addAll(presence.labels());
                warnings.labels(presence.labels(), "labelsPresence", entry.position());
            }
            if (KnownAlgorithms.predicates().contains(entry.name())
                    && !entry.name().equals(key)) {
                warnings.nameOverridden(entry.name(), key, entry.position());
            }
            registered.add(key);
            listed.add(key);
            if (!entry.name().equals(key)) {
                namesInFile.put(entry.position(), entry.name());
            }
            use(key, entry.position());
        }

        private void addPlain(PredicatePolicy entry) {
            String name = entry.name();
            boolean own = !KnownAlgorithms.predicates().contains(name)
                    && !KnownAlgorithms.NO_RESOURCE_CLAIMS.equals(name)
                    && !(strict && KnownAlgorithms.DYNAMIC_RESOURCES.equals(name))
                    && !(strict && KnownAlgorithms.NODE_DECLARED_FEATURES.equals(name))
                    && registry.hasPredicate(name);
            if (own || registered.contains(name)) {
                note(name, entry.position());
                use(name, entry.position());
                return;
            }
            Optional<HistoricName> historic = strict ? Optional.empty() : PolicyNameHistory.predicate(name);
            if (historic.isEmpty()) {
                problems.add(PolicyValidator.unknownNameProblem(true, name, strict, file, entry.position()));
                return;
            }
            note(name, entry.position());
            warnings.add(PolicyWarningCode.NAME_CHANGED, historic.get().describe(), entry.position());
            for (String key : historic.get().successors()) {
                use(key, entry.position());
                if (!key.equals(name)) {
                    namesInFile.put(entry.position(), name);
                }
            }
        }

        private void note(String name, SourcePosition position) {
            if (!listed.add(name)) {
                warnings.add(
                        PolicyWarningCode.DUPLICATE_NAME,
                        "predicate " + name + " is listed twice; the second entry has no effect",
                        "remove one of the entries",
                        position);
            }
        }

        private void use(String key, SourcePosition position) {
            keys.computeIfAbsent(key, unused -> new ArrayList<>()).add(position);
        }
    }

    /** The priorities. Mirrors {@code RegisterCustomPriorityFunction}. */
    static final class Priorities extends PolicyRegistration {
        private static final int SCORE_FACTOR = 10;

        private final Map<String, Long> registered = new HashMap<>();

        private final List<WeightedLabel> preferences = new ArrayList<>();
        private final List<WeightedLabel> antiAffinities = new ArrayList<>();
        private final Map<String, SeparateLabel> separate = new LinkedHashMap<>();
        private boolean separatePreferences;
        private boolean separateAntiAffinities;
        final List<PriorityArgument.ShapePoint> ratioShape = new ArrayList<>();
        final Map<String, Long> ratioResources = new LinkedHashMap<>();

        Priorities(
                String file,
                FeatureGates gates,
                AlgorithmRegistry registry,
                PolicyWarnings warnings,
                PolicyRules rules,
                boolean strict) {
            super(file, registry, warnings, rules, strict);
            for (KnownAlgorithm known : KnownAlgorithms.priorityRows()) {
                if (known.isListable(gates)) {
                    registered.put(known.name(), known.weight());
                }
            }
        }

        /** Labels preferred present, once for each share of their weight. */
        List<String> presentLabels() {
            return WeightedLabel.shares(preferences, true);
        }

        /** Labels preferred absent, once for each share of their weight. */
        List<String> absentLabels() {
            return WeightedLabel.shares(preferences, false);
        }

        /** Labels to spread services over, once for each share of their weight. */
        List<String> antiAffinityLabels() {
            return WeightedLabel.shares(antiAffinities, true);
        }

        /** Warns about different weights of entries of one kind. */
        void warnAboutWeights() {
            WeightedLabel.firstOfOtherWeight(preferences)
                    .ifPresent(label -> warnings.differentWeights("labelPreference", label.position()));
            WeightedLabel.firstOfOtherWeight(antiAffinities)
                    .ifPresent(label -> warnings.differentWeights("serviceAntiAffinity", label.position()));
        }

        long weight(String key) {
            return registered.getOrDefault(key, 1L);
        }

        /**
         * Makes entries of one kind with different weights separate priorities, as they were up to 1.16: the average of one priority
         * for all of them is an integer and loses precision. v1.17 rejects such a policy.
         */
        void separateDifferentWeights(List<PriorityPolicy> entries) {
            separatePreferences = !strict && differ(entries, argument -> argument.labelPreference() != null);
            separateAntiAffinities = !strict && differ(entries, argument -> argument.serviceAntiAffinity() != null);
        }

        private static boolean differ(List<PriorityPolicy> entries, Predicate<PriorityArgument> kind) {
            return entries.stream()
                            .filter(entry -> entry.argument() != null && kind.test(entry.argument()))
                            .map(PriorityPolicy::weight)
                            .distinct()
                            .count()
                    > 1;
        }

        /** The entries that are separate priorities, by key. */
        Map<String, SeparateLabel> separate() {
            return separate;
        }

        private void separate(PriorityPolicy entry, SeparateLabel label) {
            String key = entry.name();
            for (int i = 2;
                    keys.containsKey(key) || KnownAlgorithms.priorities().contains(key) || registry.hasPriority(key);
                    i++) {
                key = entry.name() + "-" + i;
            }
            if (!entry.name().equals(key)) {
                namesInFile.put(entry.position(), entry.name());
            }
            separate.put(key, label);
            use(key, entry.weight(), entry.position());
        }

        void add(PriorityPolicy entry) {
            PriorityArgument argument = entry.argument();
            // EqualPriority is skipped by name, with any argument.
            if (entry.name().equals(KnownAlgorithms.EQUAL_PRIORITY)) {
                warnings.add(
                        PolicyWarningCode.EQUAL_PRIORITY,
                        "EqualPriority gives every node the same score and is skipped",
                        "remove the entry",
                        entry.position());
            } else if (argument == null) {
                addPlain(entry);
            } else if (argument.members() != 1) {
                rejectArguments(
                        "Exactly 1 priority argument is required, numArgs: " + argument.members() + ", Priority: ",
                        entry.name(),
                        entry.position());
            } else {
                addArgument(entry, argument);
            }
        }

        private void addArgument(PriorityPolicy entry, PriorityArgument argument) {
            RuleDefinition rule = argument.rule();
            if (rule != null) {
                String name = entry.name();
                boolean taken = keys.containsKey(name)
                        || KnownAlgorithms.priorities().contains(name)
                        || registry.hasPriority(name);
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
                if (separatePreferences) {
                    separate(entry, new SeparateLabel(key, preference.label(), preference.presence()));
                    return;
                }
                weight += registered.getOrDefault(key, 0L);
            } else if (argument.serviceAntiAffinity() != null) {
                key = KnownAlgorithms.SERVICE_AFFINITY;
                antiAffinities.add(
                        new WeightedLabel(argument.serviceAntiAffinity().label(), true, weight, entry.position()));
                warnings.labels(
                        List.of(argument.serviceAntiAffinity().label()), "serviceAntiAffinity", entry.position());
                if (separateAntiAffinities) {
                    separate(
                            entry,
                            new SeparateLabel(
                                    key, argument.serviceAntiAffinity().label(), true));
                    return;
                }
                weight += registered.getOrDefault(key, 0L);
            } else if (argument.requestedToCapacityRatio() != null) {
                addRatio(entry, argument.requestedToCapacityRatio());
            }
            if (!entry.name().equals(key) && KnownAlgorithms.priorities().contains(entry.name())) {
                warnings.nameOverridden(entry.name(), key, entry.position());
            }
            if (!entry.name().equals(key)) {
                namesInFile.put(entry.position(), entry.name());
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
                problems.add(Problem.at(
                        PolicyProblemCode.SHAPE,
                        "invalid RequestedToCapacityRatioPriority arguments: " + error,
                        file,
                        entry.position(),
                        entry.name()));
            }
            for (PriorityArgument.ResourceWeight resource : ratio.resources()) {
                if (resource.name().isEmpty() && !strict) {
                    problems.add(Problem.at(
                            PolicyProblemCode.SHAPE,
                            "invalid RequestedToCapacityRatioPriority arguments: a resource has no name",
                            file,
                            resource.position(),
                            entry.name()));
                    continue;
                }
                warnings.ratioResource(resource, ratioResources.containsKey(resource.name()));
                ratioResources.put(resource.name(), resource.weight() == 0 ? 1 : resource.weight());
            }
            if (ratioResources.isEmpty()) {
                ratioResources.put("cpu", 1L);
                ratioResources.put("memory", 1L);
            }
        }

        private @Nullable String shapeError(List<PriorityArgument.ShapePoint> shape) {
            if (shape.isEmpty()) {
                return "at least one point must be specified";
            }
            for (int i = 1; i < shape.size(); i++) {
                int before = shape.get(i - 1).utilization();
                int after = shape.get(i).utilization();
                if (before >= after) {
                    return "utilization values must be sorted. Utilization[" + (i - 1) + "]==" + before
                            + " >= Utilization[" + i + "]==" + after;
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

        /** The misspelling in the last text is that of v1.17, which also multiplies scores by 10 before validating them. */
        private @Nullable String pointError(PriorityArgument.ShapePoint point, String index) {
            if (point.utilization() < 0) {
                return "utilization values must not be less than 0. Utilization" + index + point.utilization();
            }
            if (point.utilization() > 100) {
                return "utilization values must not be greater than 100. Utilization" + index + point.utilization();
            }
            if (!strict && (point.score() < 0 || point.score() > 100)) {
                return "Score" + index + point.score() / 10 + " is not in the valid range [0-10]";
            }
            if (point.score() < 0) {
                return "score values must not be less than 0. Score" + index + point.score();
            }
            return point.score() > 100 ? "score valuses not be greater than 100. Score" + index + point.score() : null;
        }

        private void addPlain(PriorityPolicy entry) {
            String name = entry.name();
            boolean own = !KnownAlgorithms.priorities().contains(name) && registry.hasPriority(name);
            if (!own && !registered.containsKey(name)) {
                Optional<HistoricName> historic = strict ? Optional.empty() : PolicyNameHistory.priority(name);
                if (historic.isEmpty()) {
                    problems.add(PolicyValidator.unknownNameProblem(false, name, strict, file, entry.position()));
                    return;
                }
                warnings.add(PolicyWarningCode.NAME_CHANGED, historic.get().describe(), entry.position());
            }
            KnownAlgorithm known = KnownAlgorithms.priorityRow(name);
            if (known != null && !known.argument().isEmpty()) {
                warnings.add(
                        PolicyWarningCode.WEIGHT_REPLACED,
                        "the plain entry " + name + " replaces the weight " + weight(name)
                                + ", the sum of the argument entries before it",
                        "keep one entry with the weight that you mean",
                        entry.position());
            } else if (keys.containsKey(name)) {
                warnings.add(
                        PolicyWarningCode.DUPLICATE_NAME,
                        "priority " + name + " is listed twice; the last weight, " + entry.weight() + ", applies",
                        "remove one of the entries",
                        entry.position());
            }
            use(name, entry.weight(), entry.position());
        }

        private void use(String key, long weight, SourcePosition position) {
            registered.put(key, weight);
            keys.computeIfAbsent(key, unused -> new ArrayList<>()).add(position);
        }
    }

    /**
     * A label of an argument entry and the weight of the entry. The entries of one kind are one algorithm with the sum of their
     * weights, in which each label counts as often as it is listed.
     *
     * @param presence whether the label is preferred present or absent
     * @param weight positive
     */
    record WeightedLabel(String label, boolean presence, long weight, SourcePosition position) {
        /** Scores are 0 to 100, so finer shares make no difference. */
        private static final long MOST_SHARES = 200;

        /**
         * The labels of a list that are preferred present or absent, once each if all weights are equal, else in proportion to
         * their weight.
         */
        static List<String> shares(List<WeightedLabel> all, boolean presence) {
            long unit = unit(all);
            List<String> labels = new ArrayList<>();
            for (WeightedLabel label : all) {
                if (label.presence == presence) {
                    int times = (int) Math.max(1, Math.round((double) label.weight / (double) unit));
                    labels.addAll(Collections.nCopies(times, label.label));
                }
            }
            return labels;
        }

        /** The first entry whose weight differs from that of the first one. */
        static Optional<WeightedLabel> firstOfOtherWeight(List<WeightedLabel> all) {
            return all.stream()
                    .filter(label -> label.weight != all.get(0).weight)
                    .findFirst();
        }

        /** The weight of one share: the greatest common divisor, or more to limit the number of shares. */
        private static long unit(List<WeightedLabel> all) {
            BigInteger divisor = BigInteger.ZERO;
            BigInteger total = BigInteger.ZERO;
            for (WeightedLabel label : all) {
                divisor = divisor.gcd(BigInteger.valueOf(label.weight));
                total = total.add(BigInteger.valueOf(label.weight));
            }
            return divisor.max(total.divide(BigInteger.valueOf(MOST_SHARES)))
                    .max(BigInteger.ONE)
                    .longValue();
        }
    }
}
