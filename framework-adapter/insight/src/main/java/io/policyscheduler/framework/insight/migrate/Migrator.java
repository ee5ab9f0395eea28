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
 * Turns a policy into a KubeSchedulerConfiguration. Mirrors what {@code legacy_registry.go} of 1.19 to 1.22 did at start, and
 * goes on from there to the releases that dropped plugins.
 *
 * <p>The profile is written in the shortest way that says the same: as the defaults of the release with other weights, when
 * the policy filters with the same plugins; with every plugin listed once, where the version has {@code multiPoint}; with the
 * lists of the single points otherwise, and where volumes are bound, as the default lists for reserving and binding are then
 * needed.
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
     * @param policy what the file or the provider comes to
     * @param file the policy as written, for names of entries; null for a provider
     */
    public Migration migrate(EffectivePolicy policy, @Nullable Policy file) {
        return migrate(policy, file, null);
    }

    /**
     * Migrates the policy of a v1alpha1 configuration, and the plugins and settings next to it.
     *
     * @param file the policy as written, for names of entries; null for a provider
     * @param configuration the configuration that names the policy; null if there is none
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
                + ". The comment on each line names the policy entry that it comes from.";
        return new Migration(
                policy,
                target,
                layout,
                YamlWriter.write(List.of(heading), root),
                draft.findings.all(draft.plan),
                draft.kept.policies());
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
     * How a policy is migrated.
     *
     * @param schedulerName name of the profile
     * @param acceptDefaults take the weights of the release where the predicates are the default ones
     * @param keepWithExtender serve what no plugin can do by an extender of this program
     * @param extenderUrl where that extender will listen, with a port; a second one listens at the next port
     * @param extenderPolicyFile what the policy of that extender will be called, for messages
     */
    public record Options(
            String schedulerName,
            boolean acceptDefaults,
            boolean keepWithExtender,
            String extenderUrl,
            String extenderPolicyFile) {
        /** The name that pods have when they say none. */
        public static final String DEFAULT_SCHEDULER = "default-scheduler";

        /** Where our extender listens when it is not told otherwise. */
        public static final String DEFAULT_URL = "http://127.0.0.1:8888";

        /** Keeps the weights and adds an extender only for rules. */
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
     * @param kept the policies for {@code policy-scheduler extender}; empty if the configuration does not call it
     */
    public record Migration(
            EffectivePolicy policy,
            MigrationTarget target,
            Layout layout,
            String configuration,
            List<Finding> findings,
            List<ExtenderPolicy> kept) {
        public Migration {
            findings = ImmutableList.copyOf(findings);
            kept = ImmutableList.copyOf(kept);
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
         * A reduced policy that an extender of this program serves beside the migrated configuration.
         *
         * @param file what to call the file, as the findings name it
         * @param text the policy, JSON
         * @param urlPrefix where the configuration expects the extender
         * @param entry the entry of {@code extenders} in one line
         * @param command how to start the extender
         * @param items the entries of the policy that it serves
         */
        public record ExtenderPolicy(
                String file, String text, String urlPrefix, String entry, String command, List<String> items) {
            public ExtenderPolicy {
                items = ImmutableList.copyOf(items);
            }
        }

        /** How a profile says what it runs. */
        enum Layout {
            /** The plugins of the release, where need be with other weights. */
            DEFAULTS,
            /** The filters and scores listed at their points, the other points as the release has them. */
            POINTS,
            /** Every plugin listed once for all its points, without the halves that the policy does not have. */
            MULTI_POINT
        }
    }
}
