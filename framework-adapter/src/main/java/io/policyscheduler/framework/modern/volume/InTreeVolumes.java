package io.policyscheduler.framework.modern.volume;

import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The volume plugins of Kubernetes whose volumes CSI drivers have taken over. Mirrors
 * {@code staging/src/k8s.io/csi-translation-lib} and {@code pkg/scheduler/framework/plugins/nodevolumelimits/utils.go}.
 */
enum InTreeVolumes {
    AWS_EBS("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone", 23),
    GCE_PD("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone", 23),
    AZURE_DISK("kubernetes.io/azure-disk", "disk.csi.azure.com", null, 23),
    CINDER("kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone", 21),
    PORTWORX("kubernetes.io/portworx-volume", "pxd.portworx.com", null, 31);

    static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";
    private static final String ZONE_DELIMITER = "__";
    /** From here on the volumes count as migrated whatever a CSINode says. */
    private static final Release MIGRATED_EVERYWHERE = new Release(27);

    private static final String AWS_SCHEME = "aws://";

    private final String pluginName;
    private final String driver;
    private final @Nullable String topologyKey;
    /** The minor release since which the feature gate of the migration is on by default. */
    private final int migratedSince;

    InTreeVolumes(String pluginName, String driver, @Nullable String topologyKey, int migratedSince) {
        this.migratedSince = migratedSince;
        this.pluginName = pluginName;
        this.driver = driver;
        this.topologyKey = topologyKey;
    }

    /** The CSI driver that took over. */
    String driver() {
        return driver;
    }

    /** The plugin of this source, or null. */
    static @Nullable InTreeVolumes ofSource(Volume source) {
        return switch (source.kind()) {
            case AWS_EBS -> AWS_EBS;
            case GCE_PD -> GCE_PD;
            case AZURE_DISK -> AZURE_DISK;
            case CINDER -> CINDER;
            case PORTWORX -> PORTWORX;
            default -> null;
        };
    }

    /** The plugin that a CSI driver took over, or null. */
    static @Nullable InTreeVolumes ofDriver(String driver) {
        for (InTreeVolumes plugin : values()) {
            if (plugin.driver.equals(driver)) {
                return plugin;
            }
        }
        return null;
    }

    /** The plugin whose classes name this provisioner, or null. */
    static @Nullable InTreeVolumes ofProvisioner(String provisioner) {
        for (InTreeVolumes plugin : values()) {
            if (plugin.pluginName.equals(provisioner)) {
                return plugin;
            }
        }
        return null;
    }

    /** Whether the volumes count towards the limits of the CSI driver on a node with a CSINode. */
    boolean countsAsCsi(CsiNodeInfo csiNode, Release release) {
        boolean everywhere = this == PORTWORX
                ? SchedulerChange.PORTWORX_IS_MIGRATED.in(release)
                : release.compareTo(MIGRATED_EVERYWHERE) >= 0;
        return everywhere || isMigratedOn(csiNode, release);
    }

    /** Whether the release migrates this plugin, and the node says that it has migrated it. */
    boolean isMigratedOn(@Nullable CsiNodeInfo csiNode, Release release) {
        if (!release.atLeast(migratedSince)) {
            return false;
        }
        String migrated = csiNode == null ? null : csiNode.annotations().get(MIGRATED_PLUGINS);
        return migrated != null && List.of(migrated.split(",", -1)).contains(pluginName);
    }

    /** The driver's handle of a volume inside a pod; null when it has none. */
    @Nullable
    String handle(Volume source) {
        return inline(source).text();
    }

    /** The driver's handle of a persistent volume; null when it cannot be translated. */
    @Nullable
    String handle(PersistentVolumeInfo volume) {
        return ofVolume(volume).text();
    }

    /**
     * What the driver calls a volume, or why it could not.
     *
     * @param text null when it cannot be told
     * @param problem null when it can
     */
    private record Handle(@Nullable String text, @Nullable String problem) {
        static Handle of(String text) {
            return new Handle(text, null);
        }

        static Handle failed(String problem) {
            return new Handle(null, problem);
        }
    }

    private Handle inline(Volume source) {
        return switch (this) {
            case AWS_EBS -> awsHandle(source.id());
            case GCE_PD -> gceHandle("zones/UNSPECIFIED", source.id());
            case AZURE_DISK -> Handle.of(source.detail());
            case CINDER, PORTWORX -> Handle.of(source.id());
        };
    }

    private Handle ofVolume(PersistentVolumeInfo volume) {
        if (this != GCE_PD) {
            return inline(volume.source());
        }
        String older = volume.labels().getOrEmpty(Node.LEGACY_ZONE);
        String label = older.isEmpty() ? volume.labels().getOrEmpty(Node.ZONE) : older;
        if (label.isEmpty()) {
            return inline(volume.source());
        }
        String[] zones = label.split(ZONE_DELIMITER, -1);
        if (zones.length == 1) {
            return gceHandle("zones/" + zones[0], volume.source().id());
        }
        return regionalHandle(zones, volume.source().id());
    }

    private static Handle awsHandle(String id) {
        if (!id.startsWith(AWS_SCHEME)) {
            return Handle.of(id);
        }
        String rest = id.substring(AWS_SCHEME.length());
        int slash = rest.indexOf('/');
        String handle = slash < 0 ? "" : rest.substring(slash + 1);
        return handle.startsWith("vol-") && handle.indexOf('/') < 0
                ? Handle.of(handle)
                : Handle.failed("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ("
                        + id + ")");
    }

    private static Handle gceHandle(String place, String disk) {
        return Handle.of("projects/UNSPECIFIED/" + place + "/disks/" + disk);
    }

    /** A disk in several zones is one of their region: {@code europe-west1} for zones like {@code europe-west1-b}. */
    private static Handle regionalHandle(String[] zones, String disk) {
        SortedSet<String> regions = new TreeSet<>();
        for (String zone : zones) {
            String[] parts = zone.split("-", -1);
            if (parts.length != 3) {
                return Handle.failed("failed to get region from zones: zone in unexpected format, expected:"
                        + " {locale}-{region}-{zone}, got: " + zone);
            }
            regions.add(parts[0] + "-" + parts[1]);
        }
        return regions.size() == 1
                ? gceHandle("regions/" + regions.first(), disk)
                : Handle.failed("failed to get region from zones: multiple or no regions gotten from zones, got: map["
                        + regions.stream().map(region -> region + ":{}").collect(Collectors.joining(" ")) + "]");
    }

    /**
     * The volume's node affinity in the driver's terms; null when it reaches every node.
     *
     * @throws PluginException when the driver has no name for the volume, or its zone label names no zone
     */
    @Nullable
    List<NodeSelectorTerm> nodeAffinity(PersistentVolumeInfo volume) {
        String problem = ofVolume(volume).problem();
        if (problem != null) {
            throw new PluginException("could not translate pv: " + problem);
        }
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
