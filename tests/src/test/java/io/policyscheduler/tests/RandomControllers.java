package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.List;
import java.util.Map;

/** Services, controllers, and disruption budgets whose selectors match random pods. */
final class RandomControllers {
    private final RandomValues random;
    private final RandomPods pods;
    private final String budgets;

    /** @param budgets {@code apiVersion} of the budgets */
    RandomControllers(RandomValues random, RandomPods pods, String budgets) {
        this.random = random;
        this.pods = pods;
        this.budgets = budgets;
    }

    /** Adds the objects. */
    void addTo(List<Map<String, Object>> cluster) {
        for (String namespace : RandomPods.NAMESPACES) {
            for (int i = random.between(0, 2); i > 0; i--) {
                cluster.add(selecting("v1", "Service", namespace, "s" + i, pods.labels()));
            }
            if (random.percent(20)) {
                cluster.add(selecting("v1", "ReplicationController", namespace, "rc", pods.labels()));
            }
            for (String kind : List.of("ReplicaSet", "StatefulSet")) {
                if (random.percent(30)) {
                    cluster.add(selecting("apps/v1", kind, namespace, "w", pods.selector()));
                }
            }
            if (random.percent(30)) {
                Map<String, Object> budget = selecting(budgets, "PodDisruptionBudget", namespace, "b", pods.selector());
                budget.put("status", object("disruptionsAllowed", random.between(0, 1)));
                cluster.add(budget);
            }
        }
    }

    private static Map<String, Object> selecting(
            String version, String kind, String namespace, String name, Map<String, Object> selector) {
        return object(
                "apiVersion",
                version,
                "kind",
                kind,
                "metadata",
                object("namespace", namespace, "name", name),
                "spec",
                object("selector", selector));
    }
}
