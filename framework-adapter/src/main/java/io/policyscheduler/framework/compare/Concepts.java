package io.policyscheduler.framework.compare;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.policy.KnownAlgorithms;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which algorithms of all releases do the same job. An algorithm without counterpart is a concept of its own. */
public final class Concepts {
    private static final ImmutableMap<String, String> FILTERS = filters();
    private static final ImmutableMap<String, String> SCORES = scores();
    /** How to tell which part of GeneralPredicates a reason comes from: by how it begins. */
    private static final ImmutableMap<String, String> GENERAL_REASONS = ImmutableMap.of(
            "Insufficient ",
            KnownAlgorithms.POD_FITS_RESOURCES,
            "node(s) didn't match the requested hostname",
            "HostName",
            "node(s) didn't have free ports",
            KnownAlgorithms.POD_FITS_HOST_PORTS,
            "node(s) didn't match node selector",
            "MatchNodeSelector");

    /** The plugins that a reason for nodes that were not looked at names in brackets. */
    private static final Pattern NARROWING = Pattern.compile("didn't satisfy plugin(?:\\(s\\) \\[(.*)]| (\\S+)).*");

    private Concepts() {}

    /** The concepts of a filter; several for GeneralPredicates. */
    public static ImmutableSet<Concept> ofFilter(String name) {
        if (!name.equals(KnownAlgorithms.GENERAL_PREDICATES)) {
            return ImmutableSet.of(new Concept(Concept.Role.FILTER, FILTERS.getOrDefault(name, name)));
        }
        return PolicyDeciders.GENERAL_PARTS.stream()
                .flatMap(part -> ofFilter(part).stream())
                .collect(ImmutableSet.toImmutableSet());
    }

    /** The concepts that a node was rejected by; empty where nobody says who did it. */
    public static Set<Concept> rejecting(NodeFailure failure) {
        Set<Concept> concepts = new LinkedHashSet<>();
        String plugin = failure.plugin();
        if (plugin != null && plugin.equals(KnownAlgorithms.GENERAL_PREDICATES)) {
            for (String reason : failure.reasons()) {
                GENERAL_REASONS.forEach((start, part) -> {
                    if (reason.startsWith(start)) {
                        concepts.addAll(ofFilter(part));
                    }
                });
            }
        }
        for (String reason : failure.reasons()) {
            Matcher narrowing = NARROWING.matcher(reason);
            if (narrowing.find()) {
                String names = narrowing.group(1) == null ? narrowing.group(2) : narrowing.group(1);
                Splitter.on(' ').split(names).forEach(name -> concepts.addAll(ofFilter(name)));
            }
        }
        if (concepts.isEmpty() && plugin != null && !plugin.isEmpty()) {
            concepts.addAll(ofFilter(plugin));
        }
        return concepts;
    }

    /** The concept of a score. */
    public static Concept ofScore(String name) {
        return new Concept(Concept.Role.SCORE, SCORES.getOrDefault(name, name));
    }

    /** The names under which a way of deciding knows a concept; empty when it has nothing of the kind. */
    public static Set<String> members(DeciderSource source, Concept concept) {
        Set<String> names = new LinkedHashSet<>();
        if (concept.role() == Concept.Role.SCORE) {
            for (String name : source.scores().keySet()) {
                if (ofScore(name).equals(concept)) {
                    names.add(name);
                }
            }
            return names;
        }
        for (String name : source.filters()) {
            Collection<String> parts =
                    name.equals(KnownAlgorithms.GENERAL_PREDICATES) ? PolicyDeciders.GENERAL_PARTS : List.of(name);
            for (String part : parts) {
                if (ofFilter(part).contains(concept)) {
                    names.add(part);
                }
            }
        }
        return names;
    }

    /** What to change in a way of deciding so that these concepts are left out. */
    public static Adjustment without(DeciderSource source, Collection<Concept> concepts) {
        Adjustment adjustment = Adjustment.NONE;
        for (Concept concept : concepts) {
            Set<String> members = members(source, concept);
            adjustment = concept.role() == Concept.Role.FILTER
                    ? adjustment.withoutFilters(members)
                    : adjustment.withoutScores(members);
        }
        return adjustment;
    }

    private static ImmutableMap<String, String> filters() {
        ImmutableMap.Builder<String, String> table = ImmutableMap.builder();
        table.put("CheckNodeUnschedulable", "NodeUnschedulable");
        table.put(KnownAlgorithms.POD_FITS_RESOURCES, "NodeResourcesFit");
        table.put("HostName", "NodeName");
        table.put(KnownAlgorithms.POD_FITS_HOST_PORTS, "NodePorts");
        table.put(KnownAlgorithms.POD_FITS_PORTS, "NodePorts");
        table.put("MatchNodeSelector", "NodeAffinity");
        table.put("NoDiskConflict", "VolumeRestrictions");
        table.put("PodToleratesNodeTaints", "TaintToleration");
        table.put("PodToleratesNodeNoExecuteTaints", "TaintToleration");
        table.put(KnownAlgorithms.CHECK_NODE_LABEL_PRESENCE, KnownAlgorithms.NODE_LABEL);
        table.put(KnownAlgorithms.CHECK_SERVICE_AFFINITY, KnownAlgorithms.SERVICE_AFFINITY);
        for (String limits : List.of(
                "MaxEBSVolumeCount",
                "MaxGCEPDVolumeCount",
                "MaxCSIVolumeCountPred",
                "MaxAzureDiskVolumeCount",
                "MaxCinderVolumeCount",
                "EBSLimits",
                "GCEPDLimits",
                "AzureDiskLimits",
                "CinderLimits")) {
            table.put(limits, "NodeVolumeLimits");
        }
        table.put("CheckVolumeBinding", "VolumeBinding");
        table.put("NoVolumeZoneConflict", "VolumeZone");
        table.put(KnownAlgorithms.EVEN_PODS_SPREAD, "PodTopologySpread");
        table.put("MatchInterPodAffinity", "InterPodAffinity");
        return table.buildOrThrow();
    }

    private static ImmutableMap<String, String> scores() {
        ImmutableMap.Builder<String, String> table = ImmutableMap.builder();
        for (String resources : List.of(
                "LeastRequestedPriority",
                "MostRequestedPriority",
                "RequestedToCapacityRatioPriority",
                KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO,
                "NodeResourcesLeastAllocated",
                "NodeResourcesMostAllocated")) {
            table.put(resources, "NodeResourcesFit");
        }
        for (String spread : List.of(
                "SelectorSpreadPriority",
                KnownAlgorithms.SERVICE_SPREADING_PRIORITY,
                KnownAlgorithms.EVEN_PODS_SPREAD_PRIORITY,
                KnownAlgorithms.SERVICE_AFFINITY,
                "DefaultPodTopologySpread",
                "SelectorSpread")) {
            table.put(spread, "PodTopologySpread");
        }
        table.put("BalancedResourceAllocation", "NodeResourcesBalancedAllocation");
        table.put("InterPodAffinityPriority", "InterPodAffinity");
        table.put("NodeAffinityPriority", "NodeAffinity");
        table.put("TaintTolerationPriority", "TaintToleration");
        table.put("ImageLocalityPriority", "ImageLocality");
        table.put("NodePreferAvoidPodsPriority", "NodePreferAvoidPods");
        table.put(KnownAlgorithms.RESOURCE_LIMITS_PRIORITY, "NodeResourceLimits");
        return table.buildOrThrow();
    }
}
