package io.policyscheduler.engine.cluster;

import io.policyscheduler.engine.cluster.object.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodTermIndex;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How the terms of the incoming pod see the namespaces of other pods by the rules of current releases. Mirrors
 * {@code mergeAffinityTermNamespacesIfNotEmpty} of {@code pkg/scheduler/framework/plugins/interpodaffinity/plugin.go}: a selector
 * means the namespaces that are known to match it, and one that a namespace without labels matches means all.
 */
public final class OwnTerms {
    private final PodInfo owner;
    private final ClusterView cluster;
    private final Map<String, PodTermIndex.NamespaceRule> rules = new ConcurrentHashMap<>();

    /** The terms of {@code owner} in this cluster. */
    public OwnTerms(PodInfo owner, ClusterView cluster) {
        this.owner = owner;
        this.cluster = cluster;
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
            return selector.matches(Labels.EMPTY) || (known != null && selector.matches(known.labels()));
        }
    }
}
