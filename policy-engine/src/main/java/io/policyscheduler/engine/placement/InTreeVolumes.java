package io.policyscheduler.engine.placement;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The in-tree volume plugins whose volumes a release translates to volumes of CSI drivers. Mirrors
 * {@code staging/src/k8s.io/csi-translation-lib} and {@code isCSIMigrationOn} of
 * {@code pkg/scheduler/framework/plugins/nodevolumelimits/utils.go}. Immutable.
 */
public final class InTreeVolumes {
    /** The annotation of a CSINode that lists the migrated plugins of the node, separated by commas. */
    public static final String MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins";

    private static final String ZONE_DELIMITER = "__";
    private static final String AWS_SCHEME = "aws://";
    private static final Pattern AWS_VOLUME = Pattern.compile("vol-[^/]*");
    private static final String UNSPECIFIED = "UNSPECIFIED";
    private static final int NEVER = Integer.MAX_VALUE;

    /** A plugin of Kubernetes and the CSI driver that replaces it. */
    public enum Plugin {
        /** Amazon EBS. */
        AWS_EBS(
                "kubernetes.io/aws-ebs",
                Volume.Kind.AWS_EBS,
                "ebs.csi.aws.com",
                "topology.ebs.csi.aws.com/zone",
                FeatureGates.CSI_MIGRATION_AWS,
                23,
                27),
        /** Google persistent disks. */
        GCE_PD(
                "kubernetes.io/gce-pd",
                Volume.Kind.GCE_PD,
                "pd.csi.storage.gke.io",
                "topology.gke.io/zone",
                FeatureGates.CSI_MIGRATION_GCE,
                23,
                28),
        /** Azure disks. */
        AZURE_DISK(
                "kubernetes.io/azure-disk",
                Volume.Kind.AZURE_DISK,
                "disk.csi.azure.com",
                null,
                FeatureGates.CSI_MIGRATION_AZURE_DISK,
                23,
                27),
        /** Azure files, which 1.17 can translate but never migrates. */
        AZURE_FILE("kubernetes.io/azure-file", Volume.Kind.AZURE_FILE, "file.csi.azure.com", null, null, NEVER, NEVER),
        /** OpenStack Cinder. */
        CINDER(
                "kubernetes.io/cinder",
                Volume.Kind.CINDER,
                "cinder.csi.openstack.org",
                "topology.cinder.csi.openstack.org/zone",
                FeatureGates.CSI_MIGRATION_OPEN_STACK,
                21,
                24),
        /** Portworx, unknown to 1.17. */
        PORTWORX("kubernetes.io/portworx-volume", Volume.Kind.PORTWORX, "pxd.portworx.com", null, null, 31, 36);

        private final String pluginName;
        private final Volume.Kind kind;
        private final String driver;
        private final @Nullable String topologyKey;
        /** The gate of 1.17 for the migration, next to {@code CSIMigration}; null if there is none. */
        private final @Nullable String gate;
        /** The minor release since which the gate is on by default. */
        private final int migratedSince;
        /** The minor release since which volumes count towards the limits of the driver on each node with a CSINode. */
        private final int countedSince;

        Plugin(
                String pluginName,
                Volume.Kind kind,
                String driver,
                @Nullable String topologyKey,
                @Nullable String gate,
                int migratedSince,
                int countedSince) {
            this.pluginName = pluginName;
            this.kind = kind;
            this.driver = driver;
            this.topologyKey = topologyKey;
            this.gate = gate;
            this.migratedSince = migratedSince;
            this.countedSince = countedSince;
        }

        /** The name of the plugin, which is also the provisioner of its storage classes. */
        public String pluginName() {
            return pluginName;
        }

        /** The source of a volume of this plugin. */
        public Volume.Kind kind() {
            return kind;
        }

        /** The CSI driver that replaces the plugin. */
        public String driver() {
            return driver;
        }
    }

    private final boolean v117;
    private final Set<Plugin> known;
    private final Set<Plugin> enabled;
    private final Set<Plugin> everywhere;

    private InTreeVolumes(boolean v117, Set<Plugin> enabled, Set<Plugin> everywhere) {
        this.v117 = v117;
        this.known = EnumSet.complementOf(EnumSet.of(v117 ? Plugin.PORTWORX : Plugin.AZURE_FILE));
        this.enabled = enabled;
        this.everywhere = everywhere;
    }

    /** The plugins of 1.17, which feature gates migrate. */
    public static InTreeVolumes v117(FeatureGates gates) {
        Set<Plugin> enabled = EnumSet.noneOf(Plugin.class);
        for (Plugin plugin : Plugin.values()) {
            if (plugin.gate != null && gates.enabled(FeatureGates.CSI_MIGRATION) && gates.enabled(plugin.gate)) {
                enabled.add(plugin);
            }
        }
        return new InTreeVolumes(true, enabled, EnumSet.noneOf(Plugin.class));
    }

    /** The plugins of a release since 1.18 with its default feature gates. */
    public static InTreeVolumes of(Release release) {
        Set<Plugin> enabled = EnumSet.noneOf(Plugin.class);
        Set<Plugin> everywhere = EnumSet.noneOf(Plugin.class);
        for (Plugin plugin : Plugin.values()) {
            if (release.atLeast(plugin.migratedSince)) {
                enabled.add(plugin);
            }
            if (release.atLeast(plugin.countedSince)) {
                everywhere.add(plugin);
            }
        }
        return new InTreeVolumes(false, enabled, everywhere);
    }

    /** Returns the plugin of a source, or null. */
    public @Nullable Plugin ofSource(Volume source) {
        for (Plugin plugin : known) {
            if (plugin.kind == source.kind()) {
                return plugin;
            }
        }
        return null;
    }

    /** Returns the plugin with this provisioner in its storage classes, or null. */
    public @Nullable Plugin ofProvisioner(String provisioner) {
        for (Plugin plugin : known) {
            if (plugin.pluginName.equals(provisioner)) {
                return plugin;
            }
        }
        return null;
    }

    /** Returns whether the release migrates the plugin on nodes that declare it. */
    public boolean isEnabled(Plugin plugin) {
        return enabled.contains(plugin);
    }

    /** Returns whether the release migrates the plugin, and the node declares that it has migrated it. */
    public boolean isMigrated(Plugin plugin, @Nullable CsiNodeInfo csiNode) {
        String migrated = csiNode == null || !isEnabled(plugin)
                ? null
                : csiNode.annotations().get(MIGRATED_PLUGINS);
        return migrated != null && List.of(migrated.split(",", -1)).contains(plugin.pluginName);
    }

    /** Returns whether volumes of the plugin count towards the limits of the CSI driver on some node. */
    boolean canCount(Plugin plugin) {
        return isEnabled(plugin) || everywhere.contains(plugin);
    }

    /** Returns whether volumes of the plugin count towards the limits of the CSI driver on a node. */
    public boolean counts(Plugin plugin, @Nullable CsiNodeInfo csiNode) {
        return (csiNode != null && everywhere.contains(plugin)) || isMigrated(plugin, csiNode);
    }

    /**
     * A volume translated for the CSI driver.
     *
     * @param handle the volume handle; empty on an error
     * @param requiredTerms node affinity with the topology keys of the driver; null if the volume is available on all nodes
     * @param error null, or the reason why the volume cannot be translated
     */
    public record Translation(
            String handle,
            @Nullable List<NodeSelectorTerm> requiredTerms,
            @Nullable String error) {
        private static Translation failed(String error) {
            return new Translation("", null, error);
        }
    }

    /**
     * Translates a persistent volume of {@code plugin}.
     *
     * @throws IllegalArgumentException for AZURE_FILE, which no release migrates
     */
    public Translation translate(Plugin plugin, PersistentVolumeInfo volume) {
        Handle handle = handleOf(plugin, volume);
        return handle.error == null ? withTopology(handle.text, plugin, volume) : Translation.failed(handle.error);
    }

    /** Returns the handle of a persistent volume, or null if it cannot be translated. */
    public @Nullable String handle(Plugin plugin, PersistentVolumeInfo volume) {
        Handle handle = handleOf(plugin, volume);
        // 1.17 does not count a volume whose topology cannot be translated, either.
        String error = handle.error == null && v117 ? translate(plugin, volume).error : handle.error;
        return error == null ? handle.text : null;
    }

    /**
     * The handle of a volume for its CSI driver.
     *
     * @param text can be empty
     * @param error the reason why it cannot be translated, or null
     */
    record Handle(String text, @Nullable String error) {
        static Handle of(String text) {
            return new Handle(text, null);
        }

        static Handle failed(String error) {
            return new Handle("", error);
        }
    }

    /** Returns the handle of a volume of a pod, or of the source of a persistent volume. */
    static Handle inlineHandle(Plugin plugin, Volume source) {
        return switch (plugin) {
            case AWS_EBS -> awsHandle(source.id());
            case GCE_PD -> gceHandle("zones", UNSPECIFIED, source.id());
            case AZURE_DISK -> Handle.of(source.detail());
            case CINDER, PORTWORX -> Handle.of(source.id());
            case AZURE_FILE -> throw new IllegalArgumentException("never migrated: " + plugin.pluginName);
        };
    }

    private Handle handleOf(Plugin plugin, PersistentVolumeInfo volume) {
        if (plugin != Plugin.GCE_PD) {
            return inlineHandle(plugin, volume.source());
        }
        String legacy = volume.labels().getOrEmpty(Node.LEGACY_ZONE);
        String label = legacy.isEmpty() && !v117 ? volume.labels().getOrEmpty(Node.ZONE) : legacy;
        String disk = volume.source().id();
        String[] zones = label.split(ZONE_DELIMITER, -1);
        return zones.length == 1
                ? gceHandle("zones", label.isEmpty() ? UNSPECIFIED : label, disk)
                : regionalHandle(zones, disk);
    }

    private static Handle awsHandle(String id) {
        if (!id.startsWith(AWS_SCHEME)) {
            return Handle.of(id);
        }
        String url = id.substring(AWS_SCHEME.length()).replaceFirst("[#?].*", "");
        int slash = url.indexOf('/');
        String path =
                slash < 0 ? "" : url.substring(slash).replaceFirst("^/+", "").replaceFirst("/+$", "");
        return AWS_VOLUME.matcher(path).matches()
                ? Handle.of(path)
                : Handle.failed("failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ("
                        + id + ")");
    }

    private static Handle gceHandle(String scope, String place, String disk) {
        return Handle.of("projects/" + UNSPECIFIED + "/" + scope + "/" + place + "/disks/" + disk);
    }

    /** A disk in several zones belongs to their region: {@code europe-west1} for zones like {@code europe-west1-b}. */
    private Handle regionalHandle(String[] zones, String disk) {
        SortedSet<String> regions = new TreeSet<>();
        for (String zone : zones) {
            String[] parts = zone.split("-", -1);
            if (parts.length != 3) {
                return Handle.failed("failed to get region from zones: zone in unexpected format, expected: "
                        + "{locale}-{region}-{zone}, got: " + zone);
            }
            regions.add(parts[0] + "-" + parts[1]);
        }
        return regions.size() == 1
                ? gceHandle(v117 ? "zones" : "regions", regions.first(), disk)
                : Handle.failed("failed to get region from zones: multiple or no regions gotten from zones, got: map["
                        + regions.stream().map(region -> region + ":{}").collect(Collectors.joining(" ")) + "]");
    }

    private Translation withTopology(String handle, Plugin plugin, PersistentVolumeInfo volume) {
        List<NodeSelectorTerm> terms = volume.requiredTerms();
        String key = plugin.topologyKey;
        if (key == null || (v117 && mentions(terms, key))) {
            return new Translation(handle, terms, null);
        }
        String zoneKey = v117 ? Node.LEGACY_ZONE : zoneKey(volume);
        if (mentions(terms, zoneKey)) {
            terms = renamed(terms, zoneKey, key);
        } else if (volume.labels().has(zoneKey)) {
            List<String> zones = zones(volume.labels().getOrEmpty(zoneKey));
            if (zones.isEmpty()) {
                return Translation.failed(
                        (v117 ? "failed to translate topology: " : "") + "there are no valid zones to add to pv");
            }
            // In 1.17, the zones of the label replace all terms.
            terms = inZones(v117 ? null : terms, LabelRequirement.ofNodeSelector(key, "In", zones));
        }
        if (!v117 && zoneKey.equals(Node.LEGACY_ZONE) && mentions(terms, Node.LEGACY_REGION)) {
            terms = renamed(terms, Node.LEGACY_REGION, Node.REGION);
        }
        return new Translation(handle, terms, null);
    }

    /** Returns the zone label that the volume uses: node affinity precedes labels, and the newer label the older one. */
    private String zoneKey(PersistentVolumeInfo volume) {
        if (mentions(volume.requiredTerms(), Node.ZONE)) {
            return Node.ZONE;
        }
        if (mentions(volume.requiredTerms(), Node.LEGACY_ZONE)) {
            return Node.LEGACY_ZONE;
        }
        return !volume.labels().has(Node.ZONE) && volume.labels().has(Node.LEGACY_ZONE) ? Node.LEGACY_ZONE : Node.ZONE;
    }

    /** In 1.17, an expression without values does not refer to the key. */
    private boolean mentions(@Nullable List<NodeSelectorTerm> terms, String key) {
        return terms != null
                && terms.stream()
                        .flatMap(term -> term.expressions().stream())
                        .anyMatch(expression -> expression.key().equals(key)
                                && !(v117 && expression.values().isEmpty()));
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

    private static List<String> zones(String label) {
        SortedSet<String> zones = new TreeSet<>();
        for (String zone : label.split(ZONE_DELIMITER, -1)) {
            if (!zone.isBlank()) {
                zones.add(zone.strip());
            }
        }
        return List.copyOf(zones);
    }

    private static List<NodeSelectorTerm> inZones(@Nullable List<NodeSelectorTerm> terms, LabelRequirement inZones) {
        List<NodeSelectorTerm> before =
                terms == null || terms.isEmpty() ? List.of(new NodeSelectorTerm(List.of(), List.of())) : terms;
        List<NodeSelectorTerm> more = new ArrayList<>();
        for (NodeSelectorTerm term : before) {
            List<LabelRequirement> expressions = new ArrayList<>(term.expressions());
            expressions.add(inZones);
            more.add(new NodeSelectorTerm(expressions, term.fields()));
        }
        return List.copyOf(more);
    }

    /**
     * Disks that pods of a node mount exclusively. Only inline volumes of pods count, not those of claims. Mirrors
     * {@code isVolumeConflict} of {@code pkg/scheduler/framework/plugins/volumerestrictions}, which has not changed since 1.17.
     */
    public static final class DiskConflicts {
        private DiskConflicts() {}

        /** Returns whether a volume is a disk that can conflict with other pods. */
        public static boolean isDisk(Volume volume) {
            return switch (volume.kind()) {
                case GCE_PD, AWS_EBS, ISCSI, RBD -> true;
                default -> false;
            };
        }

        /** Returns whether a pod of the node mounts one of these disks in conflict with another pod. */
        public static boolean any(List<Volume> disks, NodeInfo node) {
            for (int i = 0; i < node.podCount(); i++) {
                List<Volume> mounted = node.pod(i).volumes();
                for (int m = 0; m < mounted.size(); m++) {
                    for (int d = 0; d < disks.size(); d++) {
                        if (conflict(disks.get(d), mounted.get(m))) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }

        /** Returns whether two pods on one node cannot mount these disks. */
        public static boolean conflict(Volume one, Volume other) {
            if (one.kind() != other.kind() || !one.id().equals(other.id())) {
                return false;
            }
            boolean written = !(one.readOnly() && other.readOnly());
            return switch (one.kind()) {
                // EBS attaches to one instance only, even if all mounts are read-only.
                case AWS_EBS -> true;
                case GCE_PD, ISCSI -> written;
                case RBD ->
                    written
                            && one.detail().equals(other.detail())
                            && !Collections.disjoint(one.monitors(), other.monitors());
                default -> false;
            };
        }
    }
}
