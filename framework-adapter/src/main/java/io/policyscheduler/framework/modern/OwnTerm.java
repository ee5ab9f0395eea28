package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.LabelSelector;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.MemoizedSelector;
import io.policyscheduler.engine.cluster.NamespaceInfo;
import io.policyscheduler.engine.cluster.PodAffinityTerm;
import io.policyscheduler.engine.cluster.PodInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A term of the incoming pod's inter-pod affinity, with the namespaces that its selector means looked up once. Mirrors
 * {@code AffinityTerm} of {@code pkg/scheduler/framework/types.go} after {@code mergeAffinityTermNamespacesIfNotEmpty}.
 */
final class OwnTerm {
    private final String topologyKey;
    private final @Nullable MemoizedSelector selector;
    private final Set<String> namespaces;
    private final boolean everyNamespace;

    OwnTerm(PodInfo owner, PodAffinityTerm term, ClusterView cluster) {
        this.topologyKey = term.topologyKey();
        this.selector = term.selector() == null ? null : new MemoizedSelector(term.selector());
        LabelSelector ofNamespaces = term.namespaceSelector();
        Set<String> names = new HashSet<>(term.namespaces());
        if (names.isEmpty() && ofNamespaces == null) {
            names.add(owner.namespace());
        }
        if (ofNamespaces != null) {
            for (NamespaceInfo namespace : cluster.namespaces()) {
                if (ofNamespaces.matches(namespace.labels())) {
                    names.add(namespace.name());
                }
            }
        }
        this.namespaces = Set.copyOf(names);
        // The selector is also asked about a namespace without labels, which stands for all.
        this.everyNamespace = ofNamespaces != null && ofNamespaces.matches(Labels.EMPTY);
    }

    static List<OwnTerm> of(PodInfo owner, List<PodAffinityTerm> terms, ClusterView cluster) {
        return terms.stream().map(term -> new OwnTerm(owner, term, cluster)).toList();
    }

    String topologyKey() {
        return topologyKey;
    }

    boolean matches(PodInfo other) {
        return selector != null
                && (everyNamespace || namespaces.contains(other.namespace()))
                && selector.matches(other.labels());
    }

    /** True when there are terms and the pod matches all of them. */
    static boolean allMatch(List<OwnTerm> terms, PodInfo other) {
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).matches(other)) {
                return false;
            }
        }
        return !terms.isEmpty();
    }
}
