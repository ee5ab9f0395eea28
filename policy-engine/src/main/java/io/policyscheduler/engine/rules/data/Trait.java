package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about pods that are counted: the value of a label, their namespace, or the UID of their controller.
 *
 * @param label key of the label; empty for the others
 */
record Trait(Kind kind, String label) {
    /** Which fact of a pod. */
    enum Kind {
        LABEL,
        NAMESPACE,
        OWNER
    }

    static final Trait NAMESPACE = new Trait(Kind.NAMESPACE, "");
    static final Trait OWNER = new Trait(Kind.OWNER, "");

    static Trait label(String key) {
        return new Trait(Kind.LABEL, key);
    }

    /** The value that a pod has, null for none. */
    @Nullable
    String of(PodInfo pod) {
        return switch (kind) {
            case LABEL -> pod.labels().get(label);
            case NAMESPACE -> pod.namespace();
            case OWNER -> owner(pod);
        };
    }

    /** Pods without a controller have nothing in common. */
    private static @Nullable String owner(PodInfo pod) {
        OwnerReference owner = pod.controller();
        return owner == null || owner.uid().isEmpty() ? null : owner.uid();
    }

    /** True when a pod has this value; a null value stands for any. */
    boolean matches(PodInfo pod, @Nullable String value) {
        String has = of(pod);
        return has != null && (value == null || has.equals(value));
    }
}
