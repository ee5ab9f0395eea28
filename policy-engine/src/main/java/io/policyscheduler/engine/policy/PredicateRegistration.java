package io.policyscheduler.engine.policy;

import io.policyscheduler.engine.cluster.FeatureGates;
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

/** Takes the predicate entries of a Policy one after the other, mirrors {@code RegisterCustomFitPredicate}. */
final class PredicateRegistration {
    private final String file;
    private final AlgorithmCatalog catalog;
    private final PolicyWarnings warnings;
    private final PolicyRules rules;
    private final Set<String> registered;
    private final boolean strict;
    private final Map<String, List<SourcePosition>> keys = new LinkedHashMap<>();
    private final Set<String> listed = new HashSet<>();
    private final Map<SourcePosition, String> oldNames = new HashMap<>();
    private final List<PolicyProblem> problems = new ArrayList<>();
    final List<String> presentLabels = new ArrayList<>();
    final List<String> absentLabels = new ArrayList<>();
    final List<String> affinityLabels = new ArrayList<>();

    /** @param strict refuse the names that other releases than v1.17 had */
    PredicateRegistration(
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
        this.registered = new TreeSet<>(KnownAlgorithms.predicates());
        registered.remove(KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE);
        registered.remove(KnownAlgorithms.CHECK_SERVICE_AFFINITY);
        if (!gates.enabled(FeatureGates.EVEN_PODS_SPREAD)) {
            registered.remove(KnownAlgorithms.EVEN_PODS_SPREAD);
        }
    }

    /** Configured keys and the entries that led to them. */
    Map<String, List<SourcePosition>> keys() {
        return keys;
    }

    /** What stands in entries that do not have the name of today. */
    Map<SourcePosition, String> oldNames() {
        return oldNames;
    }

    List<PolicyProblem> problems() {
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
            problems.add(PolicyProblem.at(
                    PolicyProblem.ARGUMENT_COUNT,
                    "Exactly 1 predicate argument is required, numArgs: " + members + ", Predicate: " + entry.name(),
                    file,
                    entry.position(),
                    entry.name()));
            return;
        }
        RuleDefinition rule = argument.rule();
        if (rule != null) {
            String name = entry.name();
            boolean taken =
                    keys.containsKey(name) || KnownAlgorithms.predicates().contains(name) || catalog.hasPredicate(name);
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
        use(key, entry.position());
    }

    private void addPlain(PredicatePolicy entry) {
        String name = entry.name();
        boolean own = !KnownAlgorithms.predicates().contains(name)
                && !KnownAlgorithms.DYNAMIC_RESOURCES.equals(name)
                && catalog.hasPredicate(name);
        if (own || registered.contains(name)) {
            note(name, entry.position());
            use(name, entry.position());
            return;
        }
        Optional<HistoricName> historic = strict ? Optional.empty() : HistoricNames.predicate(name);
        if (historic.isEmpty()) {
            problems.add(UnknownNames.problem(true, name, strict, file, entry.position()));
            return;
        }
        note(name, entry.position());
        warnings.add(PolicyWarning.NAME_CHANGED, historic.get().describe(), entry.position());
        for (String key : historic.get().today()) {
            use(key, entry.position());
            if (!key.equals(name)) {
                oldNames.put(entry.position(), name);
            }
        }
    }

    private void note(String name, SourcePosition position) {
        if (!listed.add(name)) {
            warnings.add(
                    PolicyWarning.DUPLICATE_NAME,
                    "predicate " + name + " is listed twice; the second entry has no effect",
                    position);
        }
    }

    private void use(String key, SourcePosition position) {
        keys.computeIfAbsent(key, unused -> new ArrayList<>()).add(position);
    }
}
