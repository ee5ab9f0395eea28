package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.Policy.PriorityArgument;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds all invalid values of a Policy. Mirrors {@code ValidatePolicy} of v1.17 in texts and order. Only strict mode requires equal
 * weights of label preferences, as v1.17 does.
 */
final class PolicyValidator {
    static final String PREFIX = "couldn't create scheduler from policy: ";
    private static final long MAX_WEIGHT = Long.MAX_VALUE / 10;

    private final boolean strict;

    /** @param strictV117 whether to reject what only releases up to 1.16 accept */
    public PolicyValidator(boolean strictV117) {
        this.strict = strictV117;
    }

    /** Every problem, in the order of v1.17; empty if the Policy is valid. */
    public List<Problem> validate(Policy policy) {
        List<Problem> problems = new ArrayList<>();
        validatePriorities(policy, problems);
        validateExtenders(policy, problems);
        return problems;
    }

    /**
     * Validates a Policy.
     *
     * @throws PolicyException with all problems, if there is one
     */
    public void check(Policy policy) throws PolicyException {
        List<Problem> problems = validate(policy);
        if (!problems.isEmpty()) {
            throw new PolicyException(PREFIX + aggregate(problems), problems);
        }
    }

    /** A single message unchanged, several distinct ones in brackets. */
    private static String aggregate(List<Problem> problems) {
        Set<String> messages = new LinkedHashSet<>();
        for (Problem problem : problems) {
            messages.add(problem.message());
        }
        String joined = String.join(", ", messages);
        return messages.size() == 1 ? joined : "[" + joined + "]";
    }

    private void validatePriorities(Policy policy, List<Problem> problems) {
        List<PriorityPolicy> priorities = policy.priorities();
        if (priorities == null) {
            return;
        }
        Map<String, PriorityPolicy> declared = new HashMap<>();
        for (PriorityPolicy priority : priorities) {
            if (priority.weight() <= 0 || priority.weight() >= MAX_WEIGHT) {
                problems.add(Problem.at(
                        PolicyProblemCode.INVALID,
                        "Priority " + priority.name()
                                + " should have a positive weight applied to it or it has overflown",
                        policy.file(),
                        priority.position(),
                        String.valueOf(priority.weight())));
            }
            String message = argumentProblem(priority, declared);
            if (message != null) {
                problems.add(Problem.at(
                        PolicyProblemCode.INVALID, message, policy.file(), priority.position(), priority.name()));
            }
        }
    }

    private @Nullable String argumentProblem(PriorityPolicy priority, Map<String, PriorityPolicy> declared) {
        PriorityArgument argument = priority.argument();
        if (argument == null) {
            return null;
        }
        if (argument.labelPreference() != null) {
            return differentWeight("LabelPreference", priority, declared);
        }
        if (argument.serviceAntiAffinity() != null) {
            return differentWeight("ServiceAntiAffinity", priority, declared);
        }
        if (argument.rule() != null) {
            return null;
        }
        if (argument.requestedToCapacityRatio() == null) {
            return "No priority arguments set for priority " + priority.name();
        }
        PriorityPolicy existing = declared.putIfAbsent(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO, priority);
        return existing == null
                ? null
                : "Priority " + GoText.quote(priority.name()) + " redeclares custom priority "
                        + GoText.quote(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO) + ", from:"
                        + GoText.quote(existing.name());
    }

    private @Nullable String differentWeight(
            String type, PriorityPolicy priority, Map<String, PriorityPolicy> declared) {
        PriorityPolicy existing = declared.get(type);
        if (strict && existing != null && existing.weight() != priority.weight()) {
            return type + "  priority " + GoText.quote(priority.name()) + " has a different weight with "
                    + GoText.quote(existing.name());
        }
        declared.put(type, priority);
        return null;
    }

    private static void validateExtenders(Policy policy, List<Problem> problems) {
        int binders = 0;
        SourcePosition lastBinder = SourcePosition.UNKNOWN;
        Set<String> managed = new HashSet<>();
        for (ExtenderConfig extender : policy.extenders()) {
            if (!extender.prioritizeVerb().isEmpty() && extender.weight() <= 0) {
                problems.add(Problem.at(
                        PolicyProblemCode.INVALID,
                        "Priority for extender " + VisibleText.withoutPasswords(extender.urlPrefix())
                                + " should have a positive weight applied to it",
                        policy.file(),
                        extender.position(),
                        String.valueOf(extender.weight())));
            }
            if (!extender.bindVerb().isEmpty()) {
                binders++;
                lastBinder = extender.position();
            }
            for (ManagedResource resource : extender.managedResources()) {
                for (String message : resourceProblems(resource.name(), managed)) {
                    problems.add(Problem.at(
                            PolicyProblemCode.INVALID, message, policy.file(), resource.position(), resource.name()));
                }
            }
        }
        if (binders > 1) {
            problems.add(Problem.at(
                    PolicyProblemCode.INVALID,
                    "Only one extender can implement bind, found " + binders,
                    policy.file(),
                    lastBinder,
                    String.valueOf(binders)));
        }
    }

    private static List<String> resourceProblems(String name, Set<String> managed) {
        List<String> problems = new ArrayList<>(QualifiedNames.problems(name));
        if (problems.isEmpty() && !QualifiedNames.isExtendedResource(name)) {
            problems.add(name + " is an invalid extended resource name");
        }
        if (!managed.add(name)) {
            problems.add("Duplicate extender managed resource name " + name);
        }
        return problems;
    }

    private static final int MAX_NODE_SCORE = 100;

    static void checkExtenders(Policy policy, boolean strict) throws PolicyException {
        List<Problem> problems = new ArrayList<>();
        for (ExtenderConfig extender : policy.extenders()) {
            String problem = ExtenderReader.tlsProblem(extender, strict);
            if (problem != null) {
                problems.add(Problem.at(
                        PolicyProblemCode.EXTENDER,
                        problem,
                        policy.file(),
                        extender.position(),
                        VisibleText.withoutPasswords(extender.urlPrefix())));
            }
        }
        if (!problems.isEmpty()) {
            throw new PolicyException(PolicyValidator.PREFIX + problems.get(0).message(), problems);
        }
    }

    static void checkHardWeight(int weight, String prefix, String file, SourcePosition position)
            throws PolicyException {
        if (weight < 1 || weight > 100) {
            String message = "invalid hardPodAffinitySymmetricWeight: " + weight + ", must be in the range 1-100";
            throw new PolicyException(
                    prefix + message,
                    List.of(Problem.at(PolicyProblemCode.WEIGHT, message, file, position, String.valueOf(weight))));
        }
    }

    /** The sums wrap around as in Go, so a single huge weight is accepted but two of them are not. */
    static void checkTotalWeight(SortedMap<String, Long> weights, String file) throws PolicyException {
        long total = 0;
        for (Map.Entry<String, Long> weight : weights.entrySet()) {
            long scaled = weight.getValue() * MAX_NODE_SCORE;
            if (scaled > Long.MAX_VALUE - total) {
                String message = "total priority of priority functions has overflown";
                throw new PolicyException(
                        PolicyValidator.PREFIX + message,
                        List.of(Problem.at(
                                PolicyProblemCode.WEIGHT, message, file, SourcePosition.UNKNOWN, weight.getKey())));
            }
            total += scaled;
        }
    }

    /** Algorithms that v1.17 never runs need not be built in. */
    static void checkBuiltIn(EffectivePolicy effective, AlgorithmRegistry registry) throws PolicyException {
        List<Problem> problems = new ArrayList<>();
        for (String name : effective.evaluationOrder()) {
            if (!registry.hasPredicate(name) && !effective.rules().predicates().containsKey(name)) {
                problems.add(notBuiltIn(name, effective.predicates().get(name), effective.source()));
            }
        }
        for (String name : effective.priorities().keySet()) {
            boolean known = registry.hasPriority(name)
                    || effective.arguments().separate().containsKey(name);
            if (!known && !effective.rules().priorities().containsKey(name)) {
                problems.add(notBuiltIn(name, effective.priorityOrigins().get(name), effective.source()));
            }
        }
        if (!problems.isEmpty()) {
            throw new PolicyException(problems.get(0).message(), problems);
        }
    }

    private static Problem notBuiltIn(String name, @Nullable Origin origin, String file) {
        SourcePosition position = origin == null || origin.positions().isEmpty()
                ? SourcePosition.UNKNOWN
                : origin.positions().get(0);
        return Problem.at(
                PolicyProblemCode.NOT_BUILT_IN,
                name + " is a v1.17 algorithm that this build does not contain",
                file,
                position,
                name);
    }

    private static final String CONDITIONS =
            "removed before 1.17, because node conditions became taints; remove the line";
    private static final ImmutableMap<String, String> REMOVED = ImmutableMap.of(
            "CheckNodeCondition",
            CONDITIONS,
            "CheckNodeMemoryPressure",
            CONDITIONS,
            "CheckNodeDiskPressure",
            CONDITIONS,
            "CheckNodePIDPressure",
            CONDITIONS,
            "PodToleratesNodeNoExecuteTaints",
            "never registered in 1.17, because PodToleratesNodeTaints covers it; remove the line");
    /** Names of other releases, and wrong names from documents. */
    private static final ImmutableMap<String, String> OTHER_PREDICATES = ImmutableMap.of(
            "MaxCSIVolumeCount", "MaxCSIVolumeCountPred",
            "CheckCSIVolumeAttachLimit", "MaxCSIVolumeCountPred",
            "NoVolumeNodeConflict", "CheckVolumeBinding",
            "CheckVolumeNodePredicate", "CheckVolumeBinding",
            "PodFitsHost", "HostName",
            "PodMatchNodeSelector", "MatchNodeSelector",
            "PodSelectorMatches", "MatchNodeSelector");

    static String unknownName(boolean predicate, String name) {
        return "Invalid configuration: " + (predicate ? "Predicate" : "Priority") + " type not found for " + name;
    }

    /** @param strict whether to suggest names of v1.17 only */
    static Problem unknownNameProblem(
            boolean predicate, String name, boolean strict, String file, SourcePosition position) {
        String advice = predicate ? predicateAdvice(name) : priorityAdvice(name);
        String message = unknownName(predicate, name) + (advice == null ? "" : "; " + advice);
        Problem problem = Problem.at(PolicyProblemCode.UNKNOWN_ALGORITHM, message, file, position, name);
        if (advice != null) {
            return problem;
        }
        return problem.suggesting(predicate ? predicateFor(name, strict) : priorityFor(name, strict));
    }

    private static @Nullable String predicateAdvice(String name) {
        String removed = REMOVED.get(name);
        return removed == null ? advice(KnownAlgorithms.predicateRow(name), "an entry with a ") : removed;
    }

    private static @Nullable String priorityAdvice(String name) {
        return name.equals("ServiceAntiAffinity")
                ? "needs a serviceAntiAffinity argument"
                : advice(KnownAlgorithms.priorityRow(name), "an earlier entry with a ");
    }

    /** How to enable an algorithm that v1.17 does not have for a plain entry. */
    private static @Nullable String advice(@Nullable KnownAlgorithm row, String entry) {
        if (row == null) {
            return null;
        }
        if (!row.argument().isEmpty()) {
            return "needs " + entry + row.argument() + " argument";
        }
        return row.gate().isEmpty() ? null : "needs the feature gate " + row.gate() + "=true";
    }

    /** Names from books and articles for algorithms of 1.17, such as Go functions. */
    private static final Map<String, String> BOOK_NAMES = Map.ofEntries(
            Map.entry("NodeMemoryPressurePredicate", "CheckNodeMemoryPressure"),
            Map.entry("CheckNodeMemoryPressurePredicate", "CheckNodeMemoryPressure"),
            Map.entry("NodeDiskPressurePredicate", "CheckNodeDiskPressure"),
            Map.entry("CheckNodeDiskPressurePredicate", "CheckNodeDiskPressure"),
            Map.entry("NodePIDPressurePredicate", "CheckNodePIDPressure"),
            Map.entry("CheckNodeConditionPredicate", "CheckNodeCondition"),
            Map.entry("CheckNodeUnschedulablePredicate", "CheckNodeUnschedulable"),
            Map.entry("PodAffinityPredicate", "MatchInterPodAffinity"),
            Map.entry("InterPodAffinityMatches", "MatchInterPodAffinity"),
            Map.entry("GeneralPred", "GeneralPredicates"),
            Map.entry("PodFitsHost", "HostName"),
            Map.entry("PodMatchNodeSelector", "MatchNodeSelector"),
            Map.entry("VolumeBindingPredicate", "CheckVolumeBinding"),
            Map.entry("VolumeZonePredicate", "NoVolumeZoneConflict"),
            Map.entry("SpreadingPriority", "SelectorSpreadPriority"),
            Map.entry("SelectorSpread", "SelectorSpreadPriority"),
            Map.entry("LeastResourceAllocation", "LeastRequestedPriority"),
            Map.entry("MostResourceAllocation", "MostRequestedPriority"));

    private static @Nullable String predicateFor(String name, boolean strict) {
        String renamed = OTHER_PREDICATES.get(name);
        for (String known : KnownAlgorithms.predicates()) {
            if (renamed == null && KnownAlgorithms.filterPlugins(known).equals(List.of(name))) {
                renamed = known;
            }
        }
        return renamed == null
                ? nearest(name, KnownAlgorithms.predicates(), HistoricName.Kind.PREDICATE, strict)
                : renamed;
    }

    private static @Nullable String priorityFor(String name, boolean strict) {
        for (KnownAlgorithm known : KnownAlgorithms.priorityRows()) {
            if (known.plugin().equals(name)) {
                return known.name();
            }
        }
        return nearest(name, KnownAlgorithms.priorities(), HistoricName.Kind.PRIORITY, strict);
    }

    private static @Nullable String nearest(String name, Set<String> known, HistoricName.Kind kind, boolean strict) {
        String meant = BOOK_NAMES.get(name);
        if (meant != null && !strict) {
            return meant;
        }
        Set<String> names = new LinkedHashSet<>(known);
        if (!strict) {
            PolicyNameHistory.all().stream()
                    .filter(historic -> historic.kind() == kind)
                    .map(HistoricName::name)
                    .forEach(names::add);
        }
        return Suggestions.nearest(name, names);
    }
}
