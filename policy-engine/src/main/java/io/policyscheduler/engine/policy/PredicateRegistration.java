package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.algorithm.KnownAlgorithms.KnownAlgorithm;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.Policy.PredicateArgument;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import io.policyscheduler.engine.rules.RuleDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Registers the predicate entries of a Policy. Mirrors {@code RegisterCustomFitPredicate}. */
final class PredicateRegistration {
    private final String file;
    private final AlgorithmRegistry registry;
    private final PolicyWarnings warnings;
    private final PolicyRules rules;
    private final Set<String> registered = new TreeSet<>();
    private final boolean strict;
    private final Map<String, List<SourcePosition>> keys = new LinkedHashMap<>();
    private final Set<String> listed = new HashSet<>();
    private final Map<SourcePosition, String> givenNames = new HashMap<>();
    private final List<Problem> problems = new ArrayList<>();
    final List<String> presentLabels = new ArrayList<>();
    final List<String> absentLabels = new ArrayList<>();
    final List<String> affinityLabels = new ArrayList<>();

    /** @param strict whether to reject names of other releases than v1.17 */
    PredicateRegistration(
            String file,
            FeatureGates gates,
            AlgorithmRegistry registry,
            PolicyWarnings warnings,
            PolicyRules rules,
            boolean strict) {
        this.file = file;
        this.strict = strict;
        this.rules = rules;
        this.registry = registry;
        this.warnings = warnings;
        for (KnownAlgorithm known : KnownAlgorithms.predicateRows()) {
            if (known.isListable(gates)) {
                registered.add(known.name());
            }
        }
    }

    /** Registered keys and their entries. */
    Map<String, List<SourcePosition>> keys() {
        return keys;
    }

    /** Deprecated names by position of the entry. */
    Map<SourcePosition, String> givenNames() {
        return givenNames;
    }

    List<Problem> problems() {
        return problems;
    }

    void add(PredicatePolicy entry) {
        PredicateArgument argument = entry.argument();
        if (argument == null) {
            addPlain(entry);
            return;
        }
        int members = argument.members();
        if (members != 1) {
            problems.add(Problem.at(
                    PolicyProblemCode.ARGUMENT_COUNT,
                    "Exactly 1 predicate argument is required, numArgs: " + members + ", Predicate: " + entry.name(),
                    file,
                    entry.position(),
                    entry.name()));
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
        if (KnownAlgorithms.predicates().contains(entry.name()) && !entry.name().equals(key)) {
            warnings.nameOverridden(entry.name(), key, entry.position());
        }
        registered.add(key);
        listed.add(key);
        if (!entry.name().equals(key)) {
            givenNames.put(entry.position(), entry.name());
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
                givenNames.put(entry.position(), name);
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
