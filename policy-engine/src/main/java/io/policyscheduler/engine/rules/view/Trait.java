package io.policyscheduler.engine.rules.view;

import io.policyscheduler.engine.cluster.object.PodInfo;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about pods that are counted: the value of a label, or their namespace.
 *
 * @param label key of the label, null for the namespace
 */
record Trait(@Nullable String label) {
    static final Trait NAMESPACE = new Trait(null);

    static Trait label(String key) {
        return new Trait(key);
    }

    /** The value that a pod has, null for none. */
    @Nullable
    String of(PodInfo pod) {
        return label == null ? pod.namespace() : pod.labels().get(label);
    }

    /** True when a pod has this value; a null value stands for any. */
    boolean matches(PodInfo pod, @Nullable String value) {
        String has = of(pod);
        return has != null && (value == null || has.equals(value));
    }
}
