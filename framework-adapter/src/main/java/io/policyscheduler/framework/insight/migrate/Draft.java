package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.Policy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A migration in the making: what it is made of, and what is known of its result. */
final class Draft {
    static final FindingTexts SAME = FindingTexts.of("", "The same.");
    static final FindingTexts SAME_FORMULA = FindingTexts.of("", "The same formula.");
    static final FindingTexts LAST_IN_1_22 = FindingTexts.of("", "The same. No release after 1.22 has the plugin.");
    static final FindingTexts UNKNOWN_ALGORITHM =
            FindingTexts.of("does not run", "Kubernetes does not have this algorithm. It does not run.");
    private static final String MANIFEST = "policy-files/manifests/policy-scheduler.yaml";

    final EffectivePolicy policy;
    final MigrationTarget target;
    final MigrationOptions options;
    final PolicyItems items;
    final ReleasePlugins plugins;
    final PlannedProfile plan = new PlannedProfile();
    final Findings findings = new Findings();
    final KeptAlgorithms kept;
    private final PluginTranslation translation;

    Draft(EffectivePolicy policy, @Nullable Policy file, MigrationTarget target, MigrationOptions options) {
        this.policy = policy;
        this.target = target;
        this.options = options;
        this.items = new PolicyItems(policy, file);
        this.plugins = new ReleasePlugins(target);
        this.kept = new KeptAlgorithms(policy, items, options);
        this.translation = PluginTranslation.of(policy);
    }

    /** The target release is {@code 1.minor} or later. */
    boolean atLeast(int minor) {
        return target.release().atLeast(minor);
    }

    boolean hasPriority(String key) {
        return policy.priorities().containsKey(key);
    }

    /** The weight that counts; as v1.17 cuts it in strict mode. */
    long weight(String priority) {
        Long whole = policy.priorities().getOrDefault(priority, 0L);
        String plugin = KnownAlgorithms.scorePlugin(priority);
        return translation.scores().getOrDefault(plugin, whole);
    }

    /**
     * Whether the filters are those that the release runs by itself. What it has besides, hard topology spread and resource
     * claims, only concerns pods that ask for it, which no policy of 1.17 had in mind.
     */
    boolean hasDefaultFilters() {
        if (!atLeast(20)) {
            return false;
        }
        List<String> defaults = plugins.defaultFilters();
        boolean onlyDefaults = defaults.containsAll(plan.filters().keySet());
        return onlyDefaults
                && defaults.stream()
                        .filter(plugin -> !DefaultsLayout.BEYOND_1_17.contains(plugin))
                        .allMatch(plan.filters()::containsKey);
    }

    /** A predicate that no plugin stands for: kept behind an extender when that is wanted, else lost. */
    void lostPredicate(FindingCode code, String key, FindingTexts text) {
        List<PolicyItem> entries = items.predicate(key);
        if (options.keepWithExtender()) {
            kept.predicate(key);
            findings.warn(
                    FindingCode.M008,
                    entries,
                    FindingTexts.of(
                                    "runs after all filters",
                                    text.details() + " It is kept behind an extender. "
                                            + KeptAlgorithms.FILTER_DIFFERENCES)
                            .fixedBy(KeptAlgorithms.RUN_EXTENDER, KeptAlgorithms.RUN_EXTENDER_IN_FULL));
        } else {
            lost(code, Level.ERROR, entries, text, KeptAlgorithms.entry(options.extenderUrl(), true, 0));
        }
    }

    /** A priority that no plugin stands for: kept behind an extender when that is wanted, else lost. */
    void lostPriority(FindingCode code, Level level, String key, FindingTexts text) {
        List<PolicyItem> entries = items.priority(key);
        long weight = weight(key);
        if (options.keepWithExtender()) {
            kept.priority(key, weight);
            findings.warn(
                    FindingCode.M008,
                    entries,
                    FindingTexts.of(
                                    "scores are rescaled",
                                    text.details() + " It is kept behind an extender. "
                                            + KeptAlgorithms.SCORE_DIFFERENCES)
                            .fixedBy(KeptAlgorithms.RUN_EXTENDER, KeptAlgorithms.RUN_EXTENDER_IN_FULL));
        } else {
            lost(code, level, entries, text, KeptAlgorithms.entry(options.extenderUrl(), false, weight));
        }
    }

    private void lost(
            FindingCode code, Level level, List<PolicyItem> entries, FindingTexts text, String extenderEntry) {
        String action = text.action().isEmpty() ? "--keep-with-extender" : text.action();
        String fix = (text.fix().isEmpty() ? "" : text.fix() + " Or keep")
                + (text.fix().isEmpty() ? "Keep" : "")
                + " it with --keep-with-extender, which adds the entry " + extenderEntry
                + " to extenders and prints the policy for policy-scheduler extender --policy FILE. Or run the whole policy as"
                + " a scheduler of its own: " + MANIFEST;
        findings.add(code, level, Fidelity.IMPOSSIBLE, entries, text.fixedBy(action, fix));
    }
}
