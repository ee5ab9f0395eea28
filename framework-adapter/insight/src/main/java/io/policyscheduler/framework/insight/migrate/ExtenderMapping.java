package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ExtenderTls;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.framework.config.PluginNames;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Texts;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Converts the extenders of a policy to the keys and units of a configuration. */
final class ExtenderMapping {
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
                .put("urlPrefix", url, url.equals(extender.urlPrefix()) ? remark : remark + " (put the password back)");
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
                && draft.has(SchedulerChange.EXTENDERS_SEE_IDLE_NODES)) {
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
