package io.policyscheduler.framework.insight.explain;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Lifts for a node that inter-pod affinity or anti-affinity keeps a pod from. */
final class PodTermFinder {
    /** More pods than this are not asked to go: rather the pod gives up its term. */
    private static final int FEW = 3;

    private static final int SHOWN_DOMAINS = 3;

    private final Scene scene;
    private final NodeInfo node;

    PodTermFinder(Scene scene, NodeInfo node) {
        this.scene = scene;
        this.node = node;
    }

    private static List<PodAffinityTerm> required(Affinity.@Nullable PodTerms terms) {
        return terms == null ? List.of() : terms.required();
    }

    /** Pods that run where a topology label has the value that it has on the node; none when the node lacks the label. */
    private List<PodInfo> neighbours(String topologyKey) {
        List<PodInfo> pods = new ArrayList<>();
        String value = node.node().labels().get(topologyKey);
        if (value != null) {
            for (NodeInfo other : scene.state.nodes()) {
                if (other.node().labels().has(topologyKey, value)) {
                    pods.addAll(other.name().equals(node.name()) ? node.pods() : other.pods());
                }
            }
        }
        return pods;
    }

    private List<PodInfo> matching(PodAffinityTerm term) {
        return neighbours(term.topologyKey()).stream()
                .filter(other -> scene.matches(scene.pod(), term, other))
                .toList();
    }

    /** The pod's own anti-affinity. */
    List<Lift> antiAffinity() {
        List<Lift> lifts = new ArrayList<>();
        for (PodAffinityTerm term : required(scene.pod().affinity().podAntiAffinity())) {
            List<PodInfo> matching = matching(term);
            if (matching.size() > FEW) {
                lifts.add(new PodLifts.WithoutPodTerm(true, term, "several such pods run in each domain"));
            } else {
                matching.forEach(other -> lifts.add(
                        new WorldLifts.WithoutPod(node.name(), other, "the anti-affinity of the new pod matches it")));
            }
        }
        return lifts;
    }

    /** Anti-affinity of pods that run already. */
    List<Lift> antiAffinityOfOthers() {
        List<Lift> lifts = new ArrayList<>();
        for (NodeInfo place : scene.state.nodesWithAffinity()) {
            for (PodInfo other : place.podsWithAffinity()) {
                for (PodAffinityTerm term : required(other.affinity().podAntiAffinity())) {
                    String value = place.node().labels().get(term.topologyKey());
                    if (value != null
                            && node.node().labels().has(term.topologyKey(), value)
                            && scene.matches(other, term, scene.pod())) {
                        lifts.add(
                                new WorldLifts.WithoutPod(node.name(), other, "its anti-affinity matches the new pod"));
                    }
                }
            }
        }
        return lifts;
    }

    /** The pod's own affinity. */
    List<Lift> affinity() {
        List<PodAffinityTerm> terms = required(scene.pod().affinity().podAffinity());
        List<Lift> lifts = new ArrayList<>();
        for (PodAffinityTerm term : terms) {
            if (matching(term).isEmpty()) {
                lifts.add(without(term));
            }
        }
        // One pod has to match all terms at once; where each has another one they are all in the way.
        if (lifts.isEmpty()) {
            terms.forEach(term -> lifts.add(without(term)));
        }
        return lifts;
    }

    private Lift without(PodAffinityTerm term) {
        Set<String> domains = new TreeSet<>();
        for (NodeInfo place : scene.state.nodes()) {
            String value = place.node().labels().get(term.topologyKey());
            if (value != null && place.pods().stream().anyMatch(other -> scene.matches(scene.pod(), term, other))) {
                domains.add(value);
            }
        }
        String where = domains.stream()
                .limit(SHOWN_DOMAINS)
                .reduce((a, b) -> a + ", " + b)
                .orElse("");
        String why = domains.isEmpty()
                ? "no such pod runs"
                : "such pods run in " + where + (domains.size() > SHOWN_DOMAINS ? ", ..." : "");
        return new PodLifts.WithoutPodTerm(false, term, why);
    }
}
