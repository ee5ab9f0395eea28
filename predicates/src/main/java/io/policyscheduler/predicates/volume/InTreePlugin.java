package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import org.jspecify.annotations.Nullable;

/** The in-tree volume plugins that v1.17 can translate to CSI. Mirrors {@code staging/src/k8s.io/csi-translation-lib}. */
enum InTreePlugin {
    AWS_EBS(
            "kubernetes.io/aws-ebs",
            Volume.Kind.AWS_EBS,
            "ebs.csi.aws.com",
            "topology.ebs.csi.aws.com/zone",
            FeatureGates.CSI_MIGRATION_AWS),
    GCE_PD(
            "kubernetes.io/gce-pd",
            Volume.Kind.GCE_PD,
            "pd.csi.storage.gke.io",
            "topology.gke.io/zone",
            FeatureGates.CSI_MIGRATION_GCE),
    AZURE_DISK(
            "kubernetes.io/azure-disk",
            Volume.Kind.AZURE_DISK,
            "disk.csi.azure.com",
            null,
            FeatureGates.CSI_MIGRATION_AZURE_DISK),
    /** Translatable, but the scheduler of v1.17 never takes it as migrated. */
    AZURE_FILE("kubernetes.io/azure-file", Volume.Kind.AZURE_FILE, "file.csi.azure.com", null, null),
    CINDER(
            "kubernetes.io/cinder",
            Volume.Kind.CINDER,
            "cinder.csi.openstack.org",
            "topology.cinder.csi.openstack.org/zone",
            FeatureGates.CSI_MIGRATION_OPEN_STACK);

    private final String pluginName;
    private final Volume.Kind kind;
    private final String csiDriver;
    private final @Nullable String topologyKey;
    private final @Nullable String gate;

    InTreePlugin(
            String pluginName,
            Volume.Kind kind,
            String csiDriver,
            @Nullable String topologyKey,
            @Nullable String gate) {
        this.pluginName = pluginName;
        this.kind = kind;
        this.csiDriver = csiDriver;
        this.topologyKey = topologyKey;
        this.gate = gate;
    }

    /** Name of the plugin, which is the provisioner of its classes too. */
    String pluginName() {
        return pluginName;
    }

    /** The source that names a disk of this plugin. */
    Volume.Kind kind() {
        return kind;
    }

    /** The CSI driver that takes over. */
    String csiDriver() {
        return csiDriver;
    }

    /** Node label by which the CSI driver names zones; null when translation leaves the node affinity alone. */
    @Nullable
    String topologyKey() {
        return topologyKey;
    }

    /** The gate that turns migration on besides {@code CSIMigration}; null when there is none and it stays off. */
    @Nullable
    String gate() {
        return gate;
    }

    /** The plugin of this source, or null. */
    static @Nullable InTreePlugin ofSource(Volume source) {
        return switch (source.kind()) {
            case AWS_EBS -> AWS_EBS;
            case GCE_PD -> GCE_PD;
            case AZURE_DISK -> AZURE_DISK;
            case AZURE_FILE -> AZURE_FILE;
            case CINDER -> CINDER;
            default -> null;
        };
    }

    /** The plugin of this name, or null. */
    static @Nullable InTreePlugin ofName(String name) {
        for (InTreePlugin plugin : values()) {
            if (plugin.pluginName.equals(name)) {
                return plugin;
            }
        }
        return null;
    }
}
