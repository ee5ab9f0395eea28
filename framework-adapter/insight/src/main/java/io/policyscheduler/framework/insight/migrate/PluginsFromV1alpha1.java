package io.policyscheduler.framework.insight.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.config.ProfilePlugins.PluginEntry;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.PluginArguments;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import io.policyscheduler.framework.insight.migrate.Finding.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlNode;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The plugins that a {@code v1alpha1} configuration adds to its policy, and its other settings. Mirrors {@code NewFramework} of
 * 1.17, which runs them after the plugins of the policy.
 */
final class PluginsFromV1alpha1 {
    private static final List<String> SETTINGS =
            List.of("percentageOfNodesToScore", "podInitialBackoffSeconds", "podMaxBackoffSeconds");
    private static final List<String> CLIENT = List.of("kubeconfig", "qps", "burst");
    private static final List<String> ELECTION = List.of(
            "leaderElect", "leaseDuration", "renewDeadline", "retryPeriod", "resourceNamespace", "resourceName");

    private final MigrationPlan draft;
    private final SchedulerConfiguration configuration;
    private final ProfileConfiguration profile;
    private final Set<String> foreign = new LinkedHashSet<>();

    PluginsFromV1alpha1(MigrationPlan draft, SchedulerConfiguration configuration) {
        this.draft = draft;
        this.configuration = configuration;
        this.profile = configuration.profiles().get(0);
    }

    /** Adds the plugins to the lists of the migrated profile, and reports what is lost. */
    void addTo(ProfileLayout lists) {
        profile.plugins().points().forEach((point, set) -> add(lists, point, set));
        Set<String> reserving =
                Set.copyOf(profile.plugins().at(ExtensionPoint.RESERVE).names());
        PluginSet unreserve = profile.plugins().unreserve();
        add(
                lists,
                ExtensionPoint.RESERVE,
                new PluginSet(
                        unreserve.enabled().stream()
                                .filter(entry -> !reserving.contains(entry.name()))
                                .toList(),
                        List.of()));
        if (!foreign.isEmpty()) {
            draft.findings.info(
                    FindingCode.M048,
                    List.of(),
                    Texts.of(
                                    "needed: " + String.join(", ", foreign),
                                    "The configuration enables " + String.join(", ", foreign)
                                            + ", which kube-scheduler does not contain.")
                            .fixedBy("build them in", "Run a scheduler that contains these plugins."));
        }
    }

    private void add(ProfileLayout lists, ExtensionPoint written, PluginSet set) {
        if (set.enabled().isEmpty()) {
            return;
        }
        // Up to v1alpha1, PostFilter was what is now PreScore.
        ExtensionPoint point = written == ExtensionPoint.POST_FILTER ? ExtensionPoint.PRE_SCORE : written;
        boolean replaces = point == ExtensionPoint.BIND || point == ExtensionPoint.QUEUE_SORT;
        if (replaces) {
            lists.disableAll(point, "the configuration replaces it");
        }
        for (PluginEntry entry : set.enabled()) {
            add(lists, point, entry);
        }
        if (point == ExtensionPoint.BIND) {
            lists.enable(point, PluginNames.DEFAULT_BINDER, "binds what the plugins above skip");
        }
    }

    private void add(ProfileLayout lists, ExtensionPoint point, PluginEntry entry) {
        String name = entry.name();
        PolicyItem item = draft.items.at(name, entry.position());
        if (draft.plugins.isInTree(name) && !draft.plugins.implementsPoint(name, point)) {
            draft.findings.add(
                    FindingCode.M047,
                    Level.ERROR,
                    Fidelity.IMPOSSIBLE,
                    List.of(item),
                    Texts.of(
                            "no plugin at " + point.key(),
                            configuration.file() + " enables " + name + " at " + point.key() + ", which "
                                    + draft.target.release() + " does not have."));
            return;
        }
        String remark = configuration.file().replaceFirst(".*/", "") + ":"
                + entry.position().line();
        if (!draft.plugins.isInTree(name)) {
            foreign.add(name);
        }
        boolean filters = draft.plan.filters().containsKey(name);
        if (point == ExtensionPoint.SCORE) {
            if (draft.plan.scores().containsKey(name)) {
                return;
            }
            half(lists, ExtensionPoint.PRE_SCORE, name, remark);
            lists.enableScore(name, entry.weight(), remark);
        } else if (point == ExtensionPoint.FILTER || point == ExtensionPoint.PRE_FILTER) {
            if (filters) {
                return;
            }
            if (point == ExtensionPoint.FILTER) {
                half(lists, ExtensionPoint.PRE_FILTER, name, remark);
            }
            lists.enable(point, name, remark);
        } else {
            lists.enable(point, name, remark);
        }
        arguments(name);
    }

    /**
     * Adds the preparing extension point of a plugin. In 1.17, in-tree plugins have none, so configurations list only the second
     * one.
     */
    private void half(ProfileLayout lists, ExtensionPoint before, String name, String remark) {
        ExtensionPoint written = before == ExtensionPoint.PRE_SCORE ? ExtensionPoint.POST_FILTER : before;
        if (draft.plugins.implementsPoint(name, before)
                && !profile.plugins().at(written).enables(name)) {
            lists.enable(before, name, remark);
        }
    }

    private void arguments(String name) {
        profile.argumentsOf(name)
                .filter(PluginArguments::given)
                .map(PluginArguments::args)
                .filter(JsonNode::isObject)
                .ifPresent(args -> args.properties()
                        .forEach(entry -> put(draft.plan.arguments(name), entry.getKey(), entry.getValue())));
    }

    /** Adds the settings of the configuration that the target version has. */
    void addSettings(YamlMap root) {
        JsonNode document = configuration.document();
        SETTINGS.stream().filter(document::has).forEach(key -> put(root, key, document.get(key)));
        YamlMap client = selected(document.path("clientConnection"), CLIENT);
        if (!client.isEmpty()) {
            root.put("clientConnection", client);
        }
        YamlMap election = selected(document.path("leaderElection"), ELECTION);
        if (!election.isEmpty()) {
            root.put("leaderElection", election.put("resourceLock", "leases"));
        }
    }

    private static YamlMap selected(JsonNode node, List<String> keys) {
        YamlMap map = YamlMap.block();
        keys.stream().filter(node::has).forEach(key -> put(map, key, node.get(key)));
        return map;
    }

    private static void put(YamlMap map, String key, JsonNode value) {
        if (value.isContainerNode()) {
            map.put(key, yaml(value));
        } else {
            map.put(key, scalar(value));
        }
    }

    private static YamlNode yaml(JsonNode value) {
        if (value.isObject()) {
            YamlMap map = YamlMap.block();
            value.properties().forEach(entry -> put(map, entry.getKey(), entry.getValue()));
            return map;
        }
        YamlList list = new YamlList();
        value.forEach(item -> {
            if (item.isContainerNode()) {
                list.add(yaml(item));
            } else {
                list.add(scalar(item), "");
            }
        });
        return list;
    }

    private static Object scalar(JsonNode value) {
        return value.isNumber()
                ? value.numberValue()
                : value.isBoolean() ? (Object) value.booleanValue() : value.asText();
    }
}
