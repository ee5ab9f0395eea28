package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.Layout;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.ProfileLayout.DefaultsLayout;
import io.policyscheduler.framework.insight.migrate.ProfileLayout.MultiPointLayout;
import io.policyscheduler.framework.insight.migrate.ProfileLayout.PointsLayout;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts a policy to a KubeSchedulerConfiguration. Mirrors {@code legacy_registry.go} of 1.19 to 1.22, and adds the later
 * releases that removed plugins.
 *
 * <p>The profile has the shortest equivalent form: the defaults of the release with other weights, if the policy has the same
 * filter plugins; every plugin listed once, if the version has {@code multiPoint}; otherwise the lists of the single extension
 * points. The last form is also used if volumes are bound, because the default lists for reserving and binding are then needed.
 */
public final class Migrator {
    private final MigrationTarget target;
    private final Options options;

    /** A migrator for one target. */
    public Migrator(MigrationTarget target, Options options) {
        this.target = target;
        this.options = options;
    }

    /**
     * Migrates a policy.
     *
     * @param policy the effective policy of the file or provider
     * @param file the policy as written, for names of entries; null for a provider
     */
    public Migration migrate(EffectivePolicy policy, @Nullable Policy file) {
        return migrate(policy, file, null);
    }

    /**
     * Migrates the policy of a v1alpha1 configuration, and the plugins and settings next to it.
     *
     * @param file the policy as written, for names of entries; null for a provider
     * @param configuration the configuration that refers to the policy; null if there is none
     */
    public Migration migrate(
            EffectivePolicy policy, @Nullable Policy file, @Nullable SchedulerConfiguration configuration) {
        MigrationPlan draft = new MigrationPlan(policy.withMergedLabels(), file, target, options);
        new FilterMapping(draft).map();
        Layout layout = layout(draft);
        new ScoreMapping(draft).map();
        ProfileLayout lists = plugins(draft, layout);
        PluginsFromV1alpha1 added = configuration == null ? null : new PluginsFromV1alpha1(draft, configuration);
        if (added != null) {
            added.addTo(lists);
        }
        YamlMap plugins = lists.yaml();
        YamlList extenders = new ExtenderMapping(draft).extenders();
        if (options.acceptDefaults() && layout != Layout.DEFAULTS) {
            draft.findings.warn(
                    FindingCode.M045,
                    List.of(),
                    Texts.of(
                            "the policy's weights stay",
                            "The predicates are not the default ones. --accept-defaults has no effect, and the weights of the"
                                    + " policy stay."));
        }
        new MigrationChecks(draft, layout).report();

        YamlMap profile = YamlMap.block().put("schedulerName", options.schedulerName());
        if (!plugins.isEmpty()) {
            profile.put("plugins", plugins);
        }
        YamlList arguments = arguments(draft);
        if (!arguments.isEmpty()) {
            profile.put("pluginConfig", arguments);
        }
        YamlMap root = YamlMap.block()
                .put("apiVersion", target.version().apiVersion())
                .put("kind", ConfigVersion.KIND)
                .put("profiles", new YamlList().add(profile));
        if (!extenders.isEmpty()) {
            root.put("extenders", extenders);
        }
        if (added != null) {
            added.addSettings(root);
        }
        String heading = "Migrated from " + draft.items.shortName() + " for kube-scheduler " + target.release()
                + ". Comments name the entries of the policy, or explain a line.";
        return new Migration(
                policy,
                target,
                layout,
                YamlWriter.write(List.of(heading), root),
                draft.findings.all(draft.plan),
                draft.retained.policies());
    }

    private static Layout layout(MigrationPlan draft) {
        if (draft.hasDefaultFilters()) {
            return Layout.DEFAULTS;
        }
        boolean volumes = draft.plan.filters().containsKey(PluginNames.VOLUME_BINDING);
        return draft.target.hasMultiPoint() && !volumes ? Layout.MULTI_POINT : Layout.POINTS;
    }

    private static ProfileLayout plugins(MigrationPlan draft, Layout layout) {
        if (layout == Layout.DEFAULTS) {
            DefaultsLayout defaults = new DefaultsLayout(draft);
            defaults.pruneArguments();
            defaults.report();
            return defaults.plugins();
        }
        return layout == Layout.POINTS ? new PointsLayout(draft).plugins() : new MultiPointLayout(draft).plugins();
    }

    private static YamlList arguments(MigrationPlan draft) {
        YamlList list = new YamlList();
        for (Map.Entry<String, YamlMap> entry : draft.plan.arguments().entrySet()) {
            List<PolicyItem> items = draft.plan.items(entry.getKey());
            String remark = items.isEmpty() ? ExtenderMapping.NO_ARGUMENTS_REMARK : PolicyEntries.remark(items);
            list.add(YamlMap.block().put("name", entry.getKey(), remark).put("args", entry.getValue()));
        }
        return list;
    }

    /**
     * The options of a migration.
     *
     * @param schedulerName name of the profile
     * @param acceptDefaults use the weights of the release if the predicates are the default ones
     * @param keepWithExtender run algorithms without a plugin in an extender of this program
     * @param extenderUrl the address of that extender, with a port; a second one uses the next port
     * @param extenderPolicyFile the file name of that extender's policy, for messages
     */
    public record Options(
            String schedulerName,
            boolean acceptDefaults,
            boolean keepWithExtender,
            String extenderUrl,
            String extenderPolicyFile) {
        /** The default of {@code spec.schedulerName}. */
        public static final String DEFAULT_SCHEDULER = "default-scheduler";

        /** The default address of our extender. */
        public static final String DEFAULT_URL = "http://127.0.0.1:8888";

        /** Preserves the weights, and uses an extender only for rules. */
        public static final Options DEFAULTS =
                new Options(DEFAULT_SCHEDULER, false, false, DEFAULT_URL, "extender-policy.json");
    }

    /**
     * A policy as a KubeSchedulerConfiguration.
     *
     * @param policy the policy
     * @param target the version and release of the configuration
     * @param layout the form of the profile
     * @param configuration the whole file, YAML, with comments that name the entries of the policy
     * @param findings the result for every item of the policy, the most severe first
     * @param retained the policies for {@code policy-scheduler extender}; empty if the configuration does not call it
     */
    public record Migration(
            EffectivePolicy policy,
            MigrationTarget target,
            Layout layout,
            String configuration,
            List<Finding> findings,
            List<ExtenderPolicy> retained) {
        public Migration {
            findings = ImmutableList.copyOf(findings);
            retained = ImmutableList.copyOf(retained);
        }

        /** Returns the number of losses, whatever their level. */
        public long losses() {
            return findings.stream().filter(Finding::isLoss).count();
        }

        /** Returns the number of findings of a level. */
        public long count(Level level) {
            return findings.stream().filter(finding -> finding.level() == level).count();
        }

        /** Returns whether an error was found, that is, whether a part of the policy is lost. */
        public boolean loses() {
            return count(Level.ERROR) > 0;
        }

        /**
         * A reduced policy that an extender of this program serves in addition to the migrated configuration.
         *
         * @param file the file name, as in findings
         * @param text the policy, JSON
         * @param urlPrefix the address of the extender in the configuration
         * @param entry the entry of {@code extenders} in one line
         * @param command the command that starts the extender
         * @param items the entries of the policy that it serves
         */
        public record ExtenderPolicy(
                String file, String text, String urlPrefix, String entry, String command, List<String> items) {
            public ExtenderPolicy {
                items = ImmutableList.copyOf(items);
            }
        }

        /** The form of a profile. */
        enum Layout {
            /** The default plugins of the release, with other weights if needed. */
            DEFAULTS,
            /** The lists of filters and scores at their extension points; defaults at the others. */
            POINTS,
            /**
             * Every plugin listed once with {@code multiPoint}, and disabled at the extension points that the policy does not use.
             */
            MULTI_POINT
        }
    }
}
