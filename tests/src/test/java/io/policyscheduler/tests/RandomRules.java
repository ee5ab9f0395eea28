package io.policyscheduler.tests;

import java.util.List;

/** Rules for random policies: about a node, about topologies, about the cluster, and some that sometimes fail. */
final class RandomRules {
    /** Predicates that are sometimes true and sometimes false. */
    static final List<String> PREDICATES = List.of(
            "node.label('disk') != 'hdd'",
            "node.podCount < 2 || pod.priority > 0",
            "node.freeCpu >= pod.cpu + 0.5 && !node.unschedulable",
            "node.podsInNamespace(pod.namespace) < 1",
            "node.pods.count(p, p.priority > pod.priority) == 0",
            "node.taints.all(t, t.effect == 'PreferNoSchedule' || pod.tolerations.any(o, o.key == t.key))",
            "10 / node.podCount > 4",
            "pod.name.contains('1') || node.podCount < 2",
            "node.podsInTopology('zone', 'app', 'web') < 2",
            "cluster.podsWithLabel('app', 'web') < 4 || node.hasLabel('zone')");

    /** Priorities. */
    static final List<String> PRIORITIES = List.of(
            "100 * node.freeCpu / (node.allocatableCpu + 1)",
            "node.podCount * 7 % 101",
            "node.hasLabel('disk', 'ssd') ? 100 : 0",
            "100 / node.podCount",
            "pod.name.contains('1') ? node.podCount : node.freeCpu",
            "node.podsInTopology('zone', 'app', 'web') * 10",
            "node.nodesInTopology('zone') * 5 + cluster.podsWithLabel('app')");

    /** Predicates about pods only. */
    static final List<String> CONDITIONS =
            List.of("pod.hasLabel('app')", "pod.priority >= 0", "pod.cpu > 0.2", "!pod.name.contains('2')");

    private RandomRules() {}
}
