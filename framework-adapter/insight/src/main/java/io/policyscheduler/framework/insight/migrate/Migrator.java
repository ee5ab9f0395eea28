package io.policyscheduler.framework.insight.migrate;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
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
import java.time.Duration;
import java.util.ArrayList;
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

    /** Converts the extenders of a policy to the keys and units of a configuration. */
    static final class ExtenderMapping {
        static final String NO_ARGUMENTS_REMARK = "ignoredByScheduler requires it, although the plugin is not used";

        private final MigrationPlan draft;

        ExtenderMapping(MigrationPlan draft) {
            this.draft = draft;
        }

        /** The entries, with the additional extenders at the end; empty for none. */
        YamlList extenders() {
            YamlList list = new YamlList();
            Policy file = draft.items.file();
            List<ExtenderConfig> extenders = file == null ? draft.policy.extenders() : file.extenders();
            for (ExtenderConfig extender : extenders) {
                PolicyItem item = draft.items.at("extender", extender.position());
                list.add(entry(extender, item.remark()));
                report(
                        extender,
                        new PolicyItem(
                                "extender " + VisibleText.withoutPasswords(extender.urlPrefix()),
                                item.key(),
                                item.position(),
                                item.place()));
            }
            boolean ignored = extenders.stream()
                    .flatMap(extender -> extender.managedResources().stream())
                    .anyMatch(ManagedResource::ignoredByScheduler);
            if (ignored && !draft.plan.uses(PluginNames.NODE_RESOURCES_FIT)) {
                draft.plan.arguments(PluginNames.NODE_RESOURCES_FIT);
                draft.findings.exact(
                        FindingCode.M052,
                        List.of(),
                        Texts.of(
                                "empty NodeResourcesFit added",
                                "pluginConfig has an empty NodeResourcesFit: " + NO_ARGUMENTS_REMARK + "."));
            }
            draft.retained.entries().forEach(list::add);
            return list;
        }

        private static YamlMap entry(ExtenderConfig extender, String remark) {
            String url = VisibleText.withoutPasswords(extender.urlPrefix());
            YamlMap entry = YamlMap.block()
                    .put(
                            "urlPrefix",
                            url,
                            url.equals(extender.urlPrefix()) ? remark : remark + " (put the password back)");
            text(entry, "filterVerb", extender.filterVerb(), remark);
            text(entry, "preemptVerb", extender.preemptVerb(), remark);
            text(entry, "prioritizeVerb", extender.prioritizeVerb(), remark);
            if (extender.weight() != 0) {
                entry.put("weight", extender.weight(), remark);
            }
            text(entry, "bindVerb", extender.bindVerb(), remark);
            entry.put("enableHTTPS", extender.enableHttps(), remark);
            ExtenderTls tls = extender.tlsConfig();
            if (tls != null) {
                entry.put("tlsConfig", tls(tls, remark), remark);
            }
            if (extender.httpTimeoutNanos() != 0) {
                String duration = GoDuration.format(Duration.ofNanos(extender.httpTimeoutNanos()));
                entry.put("httpTimeout", duration, remark + " (" + extender.httpTimeoutNanos() + " ns)");
            }
            entry.put("nodeCacheCapable", extender.nodeCacheCapable(), remark);
            if (!extender.managedResources().isEmpty()) {
                YamlList resources = new YamlList();
                for (ManagedResource resource : extender.managedResources()) {
                    resources.add(YamlMap.block()
                            .put("name", resource.name(), remark)
                            .put("ignoredByScheduler", resource.ignoredByScheduler(), remark));
                }
                entry.put("managedResources", resources);
            }
            return entry.put("ignorable", extender.ignorable(), remark);
        }

        private static YamlMap tls(ExtenderTls tls, String remark) {
            YamlMap map = YamlMap.block().put("insecure", tls.insecure(), remark);
            text(map, "serverName", tls.serverName(), remark);
            text(map, "certFile", tls.certFile(), remark);
            text(map, "keyFile", tls.keyFile(), remark);
            text(map, "caFile", tls.caFile(), remark);
            text(map, "certData", tls.certData(), remark);
            text(map, "keyData", tls.keyData(), remark);
            text(map, "caData", tls.caData(), remark);
            return map;
        }

        private static void text(YamlMap map, String key, String value, String remark) {
            if (!value.isEmpty()) {
                map.put(key, value, remark);
            }
        }

        private void report(ExtenderConfig extender, PolicyItem item) {
            List<String> changes = new ArrayList<>(List.of("enableHttps is enableHTTPS"));
            if (extender.httpTimeoutNanos() != 0) {
                changes.add("httpTimeout " + extender.httpTimeoutNanos() + " is "
                        + GoDuration.format(Duration.ofNanos(extender.httpTimeoutNanos())));
            }
            draft.findings.exact(
                    FindingCode.M050,
                    List.of(item),
                    Texts.of(
                            "same calls and weight",
                            "The calls and the weight are the same. Some keys have other names or units: "
                                    + String.join(", ", changes)
                                    + ". A response may also contain FailedAndUnresolvableNodes. Its NodeNames must be among those"
                                    + " of the request."));
            if (!extender.nodeCacheCapable()
                    && !extender.filterVerb().isEmpty()
                    && draft.has(SchedulerChange.SCORES_AFTER_EXTENDERS)) {
                draft.findings.warn(
                        FindingCode.M051,
                        List.of(item),
                        Texts.of(
                                        "other scores read empty nodes",
                                        "nodeCacheCapable: false: since 1.33, scores that read the pods or images of a node read"
                                                + " empty nodes after the filter call (resources, spreading by host, images).")
                                .fixedBy(
                                        "nodeCacheCapable: true",
                                        "Set nodeCacheCapable: true if the extender can respond with node names."));
            }
        }
    }

    /** Reports the changes that are not about a single entry of the policy. */
    static final class MigrationChecks {
        private static final String USE_CONFIG = "use --config";
        private static final String CLIENT_CONNECTION =
                "Add clientConnection: {kubeconfig: FILE} to the configuration to replace --kubeconfig.";

        private final MigrationPlan draft;
        private final Layout layout;

        MigrationChecks(MigrationPlan draft, Layout layout) {
            this.draft = draft;
            this.layout = layout;
        }

        void report() {
            settings();
            emptyLists();
            additions();
            if (layout != Layout.DEFAULTS) {
                missingFilters();
            }
            surroundings();
        }

        private void settings() {
            if (draft.policy.alwaysCheckAllPredicates()) {
                Policy file = draft.items.file();
                SourcePosition position = file == null ? SourcePosition.UNKNOWN : file.alwaysCheckPosition();
                draft.findings.exact(
                        FindingCode.M031,
                        List.of(draft.items.at("alwaysCheckAllPredicates", position)),
                        Texts.of(
                                "dropped: had no effect",
                                "dropped: filters stop at the first failure, as in 1.17.17, where predicates run as plugins"));
            }
        }

        private void emptyLists() {
            if (draft.policy.priorities().isEmpty()) {
                draft.findings.exact(
                        FindingCode.M043,
                        List.of(),
                        Texts.of(
                                "no scores: the first feasible node is used",
                                "The policy has no priorities. All nodes score the same, and the search stops at the first feasible"
                                        + " node."));
            }
            Policy file = draft.items.file();
            if (file != null && file.predicates() != null && file.predicates().isEmpty()) {
                draft.findings.exact(
                        FindingCode.M044,
                        List.of(),
                        Texts.of(
                                "only taints and cordons are checked",
                                "The policy has no predicates. Only taints and cordoned nodes are checked, and kubelets can reject"
                                        + " the pods."));
            }
        }

        private void additions() {
            if (layout != Layout.MULTI_POINT) {
                return;
            }
            String gates = draft.plugins.exists(PluginNames.SCHEDULING_GATES) ? ", SchedulingGates" : "";
            draft.findings.exact(
                    FindingCode.M040,
                    List.of(),
                    Texts.of(
                            "added to the configuration",
                            "Every configuration needs these plugins, so they were added: PrioritySort, DefaultBinder,"
                                    + " DefaultPreemption" + gates + ", and the mandatory predicates."));
        }

        private void missingFilters() {
            List<String> missing = draft.plugins.defaultFilters().stream()
                    .filter(plugin -> !draft.plan.filters().containsKey(plugin))
                    .toList();
            if (missing.isEmpty()) {
                return;
            }
            String volumes = missing.contains(PluginNames.VOLUME_BINDING)
                    ? " Volume claims that wait for their first consumer are never bound."
                    : "";
            String claims = missing.contains(PluginNames.DYNAMIC_RESOURCES)
                    ? " Pods with resource claims get no devices (no allocation)."
                    : "";
            draft.findings.warn(
                    FindingCode.M041,
                    List.of(),
                    Texts.of(
                                    missing.size() + " default filters stay off",
                                    "These default filters have no predicate in the policy and stay off: "
                                            + String.join(", ", missing) + "." + volumes + claims)
                            .fixedBy("enable those you need", "Enable the filters that your pods need."));
        }

        private void surroundings() {
            if (draft.plugins.hasNoPolicies()) {
                draft.findings.info(
                        FindingCode.M060,
                        List.of(),
                        Texts.of(
                                        "the policy flags no longer exist",
                                        "kube-scheduler does not start with --policy-config-file, --policy-configmap,"
                                                + " --policy-configmap-namespace, --use-legacy-policy-config, or"
                                                + " --algorithm-provider. With --config, --kubeconfig is ignored. Leader election"
                                                + " must use leases. v1beta3 and later have no healthzBindAddress and"
                                                + " metricsBindAddress.")
                                .fixedBy(USE_CONFIG, "Replace these flags by --config. " + CLIENT_CONNECTION));
            } else {
                draft.findings.info(
                        FindingCode.M060,
                        List.of(),
                        Texts.of(
                                        "--config excludes the policy flags",
                                        "The policy flags cannot be combined with --config. With --config, --kubeconfig is ignored.")
                                .fixedBy(
                                        USE_CONFIG,
                                        "Remove --policy-config-file and the other policy flags. "
                                                + CLIENT_CONNECTION));
            }
            draft.findings.info(
                    FindingCode.M061,
                    List.of(),
                    Texts.of(
                                    "texts of reasons change",
                                    "Some reasons in events have other texts: \"Too many pods\" (was \"Insufficient pods\"), \"didn't"
                                            + " match Pod's node affinity/selector\", \"had untolerated taint {key: value}\"."
                                            + " A node with several reasons counts for each of them.")
                            .fixedBy("adapt your alerts", "Adapt alerts that match on these texts."));
            draft.findings.info(
                    FindingCode.M062,
                    List.of(),
                    Texts.of(
                            "checks only some of the nodes",
                            "Preemption checks 10% of the nodes, but at least 100, and starts at a random node. v1.17 checks all nodes. Each"
                                    + " victim counts against its disruption budget."));
            draft.findings.info(
                    FindingCode.M063,
                    List.of(),
                    Texts.of(
                            "newer fields take effect",
                            "Pod fields that v1.17 ignores take effect: topologySpreadConstraints, ReadWriteOncePod claims,"
                                    + " namespaceSelector, and, depending on the release, scheduling gates, sidecars, and pod-level"
                                    + " resources."));
            if (draft.target.release().compareTo(Release.NEWEST) > 0) {
                draft.findings.info(
                        FindingCode.M064,
                        List.of(),
                        Texts.of(
                                "plugins are those of " + Release.NEWEST,
                                "The plugins and extension points are those of " + Release.NEWEST
                                        + ", the newest release that this program supports, not those of "
                                        + draft.target.release() + "."));
            }
        }
    }
}
