package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodTermIndex;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The incoming pod as the affinity terms of other pods see it by the rules of current releases, with the labels of its
 * namespace. Mirrors {@code AffinityTerm.Matches} of {@code pkg/scheduler/framework/types.go}.
 */
public final class IncomingPod {
    private final PodInfo pod;
    private final Labels namespaceLabels;

    /** A namespace that is not known has no labels. */
    public IncomingPod(PodInfo pod, ClusterView cluster) {
        this.pod = pod;
        NamespaceInfo namespace = cluster.namespace(pod.namespace());
        this.namespaceLabels = namespace == null ? Labels.EMPTY : namespace.labels();
    }

    /** The pod itself. */
    public PodInfo pod() {
        return pod;
    }

    /** True when a term of {@code owner} means the incoming pod; topology is not looked at. */
    public boolean isMeantBy(PodInfo owner, PodAffinityTerm term) {
        LabelSelector selector = term.selector();
        return selector != null && isInNamespaceOf(owner, term) && selector.matches(pod.labels());
    }

    /** How terms of a pod in this namespace see the namespace of the incoming pod. */
    public PodTermIndex.NamespaceRule ruleOf(String ownersNamespace) {
        return (names, selector) -> isIn(ownersNamespace, names, selector);
    }

    private boolean isInNamespaceOf(PodInfo owner, PodAffinityTerm term) {
        return isIn(owner.namespace(), term.namespaces(), term.namespaceSelector());
    }

    private boolean isIn(String ownersNamespace, List<String> names, @Nullable LabelSelector selector) {
        if (names.isEmpty() && selector == null) {
            return ownersNamespace.equals(pod.namespace());
        }
        return names.contains(pod.namespace()) || (selector != null && selector.matches(namespaceLabels));
    }
}
