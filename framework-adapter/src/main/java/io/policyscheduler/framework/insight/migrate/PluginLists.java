package io.policyscheduler.framework.insight.migrate;

import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.insight.migrate.yaml.YamlList;
import io.policyscheduler.framework.insight.migrate.yaml.YamlMap;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The {@code plugins} of a profile, built up list by list. */
final class PluginLists {
    private static final List<ExtensionPoint> ORDER = List.of(
            ExtensionPoint.PRE_ENQUEUE,
            ExtensionPoint.QUEUE_SORT,
            ExtensionPoint.PRE_FILTER,
            ExtensionPoint.FILTER,
            ExtensionPoint.POST_FILTER,
            ExtensionPoint.PRE_SCORE,
            ExtensionPoint.SCORE,
            ExtensionPoint.RESERVE,
            ExtensionPoint.PRE_BIND,
            ExtensionPoint.BIND);

    private final Lists multiPoint = new Lists(new YamlList(), new YamlList());
    private final Map<ExtensionPoint, Lists> points = new EnumMap<>(ExtensionPoint.class);

    private record Lists(YamlList disabled, YamlList enabled) {
        void disable(String name, String remark) {
            disabled.add(YamlMap.block().put("name", name, remark));
        }

        void enable(String name, long weight, String remark, String weightRemark) {
            YamlMap entry = YamlMap.block().put("name", name, remark);
            if (weight > 0) {
                entry.put("weight", weight, weightRemark);
            }
            enabled.add(entry);
        }

        boolean isEmpty() {
            return disabled.isEmpty() && enabled.isEmpty();
        }

        YamlMap yaml() {
            YamlMap map = YamlMap.block();
            if (!disabled.isEmpty()) {
                map.put("disabled", disabled);
            }
            return enabled.isEmpty() ? map : map.put("enabled", enabled);
        }
    }

    private Lists at(ExtensionPoint point) {
        return points.computeIfAbsent(point, unused -> new Lists(new YamlList(), new YamlList()));
    }

    void disable(ExtensionPoint point, String name, String remark) {
        at(point).disable(name, remark);
    }

    void disableAll(ExtensionPoint point, String remark) {
        at(point).disable(PluginSet.ALL, remark);
    }

    void enable(ExtensionPoint point, String name, String remark) {
        at(point).enable(name, 0, remark, "");
    }

    void enableScore(String name, long weight, String remark) {
        at(ExtensionPoint.SCORE).enable(name, weight, remark, remark);
    }

    void disableEverywhere(String name, String remark) {
        multiPoint.disable(name, remark);
    }

    /** @param weight 0 for a plugin that does not score */
    void enableEverywhere(String name, long weight, String remark, String weightRemark) {
        multiPoint.enable(name, weight, remark, weightRemark);
    }

    /** Empty if nothing is said. */
    YamlMap yaml() {
        YamlMap plugins = YamlMap.block();
        if (!multiPoint.isEmpty()) {
            plugins.put("multiPoint", multiPoint.yaml());
        }
        for (ExtensionPoint point : ORDER) {
            Lists lists = points.get(point);
            if (lists != null && !lists.isEmpty()) {
                plugins.put(point.key(), lists.yaml());
            }
        }
        return plugins;
    }
}
