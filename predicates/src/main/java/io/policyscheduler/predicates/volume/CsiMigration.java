package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which in-tree plugins have handed their volumes to a CSI driver, on which node. Mirrors {@code isCSIMigrationOn} of
 * {@code pkg/scheduler/algorithm/predicates/utils.go}.
 */
final class CsiMigration {
    /** CSINode annotation that lists the migrated plugins of the node, separated by commas. */
    public static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";

    private final Set<InTreePlugin> enabled;

    CsiMigration(FeatureGates gates) {
        Set<InTreePlugin> plugins = EnumSet.noneOf(InTreePlugin.class);
        if (gates.enabled(FeatureGates.CSI_MIGRATION)) {
            for (InTreePlugin plugin : InTreePlugin.values()) {
                String gate = plugin.gate();
                if (gate != null && gates.enabled(gate)) {
                    plugins.add(plugin);
                }
            }
        }
        enabled = Collections.unmodifiableSet(plugins);
    }

    /** False when the gates rule out that {@code plugin} is migrated anywhere; null is no plugin. */
    boolean isEnabled(@Nullable InTreePlugin plugin) {
        return plugin != null && enabled.contains(plugin);
    }

    /** True when the gates are on and the node says that it has migrated {@code plugin}. */
    boolean isMigrated(InTreePlugin plugin, @Nullable CsiNodeInfo csiNode) {
        if (csiNode == null || !enabled.contains(plugin)) {
            return false;
        }
        String migrated = csiNode.annotations().get(MIGRATED_PLUGINS);
        if (migrated == null) {
            return false;
        }
        for (String name : migrated.split(",", -1)) {
            if (name.equals(plugin.pluginName())) {
                return true;
            }
        }
        return false;
    }
}
