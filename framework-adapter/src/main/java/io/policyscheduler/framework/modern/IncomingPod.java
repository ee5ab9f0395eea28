package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.LabelSelector;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.NamespaceInfo;
import io.policyscheduler.engine.cluster.PodAffinityTerm;
import io.policyscheduler.engine.cluster.PodInfo;

/** The incoming pod as the affinity terms of other pods see it. */
final class IncomingPod {
    private final PodInfo pod;
    private final Labels namespaceLabels;

    IncomingPod(PodInfo pod, ClusterView cluster) {
        this.pod = pod;
        NamespaceInfo namespace = cluster.namespace(pod.namespace());
        this.namespaceLabels = namespace == null ? Labels.EMPTY : namespace.labels();
    }

    PodInfo pod() {
        return pod;
    }

    /** True when a term of {@code owner} means the incoming pod; topology is not looked at. */
    boolean isMeantBy(PodInfo owner, PodAffinityTerm term) {
        LabelSelector selector = term.selector();
        return selector != null && isInNamespaceOf(owner, term) && selector.matches(pod.labels());
    }

    private boolean isInNamespaceOf(PodInfo owner, PodAffinityTerm term) {
        LabelSelector ofNamespaces = term.namespaceSelector();
        if (term.namespaces().isEmpty() && ofNamespaces == null) {
            return owner.namespace().equals(pod.namespace());
        }
        return term.namespaces().contains(pod.namespace())
                || (ofNamespaces != null && ofNamespaces.matches(namespaceLabels));
    }
}
