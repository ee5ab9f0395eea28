package io.policyscheduler.engine.cluster.object;

import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels.LookupList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One term of inter-pod affinity.
 *
 * @param selector pods meant; null matches no pod
 * @param namespaces namespaces meant; empty = the namespace of the pod that owns the term
 * @param topologyKey node label that says what "same place" means
 * @param namespaceSelector further namespaces by label (releases after 1.20); null = none. v1.17 ignores it
 */
public record PodAffinityTerm(
        @Nullable LabelSelector selector,
        List<String> namespaces,
        String topologyKey,
        @Nullable LabelSelector namespaceSelector) {
    public PodAffinityTerm {
        namespaces = LookupList.copyOf(namespaces);
    }

    /** True when {@code pod} is one of the pods meant by this term of {@code owner}; topology is not looked at. */
    public boolean matches(PodInfo owner, PodInfo pod) {
        if (selector == null) {
            return false;
        }
        boolean namespace =
                namespaces.isEmpty() ? owner.namespace().equals(pod.namespace()) : namespaces.contains(pod.namespace());
        return namespace && selector.matches(pod.labels());
    }
}
