package io.policyscheduler.engine.cluster.object;

/**
 * A pod toleration; empty strings stand for absent fields. Mirrors {@code Toleration.ToleratesTaint} of
 * {@code staging/src/k8s.io/api/core/v1/toleration.go}; {@code tolerationSeconds} plays no part in scheduling.
 */
public record Toleration(String key, String operator, String value, String effect) {
    /** True when this toleration lets a pod accept {@code taint}. */
    public boolean tolerates(Taint taint) {
        if (!effect.isEmpty() && !effect.equals(taint.effect())) {
            return false;
        }
        if (!key.isEmpty() && !key.equals(taint.key())) {
            return false;
        }
        return switch (operator) {
            case "Exists" -> true;
            case "", "Equal" -> value.equals(taint.value());
            default -> false;
        };
    }

    /** True when some toleration of the list tolerates {@code taint}. */
    public static boolean anyTolerates(Iterable<Toleration> tolerations, Taint taint) {
        for (Toleration toleration : tolerations) {
            if (toleration.tolerates(taint)) {
                return true;
            }
        }
        return false;
    }
}
