package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.CsiNodeInfo;
import io.policyscheduler.engine.cluster.LabelRequirement;
import io.policyscheduler.engine.cluster.Node;
import io.policyscheduler.engine.cluster.NodeSelectorTerm;
import io.policyscheduler.engine.cluster.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.Volume;
import io.policyscheduler.framework.plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The volume plugins of Kubernetes whose volumes CSI drivers have taken over. Mirrors
 * {@code staging/src/k8s.io/csi-translation-lib} and {@code pkg/scheduler/framework/plugins/nodevolumelimits/utils.go}.
 */
enum CsiMigration {
    AWS_EBS("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"),
    GCE_PD("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"),
    AZURE_DISK("kubernetes.io/azure-disk", "disk.csi.azure.com", null),
    CINDER("kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone");

    private static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";
    private static final String ZONE_DELIMITER = "__";
    private static final String AWS_SCHEME = "aws://";

    private final String pluginName;
    private final String driver;
    private final @Nullable String topologyKey;

    CsiMigration(String pluginName, String driver, @Nullable String topologyKey) {
        this.pluginName = pluginName;
        this.driver = driver;
        this.topologyKey = topologyKey;
    }

    /** The CSI driver that took over. */
    String driver() {
        return driver;
    }

    /** The plugin of this source, or null. */
    static @Nullable CsiMigration ofSource(Volume source) {
        return switch (source.kind()) {
            case AWS_EBS -> AWS_EBS;
            case GCE_PD -> GCE_PD;
            case AZURE_DISK -> AZURE_DISK;
            case CINDER -> CINDER;
            default -> null;
        };
    }

    /** The plugin whose classes name this provisioner, or null. */
    static @Nullable CsiMigration ofProvisioner(String provisioner) {
        for (CsiMigration plugin : values()) {
            if (plugin.pluginName.equals(provisioner)) {
                return plugin;
            }
        }
        return null;
    }

    /** True when the node says that it has migrated this plugin. */
    boolean isMigratedOn(@Nullable CsiNodeInfo csiNode) {
        String migrated = csiNode == null ? null : csiNode.annotations().get(MIGRATED_PLUGINS);
        return migrated != null && List.of(migrated.split(",", -1)).contains(pluginName);
    }

    /** The driver's handle of a volume inside a pod; null when it has none. */
    @Nullable
    String handle(Volume source) {
        return switch (this) {
            case AWS_EBS -> awsHandle(source.id());
            case GCE_PD -> gceHandle("zones/UNSPECIFIED", source.id());
            case AZURE_DISK -> source.detail();
            case CINDER -> source.id();
        };
    }

    /** The driver's handle of a persistent volume; null when it cannot be translated. */
    @Nullable
    String handle(PersistentVolumeInfo volume) {
        if (this != GCE_PD) {
            return handle(volume.source());
        }
        String label = volume.labels().get(zoneLabel(volume));
        if (label == null || label.isEmpty()) {
            return handle(volume.source());
        }
        String[] zones = label.split(ZONE_DELIMITER, -1);
        if (zones.length == 1) {
            return gceHandle("zones/" + zones[0], volume.source().id());
        }
        String region = commonRegion(zones);
        return region == null
                ? null
                : gceHandle("regions/" + region, volume.source().id());
    }

    private static @Nullable String awsHandle(String id) {
        if (!id.startsWith(AWS_SCHEME)) {
            return id;
        }
        String rest = id.substring(AWS_SCHEME.length());
        String handle = rest.substring(rest.indexOf('/') + 1);
        return handle.startsWith("vol-") && handle.indexOf('/') < 0 ? handle : null;
    }

    private static String gceHandle(String place, String disk) {
        return "projects/UNSPECIFIED/" + place + "/disks/" + disk;
    }

    /** {@code europe-west1} for zones like {@code europe-west1-b}; null when they are not all of one region. */
    private static @Nullable String commonRegion(String[] zones) {
        @Nullable String region = null;
        for (String zone : zones) {
            int dash = zone.lastIndexOf('-');
            String ofZone = dash < 0 ? "" : zone.substring(0, dash);
            if (ofZone.indexOf('-') <= 0 || (region != null && !region.equals(ofZone))) {
                return null;
            }
            region = ofZone;
        }
        return region;
    }

    /**
     * The volume's node affinity in the driver's terms; null when it reaches every node.
     *
     * @throws PluginException when its zone label names no zone
     */
    @Nullable
    List<NodeSelectorTerm> nodeAffinity(PersistentVolumeInfo volume) {
        List<NodeSelectorTerm> terms = volume.requiredTerms();
        if (topologyKey == null) {
            return terms;
        }
        String zoneKey = zoneLabel(volume);
        if (mentions(terms, zoneKey)) {
            terms = renamed(terms, zoneKey, topologyKey);
        } else if (volume.labels().has(zoneKey)) {
            terms = inZones(terms, topologyKey, volume.labels().getOrEmpty(zoneKey));
        }
        boolean legacy = zoneKey.equals(Node.LEGACY_ZONE);
        return legacy && mentions(terms, Node.LEGACY_REGION) ? renamed(terms, Node.LEGACY_REGION, Node.REGION) : terms;
    }

    /** Which of both zone labels the volume uses: node affinity decides before labels, the newer label before the older. */
    private static String zoneLabel(PersistentVolumeInfo volume) {
        if (mentions(volume.requiredTerms(), Node.ZONE)) {
            return Node.ZONE;
        }
        if (mentions(volume.requiredTerms(), Node.LEGACY_ZONE)) {
            return Node.LEGACY_ZONE;
        }
        return !volume.labels().has(Node.ZONE) && volume.labels().has(Node.LEGACY_ZONE) ? Node.LEGACY_ZONE : Node.ZONE;
    }

    private static boolean mentions(@Nullable List<NodeSelectorTerm> terms, String key) {
        return terms != null
                && terms.stream()
                        .flatMap(term -> term.expressions().stream())
                        .anyMatch(expression -> expression.key().equals(key));
    }

    private static @Nullable List<NodeSelectorTerm> renamed(
            @Nullable List<NodeSelectorTerm> terms, String from, String to) {
        if (terms == null) {
            return null;
        }
        List<NodeSelectorTerm> renamed = new ArrayList<>();
        for (NodeSelectorTerm term : terms) {
            List<LabelRequirement> expressions = new ArrayList<>();
            for (LabelRequirement expression : term.expressions()) {
                expressions.add(
                        expression.key().equals(from)
                                ? LabelRequirement.ofNodeSelector(to, expression.operator(), expression.values())
                                : expression);
            }
            renamed.add(new NodeSelectorTerm(expressions, term.fields()));
        }
        return List.copyOf(renamed);
    }

    private static List<NodeSelectorTerm> inZones(@Nullable List<NodeSelectorTerm> terms, String key, String label) {
        SortedSet<String> zones = new TreeSet<>();
        for (String zone : label.split(ZONE_DELIMITER, -1)) {
            if (!zone.isBlank()) {
                zones.add(zone.strip());
            }
        }
        if (zones.isEmpty()) {
            throw new PluginException("could not translate pv: there are no valid zones to add to pv");
        }
        LabelRequirement inZones = LabelRequirement.ofNodeSelector(key, "In", List.copyOf(zones));
        List<NodeSelectorTerm> more = new ArrayList<>();
        List<NodeSelectorTerm> before =
                terms == null || terms.isEmpty() ? List.of(new NodeSelectorTerm(List.of(), List.of())) : terms;
        for (NodeSelectorTerm term : before) {
            List<LabelRequirement> expressions = new ArrayList<>(term.expressions());
            expressions.add(inZones);
            more.add(new NodeSelectorTerm(expressions, term.fields()));
        }
        return List.copyOf(more);
    }
}
