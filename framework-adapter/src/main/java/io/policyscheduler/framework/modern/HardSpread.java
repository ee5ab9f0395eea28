package io.policyscheduler.framework.modern;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeConstraints;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many pods each domain holds, for constraints that forbid nodes. Mirrors {@code preFilterState} of
 * {@code pkg/scheduler/framework/plugins/podtopologyspread/filtering.go}.
 */
final class HardSpread {
    private static final Status NO_LABEL =
            Status.unresolvable("node(s) didn't match pod topology spread constraints (missing required label)");
    private static final Status SKEWED = Status.unschedulable("node(s) didn't match pod topology spread constraints");

    /** Pods by domain, with the two emptiest domains at hand. As long as one domain only changes, the emptiest stays exact. */
    private static final class Domains {
        private final Map<String, Integer> counts;
        private String emptiest = "";
        private int least = Integer.MAX_VALUE;
        private String second = "";
        private int secondLeast = Integer.MAX_VALUE;

        Domains() {
            this.counts = new HashMap<>();
        }

        Domains(Domains other) {
            this.counts = new HashMap<>(other.counts);
            this.emptiest = other.emptiest;
            this.least = other.least;
            this.second = other.second;
            this.secondLeast = other.secondLeast;
        }

        void add(String domain, int pods) {
            counts.merge(domain, pods, Integer::sum);
        }

        int count(String domain) {
            return counts.getOrDefault(domain, 0);
        }

        void rankAll() {
            counts.forEach(this::rank);
        }

        void rank(String domain, int count) {
            boolean first = least != Integer.MAX_VALUE && domain.equals(emptiest);
            if (first) {
                least = count;
            } else if (secondLeast != Integer.MAX_VALUE && domain.equals(second)) {
                secondLeast = count;
            } else if (count < least) {
                second = emptiest;
                secondLeast = least;
                emptiest = domain;
                least = count;
                return;
            } else if (count < secondLeast) {
                second = domain;
                secondLeast = count;
                return;
            }
            if (least > secondLeast) {
                String domainBefore = emptiest;
                int leastBefore = least;
                emptiest = second;
                least = secondLeast;
                second = domainBefore;
                secondLeast = leastBefore;
            }
        }

        int least(int minDomains) {
            return counts.size() < minDomains ? 0 : least;
        }
    }

    private final PodInfo pod;
    private final NodeConstraints demands;
    private final TolerationSet tolerations;
    private final List<SpreadConstraint> constraints;
    private final Domains[] domains;
    private final int[] self;

    HardSpread(PodInfo pod, List<SpreadConstraint> constraints, ClusterView cluster) {
        this.pod = pod;
        this.demands = NodeConstraints.ofCurrent(pod);
        this.tolerations = new TolerationSet(pod.tolerations());
        this.constraints = constraints;
        this.domains = new Domains[constraints.size()];
        this.self = new int[constraints.size()];
        for (int i = 0; i < domains.length; i++) {
            domains[i] = new Domains();
            self[i] = constraints.get(i).selects(pod.labels()) ? 1 : 0;
        }
        for (NodeInfo node : cluster.nodes()) {
            count(node);
        }
        for (Domains each : domains) {
            each.rankAll();
        }
    }

    private HardSpread(HardSpread other) {
        this.pod = other.pod;
        this.demands = other.demands;
        this.tolerations = other.tolerations;
        this.constraints = other.constraints;
        this.self = other.self;
        this.domains = new Domains[other.domains.length];
        for (int i = 0; i < domains.length; i++) {
            domains[i] = new Domains(other.domains[i]);
        }
    }

    HardSpread copy() {
        return new HardSpread(this);
    }

    private void count(NodeInfo info) {
        Node node = info.node();
        if (!SpreadConstraint.allKeysOn(node, constraints)) {
            return;
        }
        for (int i = 0; i < domains.length; i++) {
            SpreadConstraint constraint = constraints.get(i);
            if (constraint.includes(node, tolerations, demands)) {
                domains[i].add(
                        node.labels().getOrEmpty(constraint.topologyKey()), constraint.countOn(info, pod.namespace()));
            }
        }
    }

    /** Counts a pod on the node, or with -1 no longer; here an empty selector and a pod that is going count too. */
    void update(PodInfo other, Node node, int delta) {
        if (!other.namespace().equals(pod.namespace()) || !SpreadConstraint.allKeysOn(node, constraints)) {
            return;
        }
        for (int i = 0; i < domains.length; i++) {
            SpreadConstraint constraint = constraints.get(i);
            if (constraint.selects(other.labels()) && constraint.includes(node, tolerations, demands)) {
                String domain = node.labels().getOrEmpty(constraint.topologyKey());
                domains[i].add(domain, delta);
                domains[i].rank(domain, domains[i].count(domain));
            }
        }
    }

    Status check(Node node) {
        for (int i = 0; i < domains.length; i++) {
            SpreadConstraint constraint = constraints.get(i);
            String domain = node.labels().get(constraint.topologyKey());
            if (domain == null) {
                return NO_LABEL;
            }
            int skew = domains[i].count(domain) + self[i] - domains[i].least(constraint.minDomains());
            if (skew > constraint.maxSkew()) {
                return SKEWED;
            }
        }
        return Status.SUCCESS;
    }
}
