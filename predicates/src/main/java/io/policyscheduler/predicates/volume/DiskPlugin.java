package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.regex.Pattern;

/** The disks whose number on a node is limited, with the limits of v1.17: one entry a volume-count predicate. */
public enum DiskPlugin {
    /** AWS Elastic Block Store. */
    EBS("MaxEBSVolumeCount", InTreePlugin.AWS_EBS, "attachable-volumes-aws-ebs", 39),
    /** GCE persistent disk. */
    GCE_PD("MaxGCEPDVolumeCount", InTreePlugin.GCE_PD, "attachable-volumes-gce-pd", 16),
    /** Azure managed and blob disks. */
    AZURE_DISK("MaxAzureDiskVolumeCount", InTreePlugin.AZURE_DISK, "attachable-volumes-azure-disk", 16),
    /** OpenStack Cinder. */
    CINDER("MaxCinderVolumeCount", InTreePlugin.CINDER, "attachable-volumes-cinder", 256);

    private static final String INSTANCE_TYPE = "beta.kubernetes.io/instance-type";
    private static final String STABLE_INSTANCE_TYPE = "node.kubernetes.io/instance-type";
    /** Instances on Nitro hardware; only the first alternative is anchored. */
    private static final Pattern NITRO = Pattern.compile("^[cmr]5.*|t3|z1d");

    private static final int NITRO_LIMIT = 25;

    private final String predicateName;
    private final InTreePlugin plugin;
    private final String limitKey;
    private final int defaultLimit;

    DiskPlugin(String predicateName, InTreePlugin plugin, String limitKey, int defaultLimit) {
        this.predicateName = predicateName;
        this.plugin = plugin;
        this.limitKey = limitKey;
        this.defaultLimit = defaultLimit;
    }

    /** Name of the predicate in a Policy file, e.g. {@code MaxEBSVolumeCount}. */
    public String predicateName() {
        return predicateName;
    }

    InTreePlugin plugin() {
        return plugin;
    }

    /** The allocatable resource by which a node states its own limit. */
    String limitKey() {
        return limitKey;
    }

    /** The limit of a node that states none, where the administrator set none either. */
    int defaultLimit(Labels nodeLabels) {
        if (this != EBS) {
            return defaultLimit;
        }
        String type = nodeLabels.get(INSTANCE_TYPE);
        if (type == null) {
            type = nodeLabels.getOrEmpty(STABLE_INSTANCE_TYPE);
        }
        return NITRO.matcher(type).find() ? NITRO_LIMIT : defaultLimit;
    }
}
