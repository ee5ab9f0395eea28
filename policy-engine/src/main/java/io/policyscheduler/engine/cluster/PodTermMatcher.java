package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.LabelSelector.MemoizedSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A term of inter-pod affinity of one pod, made ready for comparison with many other pods: the namespaces are known, and
 * answers are remembered by label set. Mirrors, for current releases, {@code AffinityTerm} of
 * {@code pkg/scheduler/framework/types.go} after {@code mergeAffinityTermNamespacesIfNotEmpty}.
 */
public final class PodTermMatcher {
    private final String topologyKey;
    private final Set<String> namespaces;
    private final boolean everyNamespace;
    private final @Nullable MemoizedSelector selector;

    /** The term {@code term} of {@code owner} as v1.17 reads it: gives the answers of {@link PodAffinityTerm#matches}. */
    public PodTermMatcher(PodInfo owner, PodAffinityTerm term) {
        this(term, term.namespaces().isEmpty() ? Set.of(owner.namespace()) : new HashSet<>(term.namespaces()), false);
    }

    private PodTermMatcher(PodAffinityTerm term, Set<String> namespaces, boolean everyNamespace) {
        this.topologyKey = term.topologyKey();
        this.namespaces = Set.copyOf(namespaces);
        this.everyNamespace = everyNamespace;
        this.selector = term.selector() == null ? null : new MemoizedSelector(term.selector());
    }

    /** The term as release 1.34 reads it, where a selector may mean further namespaces. */
    public static PodTermMatcher ofCurrent(PodInfo owner, PodAffinityTerm term, ClusterView cluster) {
        return ofCurrent(owner, term, cluster, false);
    }

    /**
     * The term as releases after v1.17 read it.
     *
     * @param exactNamespaces as for {@link OwnTerms}
     */
    public static PodTermMatcher ofCurrent(
            PodInfo owner, PodAffinityTerm term, ClusterView cluster, boolean exactNamespaces) {
        LabelSelector ofNamespaces = term.namespaceSelector();
        if (ofNamespaces == null) {
            return new PodTermMatcher(owner, term);
        }
        Set<String> names = new HashSet<>(term.namespaces());
        for (NamespaceInfo namespace : cluster.namespaces()) {
            if (ofNamespaces.matches(namespace.labels())) {
                names.add(namespace.name());
            }
        }
        return new PodTermMatcher(term, names, matchesAll(ofNamespaces, exactNamespaces));
    }

    /**
     * Returns true for a selector that means all namespaces. Up to 1.34.1, this is any that matches a namespace without labels, such as
     * {@code NotIn}; it then matches the namespaces that it excludes, too.
     */
    private static boolean matchesAll(LabelSelector selector, boolean exactNamespaces) {
        return exactNamespaces ? selector.isEmpty() : selector.matches(Labels.EMPTY);
    }

    /** One matcher for each term, in order, as v1.17 reads it. */
    public static List<PodTermMatcher> of(PodInfo owner, List<PodAffinityTerm> terms) {
        List<PodTermMatcher> matchers = new ArrayList<>(terms.size());
        for (PodAffinityTerm term : terms) {
            matchers.add(new PodTermMatcher(owner, term));
        }
        return List.copyOf(matchers);
    }

    /** One matcher for each term, in order, as release 1.34 reads it. */
    public static List<PodTermMatcher> ofCurrent(PodInfo owner, List<PodAffinityTerm> terms, ClusterView cluster) {
        return ofCurrent(owner, terms, cluster, false);
    }

    /**
     * One matcher for each term, in order.
     *
     * @param exactNamespaces as for {@link OwnTerms}
     */
    public static List<PodTermMatcher> ofCurrent(
            PodInfo owner, List<PodAffinityTerm> terms, ClusterView cluster, boolean exactNamespaces) {
        List<PodTermMatcher> matchers = new ArrayList<>(terms.size());
        for (PodAffinityTerm term : terms) {
            matchers.add(ofCurrent(owner, term, cluster, exactNamespaces));
        }
        return List.copyOf(matchers);
    }

    /** True when there are terms and the pod matches all of them. */
    public static boolean allMatch(List<PodTermMatcher> terms, PodInfo other) {
        for (int i = 0; i < terms.size(); i++) {
            if (!terms.get(i).matches(other)) {
                return false;
            }
        }
        return !terms.isEmpty();
    }

    /** Node label that says what "same place" means. */
    public String topologyKey() {
        return topologyKey;
    }

    /** True when {@code pod} is in the term's namespaces and matches its selector; topology is not looked at. */
    public boolean matches(PodInfo pod) {
        return selector != null
                && (everyNamespace || namespaces.contains(pod.namespace()))
                && selector.matches(pod.labels());
    }

    /** Number of pods on {@code node} that match. */
    public int countOn(NodeInfo node) {
        int count = 0;
        for (int i = 0; i < node.podCount(); i++) {
            if (matches(node.pod(i))) {
                count++;
            }
        }
        return count;
    }

    /**
     * How the terms of the incoming pod see the namespaces of other pods by the rules of current releases. Mirrors
     * {@code mergeAffinityTermNamespacesIfNotEmpty} of {@code pkg/scheduler/framework/plugins/interpodaffinity/plugin.go}: a selector
     * means the namespaces that are known to match it. An empty selector means all; up to 1.34.1, so does every selector that matches
     * a namespace without labels.
     */
    public static final class OwnTerms {
        private final PodInfo owner;
        private final ClusterView cluster;
        private final boolean exactNamespaces;
        private final Map<String, PodTermIndex.NamespaceRule> rules = new ConcurrentHashMap<>();

        /** The terms of {@code owner} in this cluster as release 1.34 reads them. */
        public OwnTerms(PodInfo owner, ClusterView cluster) {
            this(owner, cluster, false);
        }

        /** @param exactNamespaces whether a selector matches the namespaces with matching labels only, unlike in 1.34.1 */
        public OwnTerms(PodInfo owner, ClusterView cluster, boolean exactNamespaces) {
            this.owner = owner;
            this.cluster = cluster;
            this.exactNamespaces = exactNamespaces;
        }

        /** How they see a namespace; remembers what selectors say about it. */
        public PodTermIndex.NamespaceRule ruleFor(String namespace) {
            return rules.computeIfAbsent(namespace, Rule::new);
        }

        private final class Rule implements PodTermIndex.NamespaceRule {
            private final String namespace;
            private final @Nullable NamespaceInfo known;
            private final Map<LabelSelector, Boolean> selected = new ConcurrentHashMap<>();

            Rule(String namespace) {
                this.namespace = namespace;
                this.known = cluster.namespace(namespace);
            }

            @Override
            public boolean covers(List<String> names, @Nullable LabelSelector selector) {
                if (selector == null) {
                    return names.isEmpty() ? owner.namespace().equals(namespace) : names.contains(namespace);
                }
                return names.contains(namespace) || selected.computeIfAbsent(selector, this::isSelected);
            }

            private boolean isSelected(LabelSelector selector) {
                return matchesAll(selector, exactNamespaces) || (known != null && selector.matches(known.labels()));
            }
        }
    }

    /**
     * The incoming pod as the affinity terms of other pods see it by the rules of current releases, with the labels of its
     * namespace. Mirrors {@code AffinityTerm.Matches} of {@code pkg/scheduler/framework/types.go}.
     */
    public static final class IncomingPod {
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
}
