package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.framework.insight.migrate.Finding.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.MigrationTarget.ReleasePlugins;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.ProfileLayout.DefaultsLayout;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The state of a migration: its inputs, and the profile and findings so far. */
final class MigrationPlan {
    static final Texts SAME = Texts.of("", "The plugin does the same.");
    static final Texts SAME_FORMULA = Texts.of("", "The plugin uses the same formula.");
    static final Texts LAST_IN_1_22 = Texts.of("", "The plugin does the same. No release after 1.22 has it.");
    static final Texts UNKNOWN_ALGORITHM =
            Texts.of("does not run", "Kubernetes does not have this algorithm. It does not run.");
    private static final String MANIFEST = "policy-files/manifests/policy-scheduler.yaml";

    final EffectivePolicy policy;
    final MigrationTarget target;
    final Options options;
    final PolicyEntries items;
    final ReleasePlugins plugins;
    final PlannedProfile plan = new PlannedProfile();
    final Findings findings = new Findings();
    final ExtenderAlgorithms retained;
    private final PluginTranslation translation;

    MigrationPlan(EffectivePolicy policy, @Nullable Policy file, MigrationTarget target, Options options) {
        this.policy = policy;
        this.target = target;
        this.options = options;
        this.items = new PolicyEntries(policy, file);
        this.plugins = new ReleasePlugins(target);
        this.retained = new ExtenderAlgorithms(policy, items, options);
        this.translation = PluginTranslation.of(policy);
    }

    /** Whether kube-scheduler of the target release has the change. */
    boolean has(SchedulerChange change) {
        return change.in(target.release());
    }

    boolean hasPriority(String key) {
        return policy.priorities().containsKey(key);
    }

    /** The effective weight; truncated as in v1.17 in strict mode. */
    long weight(String priority) {
        Long whole = policy.priorities().getOrDefault(priority, 0L);
        String plugin = KnownAlgorithms.scorePlugin(priority);
        return translation.scores().getOrDefault(plugin, whole);
    }

    /**
     * Whether the filters are the defaults of the release. Its additional filters, topology spread and resource claims, concern
     * only pods that use them, which did not exist in 1.17.
     */
    boolean hasDefaultFilters() {
        if (!has(SchedulerChange.SPREADING_BY_CONSTRAINTS)) {
            return false;
        }
        List<String> defaults = plugins.defaultFilters();
        boolean onlyDefaults = defaults.containsAll(plan.filters().keySet());
        return onlyDefaults
                && defaults.stream()
                        .filter(plugin -> !DefaultsLayout.BEYOND_1_17.contains(plugin))
                        .allMatch(plan.filters()::containsKey);
    }

    /** A predicate without a plugin: kept in an extender if requested, else lost. */
    void lostPredicate(FindingCode code, String key, Texts text) {
        List<PolicyItem> entries = items.predicate(key);
        if (options.keepWithExtender()) {
            retained.predicate(key);
            findings.warn(
                    FindingCode.M008,
                    entries,
                    Texts.of(
                                    "runs after all filters",
                                    text.details() + " It is kept behind an extender. "
                                            + ExtenderAlgorithms.FILTER_DIFFERENCES)
                            .fixedBy(ExtenderAlgorithms.RUN_EXTENDER, ExtenderAlgorithms.RUN_EXTENDER_IN_FULL));
        } else {
            lost(code, Level.ERROR, entries, text, ExtenderAlgorithms.entry(options.extenderUrl(), true, 0));
        }
    }

    /** A priority without a plugin: kept in an extender if requested, else lost. */
    void lostPriority(FindingCode code, Level level, String key, Texts text) {
        List<PolicyItem> entries = items.priority(key);
        long weight = weight(key);
        if (options.keepWithExtender()) {
            retained.priority(key, weight);
            findings.warn(
                    FindingCode.M008,
                    entries,
                    Texts.of(
                                    "scores are rescaled",
                                    text.details() + " It is kept behind an extender. "
                                            + ExtenderAlgorithms.SCORE_DIFFERENCES)
                            .fixedBy(ExtenderAlgorithms.RUN_EXTENDER, ExtenderAlgorithms.RUN_EXTENDER_IN_FULL));
        } else {
            lost(code, level, entries, text, ExtenderAlgorithms.entry(options.extenderUrl(), false, weight));
        }
    }

    private void lost(FindingCode code, Level level, List<PolicyItem> entries, Texts text, String extenderEntry) {
        String action = text.action().isEmpty() ? "--keep-with-extender" : text.action();
        String fix = (text.fix().isEmpty() ? "" : text.fix() + " Or keep")
                + (text.fix().isEmpty() ? "Keep" : "")
                + " it with --keep-with-extender, which adds the entry " + extenderEntry
                + " to extenders and prints the policy for policy-scheduler extender --policy FILE. Or run the whole policy as"
                + " a scheduler of its own: " + MANIFEST;
        findings.add(code, level, Fidelity.IMPOSSIBLE, entries, text.fixedBy(action, fix));
    }

    /** Collects findings. */
    static final class Findings {
        /** The plugin name in findings about algorithms that run in an extender. */
        private static final String EXTENDER = "extender";

        private final List<Entry> entries = new ArrayList<>();

        private record Entry(FindingCode code, Level level, Fidelity fidelity, List<PolicyItem> items, Texts texts) {}

        void exact(FindingCode code, List<PolicyItem> items, Texts texts) {
            add(code, Level.INFO, Fidelity.EXACT, items, texts);
        }

        /** Adds an informational finding; without an effect, nothing differs. */
        void info(FindingCode code, List<PolicyItem> items, Texts texts) {
            Fidelity fidelity = texts.effect().isEmpty() ? Fidelity.EXACT : Fidelity.APPROXIMATED;
            add(code, Level.INFO, fidelity, items, texts);
        }

        void warn(FindingCode code, List<PolicyItem> items, Texts texts) {
            add(code, Level.WARN, Fidelity.APPROXIMATED, items, texts);
        }

        void add(FindingCode code, Level level, Fidelity fidelity, List<PolicyItem> items, Texts texts) {
            entries.add(new Entry(code, level, fidelity, List.copyOf(items), texts));
        }

        /** Returns the findings: losses first, then by severity, then in insertion order. */
        List<Finding> all(PlannedProfile plan) {
            return entries.stream()
                    .map(entry -> finding(entry, plan))
                    .sorted(Comparator.comparing((Finding finding) -> !finding.isLoss())
                            .thenComparing(Finding::level))
                    .toList();
        }

        private static Finding finding(Entry entry, PlannedProfile plan) {
            List<PolicyItem> items = entry.items();
            SourcePosition position =
                    items.isEmpty() ? SourcePosition.UNKNOWN : items.get(0).position();
            List<String> names = items.stream().map(PolicyItem::name).distinct().toList();
            boolean extender = entry.code() == FindingCode.M005 || entry.code() == FindingCode.M008;
            List<String> plugins = extender ? List.of(EXTENDER) : plugins(items, plan);
            return new Finding(entry.code(), entry.level(), entry.fidelity(), names, position, plugins, entry.texts());
        }

        private static List<String> plugins(List<PolicyItem> items, PlannedProfile plan) {
            Set<String> plugins = new LinkedHashSet<>();
            plan.filters().forEach((plugin, behind) -> {
                if (behind.stream().anyMatch(items::contains)) {
                    plugins.add(plugin);
                }
            });
            plan.scores().forEach((plugin, score) -> {
                if (score.items().stream().anyMatch(items::contains)) {
                    plugins.add(plugin);
                }
            });
            return List.copyOf(plugins);
        }
    }

    /**
     * The content of the profile, independent of its layout: filters, scores and arguments, with the policy entries that they come
     * from.
     */
    static final class PlannedProfile {
        /** A score plugin. */
        record Score(long weight, List<PolicyItem> items) {}

        private final Map<String, List<PolicyItem>> filters = new LinkedHashMap<>();
        private final Map<String, Score> scores = new LinkedHashMap<>();
        private final Map<String, YamlMap> arguments = new LinkedHashMap<>();

        /** Adds a filter at the end, or entries to an existing one. */
        void filter(String plugin, List<PolicyItem> items) {
            filters.computeIfAbsent(plugin, unused -> new ArrayList<>()).addAll(items);
        }

        /** Adds a score plugin, or weight to an existing one. */
        void score(String plugin, long weight, List<PolicyItem> items) {
            Score before = scores.getOrDefault(plugin, new Score(0, List.of()));
            List<PolicyItem> all = new ArrayList<>(before.items());
            all.addAll(items);
            scores.put(plugin, new Score(saturatedAdd(before.weight(), weight), all));
        }

        /** Replaces a weight. */
        void weight(String plugin, long weight) {
            scores.computeIfPresent(plugin, (unused, score) -> new Score(weight, score.items()));
        }

        /** The mutable arguments of a plugin. */
        YamlMap arguments(String plugin) {
            return arguments.computeIfAbsent(plugin, unused -> YamlMap.block());
        }

        /** Filters in execution order. */
        Map<String, List<PolicyItem>> filters() {
            return filters;
        }

        Map<String, Score> scores() {
            return scores;
        }

        /** Arguments by plugin: those that differ from the defaults, or are explicit for the reader. */
        Map<String, YamlMap> arguments() {
            return arguments;
        }

        /** The policy entries of a plugin; empty if the plan does not have it. */
        List<PolicyItem> items(String plugin) {
            List<PolicyItem> items = new ArrayList<>(filters.getOrDefault(plugin, List.of()));
            items.addAll(scores.getOrDefault(plugin, new Score(0, List.of())).items());
            return items;
        }

        boolean uses(String plugin) {
            return filters.containsKey(plugin) || scores.containsKey(plugin);
        }

        private static long saturatedAdd(long a, long b) {
            return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
        }
    }
}
