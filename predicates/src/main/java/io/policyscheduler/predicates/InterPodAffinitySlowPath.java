package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Inter-pod affinity as v1.17 answers it when its shared metadata could not be built: every pod of the cluster is compared
 * for every node. The rules differ from those of {@link InterPodAffinityFilter}: one pod has to satisfy (or violate) all
 * terms together, and a violated own anti-affinity is reported before a missing affinity. Since the metadata is only missing
 * where some selector is invalid, most answers are errors. What-if changes show through the given node only.
 */
final class InterPodAffinitySlowPath implements PodFilter {
    private static final String EMPTY_KEY =
            "empty topologyKey is not allowed except for PreferredDuringScheduling pod anti-affinity";

    /** How one pod compares with a list of terms. */
    private enum Match {
        NONE,
        SELECTORS_ONLY,
        SELECTORS_AND_TOPOLOGY,
        EMPTY_TOPOLOGY_KEY
    }

    private final PodInfo pod;
    private final ClusterView cluster;
    private final List<PodAffinityTerm> affinity;
    private final List<PodAffinityTerm> antiAffinity;
    private final @Nullable String affinityError;
    private final @Nullable String antiAffinityError;

    InterPodAffinitySlowPath(PodInfo pod, ClusterView cluster) {
        this.pod = pod;
        this.cluster = cluster;
        this.affinity = required(pod.affinity().podAffinity());
        this.antiAffinity = required(pod.affinity().podAntiAffinity());
        this.affinityError = firstError(affinity);
        this.antiAffinityError = firstError(antiAffinity);
    }

    @Override
    public Verdict check(NodeInfo node) {
        Verdict existing = checkExistingAntiAffinity(node);
        if (existing != null) {
            return existing;
        }
        return affinity.isEmpty() && antiAffinity.isEmpty() ? Verdict.FITS : checkOwnTerms(node);
    }

    private @Nullable Verdict checkExistingAntiAffinity(NodeInfo node) {
        Labels labels = node.node().labels();
        boolean violated = false;
        for (NodeInfo other : cluster.nodesWithAffinity()) {
            for (PodInfo existing : other.podsWithAffinity()) {
                if (isGoneFrom(node, existing)) {
                    continue;
                }
                for (PodAffinityTerm term : required(existing.affinity().podAntiAffinity())) {
                    if (term.selector() != null && term.selector().error() != null) {
                        return Verdict.error("Failed to get all terms that match pod " + podId() + ": "
                                + term.selector().error());
                    }
                    String value = other.node().labels().get(term.topologyKey());
                    violated |= value != null && labels.has(term.topologyKey(), value) && term.matches(existing, pod);
                }
            }
        }
        return violated ? MatchInterPodAffinity.EXISTING_ANTI_AFFINITY_FAILS : null;
    }

    private Verdict checkOwnTerms(NodeInfo node) {
        boolean found = false;
        boolean selectorsMatched = false;
        for (NodeInfo other : cluster.nodes()) {
            for (PodInfo existing : other.pods()) {
                if (isGoneFrom(node, existing)) {
                    continue;
                }
                if (!found && !affinity.isEmpty()) {
                    if (affinityError != null) {
                        return affinityFailure(node, affinityError);
                    }
                    Match match = compare(existing, other, node, affinity);
                    if (match == Match.EMPTY_TOPOLOGY_KEY) {
                        return affinityFailure(node, EMPTY_KEY);
                    }
                    selectorsMatched |= match != Match.NONE;
                    found = match == Match.SELECTORS_AND_TOPOLOGY;
                }
                if (!antiAffinity.isEmpty() && antiAffinityBlocks(existing, other, node)) {
                    return MatchInterPodAffinity.ANTI_AFFINITY_FAILS;
                }
            }
        }
        boolean affinityHolds = found || affinity.isEmpty() || (!selectorsMatched && matchesItself());
        return affinityHolds ? Verdict.FITS : MatchInterPodAffinity.AFFINITY_FAILS;
    }

    /** Terms that cannot be evaluated block too. */
    private boolean antiAffinityBlocks(PodInfo existing, NodeInfo other, NodeInfo node) {
        if (antiAffinityError != null) {
            return true;
        }
        Match match = compare(existing, other, node, antiAffinity);
        return match == Match.SELECTORS_AND_TOPOLOGY || match == Match.EMPTY_TOPOLOGY_KEY;
    }

    private Match compare(PodInfo existing, NodeInfo other, NodeInfo node, List<PodAffinityTerm> terms) {
        for (PodAffinityTerm term : terms) {
            if (!term.matches(pod, existing)) {
                return Match.NONE;
            }
        }
        for (PodAffinityTerm term : terms) {
            String key = term.topologyKey();
            if (key.isEmpty()) {
                return Match.EMPTY_TOPOLOGY_KEY;
            }
            String value = other.node().labels().get(key);
            if (value == null || !node.node().labels().has(key, value)) {
                return Match.SELECTORS_ONLY;
            }
        }
        return Match.SELECTORS_AND_TOPOLOGY;
    }

    private boolean matchesItself() {
        for (PodAffinityTerm term : affinity) {
            if (!term.matches(pod, pod)) {
                return false;
            }
        }
        return affinityError == null;
    }

    private Verdict affinityFailure(NodeInfo node, String why) {
        return Verdict.error(
                "Cannot schedule pod " + podId() + " onto node " + node.name() + ", because of PodAffinity: " + why);
    }

    /** True when the pod ran on this node but has been taken away for the sake of the question. */
    private static boolean isGoneFrom(NodeInfo node, PodInfo existing) {
        if (!existing.nodeName().equals(node.name())) {
            return false;
        }
        for (int i = 0; i < node.podCount(); i++) {
            PodInfo present = node.pod(i);
            if (present.name().equals(existing.name()) && present.namespace().equals(existing.namespace())) {
                return false;
            }
        }
        return true;
    }

    private String podId() {
        return pod.namespace() + "/" + pod.name();
    }

    private static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    private static @Nullable String firstError(List<PodAffinityTerm> terms) {
        for (PodAffinityTerm term : terms) {
            if (term.selector() != null && term.selector().error() != null) {
                return term.selector().error();
            }
        }
        return null;
    }
}
