package io.policyscheduler.predicates.volume;

import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an in-tree volume looks like to the CSI driver that took over its plugin. Mirrors {@code TranslateInTreePVToCSI} of
 * {@code staging/src/k8s.io/csi-translation-lib/plugins}.
 *
 * @param handle volume handle; empty on error
 * @param requiredTerms node affinity in the driver's topology; null = no constraint
 * @param error null, or why the volume cannot be translated
 */
record CsiTranslation(
        String handle,
        @Nullable List<NodeSelectorTerm> requiredTerms,
        @Nullable String error) {
    private static final String ZONE_DELIMITER = "__";
    private static final String UNSPECIFIED = "UNSPECIFIED";
    private static final Pattern AWS_VOLUME = Pattern.compile("vol-[^/]*");

    /** Translates a volume whose source belongs to {@code plugin}, which must be one that can be migrated. */
    static CsiTranslation of(InTreePlugin plugin, PersistentVolumeInfo volume) {
        try {
            String handle = switch (plugin) {
                case AWS_EBS -> awsHandle(volume.source().id());
                case GCE_PD -> gceHandle(volume);
                case CINDER -> volume.source().id();
                case AZURE_DISK -> volume.source().detail();
                case AZURE_FILE -> throw new IllegalArgumentException("never migrated: " + plugin.pluginName());
            };
            return new CsiTranslation(handle, topology(plugin.topologyKey(), volume), null);
        } catch (Untranslatable e) {
            return new CsiTranslation("", null, e.text);
        }
    }

    private static final class Untranslatable extends Exception {
        private static final long serialVersionUID = 1;
        private final String text;

        Untranslatable(String text) {
            super(text, null, false, false);
            this.text = text;
        }
    }

    private static String awsHandle(String id) throws Untranslatable {
        if (!id.startsWith("aws://")) {
            return id;
        }
        String rest = id.substring("aws://".length()).replaceFirst("#.*", "").replaceFirst("\\?.*", "");
        int slash = rest.indexOf('/');
        String path = slash < 0 ? "" : trimSlashes(rest.substring(slash));
        if (!AWS_VOLUME.matcher(path).matches()) {
            throw new Untranslatable(
                    "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (" + id + ")");
        }
        return path;
    }

    private static String trimSlashes(String path) {
        int start = 0;
        int end = path.length();
        while (start < end && path.charAt(start) == '/') {
            start++;
        }
        while (end > start && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(start, end);
    }

    private static String gceHandle(PersistentVolumeInfo volume) throws Untranslatable {
        String[] zones = volume.labels().getOrEmpty(Node.LEGACY_ZONE).split(ZONE_DELIMITER, -1);
        String place;
        if (zones.length > 1) {
            place = commonRegion(zones);
        } else {
            place = zones[0].isEmpty() ? UNSPECIFIED : zones[0];
        }
        // A regional disk stands under "zones" as well in this release.
        return "projects/" + UNSPECIFIED + "/zones/" + place + "/disks/"
                + volume.source().id();
    }

    private static String commonRegion(String[] zones) throws Untranslatable {
        SortedSet<String> regions = new TreeSet<>();
        for (String zone : zones) {
            String[] parts = zone.split("-", -1);
            if (parts.length != 3) {
                throw new Untranslatable("failed to get region from zones: zone in unexpected format, expected: "
                        + "{locale}-{region}-{zone}, got: " + zone);
            }
            regions.add(parts[0] + "-" + parts[1]);
        }
        if (regions.size() != 1) {
            throw new Untranslatable(
                    "failed to get region from zones: multiple or no regions gotten from zones, got: map["
                            + String.join(
                                    " ",
                                    regions.stream()
                                            .map(region -> region + ":{}")
                                            .toList()) + "]");
        }
        return regions.first();
    }

    private static @Nullable List<NodeSelectorTerm> topology(@Nullable String key, PersistentVolumeInfo volume)
            throws Untranslatable {
        List<NodeSelectorTerm> terms = volume.requiredTerms();
        if (key == null || (terms != null && mentions(terms, key))) {
            return terms;
        }
        if (terms != null && mentions(terms, Node.LEGACY_ZONE)) {
            return withKey(terms, Node.LEGACY_ZONE, key);
        }
        String label = volume.labels().get(Node.LEGACY_ZONE);
        if (label == null) {
            return terms;
        }
        SortedSet<String> zones = new TreeSet<>();
        for (String part : label.split(ZONE_DELIMITER, -1)) {
            if (!part.isBlank()) {
                zones.add(part.strip());
            }
        }
        if (zones.isEmpty()) {
            throw new Untranslatable("failed to translate topology: there are no valid zones to add to pv");
        }
        LabelRequirement inZones = LabelRequirement.ofNodeSelector(key, "In", List.copyOf(zones));
        return List.of(new NodeSelectorTerm(List.of(inZones), List.of()));
    }

    private static boolean mentions(List<NodeSelectorTerm> terms, String key) {
        for (NodeSelectorTerm term : terms) {
            for (LabelRequirement expression : term.expressions()) {
                if (expression.key().equals(key) && !expression.values().isEmpty()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<NodeSelectorTerm> withKey(List<NodeSelectorTerm> terms, String oldKey, String newKey) {
        List<NodeSelectorTerm> renamed = new ArrayList<>();
        for (NodeSelectorTerm term : terms) {
            List<LabelRequirement> expressions = new ArrayList<>();
            for (LabelRequirement expression : term.expressions()) {
                expressions.add(
                        expression.key().equals(oldKey)
                                ? LabelRequirement.ofNodeSelector(newKey, expression.operator(), expression.values())
                                : expression);
            }
            renamed.add(new NodeSelectorTerm(expressions, term.fields()));
        }
        return List.copyOf(renamed);
    }
}
