package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.document.GoText;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.engine.policy.EffectivePolicy.RuleSet;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.policy.PolicyReader.RuleLibrary;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.TableDefinition;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Resolves a Policy or a provider to the effective policy, in the order of steps of v1.17's {@code CreateFromConfig}: validation,
 * predicates, priorities, extenders, hard weight, total weight.
 */
public final class PolicyResolver {
    private static final RuleLibrary NO_LIBRARY = new RuleLibrary(List.of(), Map.of());

    private final FeatureGates gates;
    private final int hardPodAffinityFlag;
    private final boolean strict;
    private final AlgorithmRegistry registry;
    private final RuleEnvironment environment;

    /**
     * @param gates gates, and the release of the cluster
     * @param hardPodAffinitySymmetricWeight value of the flag of that name, 1 by default
     * @param strictV117 whether to reproduce v1.17 even if it does not honor the file, and reject what only other releases accept
     * @param registry the algorithms of this program
     */
    public PolicyResolver(
            FeatureGates gates, int hardPodAffinitySymmetricWeight, boolean strictV117, AlgorithmRegistry registry) {
        this(
                gates,
                hardPodAffinitySymmetricWeight,
                strictV117,
                registry,
                RuleEnvironment.of(NO_LIBRARY, TableInput.NONE));
    }

    /** A resolver for policies that use rules of a library, or tables. */
    public PolicyResolver(
            FeatureGates gates,
            int hardPodAffinitySymmetricWeight,
            boolean strictV117,
            AlgorithmRegistry registry,
            RuleEnvironment environment) {
        this.gates = strictV117 ? gates.exactlyV117() : gates;
        this.hardPodAffinityFlag = hardPodAffinitySymmetricWeight;
        this.strict = strictV117;
        this.registry = registry;
        this.environment = environment;
    }

    /**
     * The environment of the rules in policies.
     *
     * @param library rules that policies can refer to, and tables that they can read
     * @param input provides the texts of tables that are not inline
     * @param execution runs the rules of all policies, and counts verification results
     * @param clock limits the rate of warnings about a failing rule
     */
    public record RuleEnvironment(RuleLibrary library, TableInput input, RuleExecution execution, Clock clock) {
        /** An environment with the standard executor and the system clock. */
        public static RuleEnvironment of(RuleLibrary library, TableInput input) {
            return new RuleEnvironment(library, input, RuleExecution.standard(), Clock.systemUTC());
        }
    }

    /** The source of the texts of tables that are not inline. */
    public TableInput tableInput() {
        return environment.input();
    }

    /**
     * The tables of a policy or library.
     *
     * @param declared those of the file
     * @param problems receives their errors
     */
    public RuleTables tables(Map<String, TableDefinition> declared, List<Problem> problems) {
        return PolicyTables.of(declared, environment.library().tables(), environment.input(), problems);
    }

    /** A reader with the strictness of this resolver. */
    public PolicyReader reader() {
        return new PolicyReader(strict);
    }

    /**
     * Validates a policy without resolving it: weights, arguments, and extenders.
     *
     * @throws PolicyException with all problems that kube-scheduler finds before it looks up names
     */
    public static void validate(Policy policy) throws PolicyException {
        new PolicyValidator(true).check(policy);
        PolicyValidator.checkExtenders(policy, true);
    }

    /**
     * Resolves a Policy.
     *
     * @throws PolicyException if no release accepts it (in strict mode: if v1.17 does not), or if it contains an algorithm that
     *     this program does not have
     */
    public EffectivePolicy resolve(Policy policy) throws PolicyException {
        new PolicyValidator(strict).check(policy);
        PolicyWarnings warnings = new PolicyWarnings(strict);
        warnings.addAll(policy.warnings());
        List<Problem> tableProblems = new ArrayList<>();
        RuleTables tables = tables(policy.tables(), tableProblems);
        if (!tableProblems.isEmpty()) {
            throw new PolicyException(tableProblems.get(0).message(), tableProblems);
        }
        warnings.unknownTables(environment.input().given(), tables.definitions().keySet());
        PolicyRules rules = new PolicyRules(
                policy.rules(),
                environment.library().rules(),
                tables,
                environment.execution(),
                new RuleFailures(environment.clock()));
        PolicyRegistration.Predicates predicates =
                new PolicyRegistration.Predicates(policy.file(), gates, registry, warnings, rules, strict);
        PolicyRegistration.Priorities priorities =
                new PolicyRegistration.Priorities(policy.file(), gates, registry, warnings, rules, strict);
        register(policy, predicates, priorities, rules);
        PolicyValidator.checkExtenders(policy, strict);
        int fileWeight = policy.hardPodAffinitySymmetricWeight();
        PolicyValidator.checkHardWeight(
                fileWeight == 0 ? hardPodAffinityFlag : fileWeight,
                PolicyValidator.PREFIX,
                policy.file(),
                policy.hardWeightPosition());
        warnings.settings(policy);

        Providers.Provider defaults = provider(Providers.DEFAULT);
        SortedMap<String, Origin> predicateOrigins = policy.predicates() == null
                ? Origin.ofProvider(defaults.name(), defaults.predicates(), KnownAlgorithms::predicateRow)
                : Origin.ofFile(predicates.keys(), predicates.namesInFile());
        SortedMap<String, Origin> priorityOrigins = policy.priorities() == null
                ? Origin.ofProvider(defaults.name(), defaults.priorities().keySet(), KnownAlgorithms::priorityRow)
                : Origin.ofFile(priorities.keys(), priorities.namesInFile());
        SortedMap<String, Long> weights = new TreeMap<>();
        for (String key : priorityOrigins.keySet()) {
            weights.put(key, priorities.weight(key));
        }
        PolicyValidator.checkTotalWeight(weights, policy.file());
        warnAboutLists(policy, predicates, priorities, warnings);
        priorities.warnAboutWeights();

        PolicyArguments arguments = new PolicyArguments(
                predicates.presentLabels,
                predicates.absentLabels,
                predicates.affinityLabels,
                priorities.presentLabels(),
                priorities.absentLabels(),
                priorities.antiAffinityLabels(),
                priorities.ratioShape,
                priorities.ratioResources,
                priorities.separate());
        warnings.labelConflict(arguments, predicates.keys(), priorities.keys());
        addMandatory(predicateOrigins);
        warnings.ignoredFields(gates);
        if (!strict) {
            runPodFitsPorts(predicateOrigins);
        }
        EffectivePolicy effective = new EffectivePolicy(
                policy.file(),
                predicateOrigins,
                weights,
                priorityOrigins,
                arguments,
                ExtenderConfig.inCallOrder(policy.extenders()),
                ExtenderConfig.ignoredResources(policy.extenders()),
                policy.alwaysCheckAllPredicates(),
                fileWeight,
                strict || fileWeight == 0 ? hardPodAffinityFlag : fileWeight,
                gates,
                strict,
                Warning.combined(warnings.all()),
                rules.set());
        PolicyValidator.checkBuiltIn(effective, registry);
        return effective;
    }

    /**
     * Resolves a provider.
     *
     * @throws PolicyException if there is no such provider, or if this program does not have one of its algorithms
     */
    public EffectivePolicy resolveProvider(String name) throws PolicyException {
        return resolveProvider(name, "provider");
    }

    /**
     * Resolves a provider.
     *
     * @param place where the provider is named, for messages
     * @throws PolicyException if there is no such provider, or if this program does not have one of its algorithms
     */
    public EffectivePolicy resolveProvider(String name, String place) throws PolicyException {
        String prefix = "couldn't create scheduler using provider " + GoText.quote(name) + ": ";
        if (Providers.find(name, gates).isEmpty()) {
            String message = "provider " + GoText.quote(name) + " is not registered";
            Problem problem = Problem.at(PolicyProblemCode.PROVIDER, message, place, SourcePosition.UNKNOWN, name);
            List<String> known = List.of(Providers.DEFAULT, Providers.CLUSTER_AUTOSCALER);
            throw new PolicyException(prefix + message, List.of(problem.suggesting(Suggestions.nearest(name, known))));
        }
        PolicyValidator.checkHardWeight(hardPodAffinityFlag, prefix, name, SourcePosition.UNKNOWN);
        Providers.Provider provider = provider(name);
        SortedMap<String, Origin> predicates =
                Origin.ofProvider(name, provider.predicates(), KnownAlgorithms::predicateRow);
        addMandatory(predicates);
        PolicyWarnings warnings = new PolicyWarnings(strict);
        warnings.ignoredFields(gates);
        EffectivePolicy effective = new EffectivePolicy(
                name,
                predicates,
                provider.priorities(),
                Origin.ofProvider(name, provider.priorities().keySet(), KnownAlgorithms::priorityRow),
                new PolicyArguments(
                        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), Map.of(),
                        Map.of()),
                List.of(),
                Set.of(),
                false,
                0,
                hardPodAffinityFlag,
                gates,
                strict,
                Warning.combined(warnings.all()),
                RuleSet.none());
        PolicyValidator.checkBuiltIn(effective, registry);
        return effective;
    }

    /** Registers all entries and reports all problems, unlike v1.17, which exits on the first. */
    private static void register(
            Policy policy,
            PolicyRegistration.Predicates predicates,
            PolicyRegistration.Priorities priorities,
            PolicyRules rules)
            throws PolicyException {
        List<PredicatePolicy> predicateEntries = policy.predicates();
        if (predicateEntries != null) {
            predicateEntries.forEach(predicates::add);
        }
        List<PriorityPolicy> priorityEntries = policy.priorities();
        if (priorityEntries != null) {
            priorities.separateDifferentWeights(priorityEntries);
            priorityEntries.forEach(priorities::add);
        }
        List<Problem> problems = new ArrayList<>(predicates.problems());
        problems.addAll(priorities.problems());
        problems.addAll(rules.problems());
        if (!problems.isEmpty()) {
            Problem first = problems.get(0);
            boolean unknown = first.code().equals(PolicyProblemCode.UNKNOWN_ALGORITHM);
            String message = unknown
                    ? PolicyValidator.unknownName(!predicates.problems().isEmpty(), first.value())
                    : first.message();
            throw new PolicyException(message, problems);
        }
    }

    private void warnAboutLists(
            Policy policy,
            PolicyRegistration.Predicates predicates,
            PolicyRegistration.Priorities priorities,
            PolicyWarnings warnings) {
        if (policy.predicates() != null) {
            warnings.predicates(predicates.keys());
            warnings.gates(
                    gates, KnownAlgorithms.predicateRows(), predicates.keys().keySet());
        }
        if (policy.priorities() == null) {
            return;
        }
        priorities.keys().forEach((key, positions) -> warnings.priority(key, priorities.weight(key), positions));
        warnings.gates(gates, KnownAlgorithms.priorityRows(), priorities.keys().keySet());
    }

    private Providers.Provider provider(String name) {
        return Providers.find(name, gates).orElseThrow(() -> new IllegalArgumentException(name));
    }

    private void addMandatory(SortedMap<String, Origin> origins) {
        for (String name : Providers.mandatoryPredicates()) {
            origins.putIfAbsent(name, new Origin(Origin.Kind.MANDATORY, List.of(), ""));
        }
        for (NewerField field : NewerField.values()) {
            if (field.effect() == NewerField.Effect.MANDATORY && gates.honours(field)) {
                String since = field.describe(gates.release());
                origins.putIfAbsent(field.algorithm(), new Origin(Origin.Kind.MANDATORY, List.of(), since));
            }
        }
    }

    private static void runPodFitsPorts(SortedMap<String, Origin> origins) {
        Origin ports = origins.remove(KnownAlgorithms.POD_FITS_PORTS);
        if (ports == null) {
            return;
        }
        Map<SourcePosition, String> givenNames = new HashMap<>();
        ports.positions().forEach(position -> givenNames.put(position, KnownAlgorithms.POD_FITS_PORTS));
        List<SourcePosition> positions = new ArrayList<>(ports.positions());
        Origin hostPorts = origins.get(KnownAlgorithms.POD_FITS_HOST_PORTS);
        if (hostPorts != null) {
            positions.addAll(hostPorts.positions());
        }
        origins.put(KnownAlgorithms.POD_FITS_HOST_PORTS, Origin.file(positions, givenNames));
    }
}
