package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The tolerations of a pod, indexed to evaluate many taints. Immutable. */
public final class TolerationSet {
    private static final int MAX_LINEAR = 8;
    private static final String PREFER = "PreferNoSchedule";
    private static final String EXISTS = "Exists";
    private static final String EQUAL = "Equal";

    private final List<Toleration> few;
    /** Empty for few tolerations; normalized, so that equivalent ones are equal. */
    private final Set<Toleration> many = new HashSet<>();

    /** Indexes these tolerations. */
    public TolerationSet(List<Toleration> tolerations) {
        boolean isFew = tolerations.size() <= MAX_LINEAR;
        few = isFew ? List.copyOf(tolerations) : List.of();
        if (!isFew) {
            for (Toleration toleration : tolerations) {
                switch (toleration.operator()) {
                    case EXISTS -> many.add(new Toleration(toleration.key(), EXISTS, "", toleration.effect()));
                    case "", EQUAL ->
                        many.add(new Toleration(toleration.key(), EQUAL, toleration.value(), toleration.effect()));
                    default -> {} // tolerates nothing
                }
            }
        }
    }

    /** True if some toleration tolerates {@code taint}, as in {@link Toleration#anyTolerates}. */
    public boolean tolerates(Taint taint) {
        if (many.isEmpty()) {
            return tolerated(few, taint);
        }
        return anyKeyed("", "", taint)
                || anyKeyed(taint.key(), "", taint)
                || anyKeyed("", taint.effect(), taint)
                || anyKeyed(taint.key(), taint.effect(), taint);
    }

    /** Returns the first taint with the effect NoSchedule or NoExecute that is not tolerated, or null. */
    public @Nullable Taint firstUntolerated(List<Taint> taints) {
        for (int i = 0; i < taints.size(); i++) {
            Taint taint = taints.get(i);
            if (rejectsPods(taint.effect()) && !tolerates(taint)) {
                return taint;
            }
        }
        return null;
    }

    /** Returns the tolerations that can tolerate a taint with the effect PreferNoSchedule. */
    public static List<Toleration> ofPreferences(List<Toleration> tolerations) {
        List<Toleration> relevant = new ArrayList<>(0);
        for (Toleration toleration : tolerations) {
            if (toleration.effect().isEmpty() || toleration.effect().equals(PREFER)) {
                relevant.add(toleration);
            }
        }
        return relevant;
    }

    /** Returns the number of taints with the effect PreferNoSchedule that are not tolerated. */
    public long countUntolerated(List<Taint> taints) {
        long count = 0;
        for (int i = 0; i < taints.size(); i++) {
            Taint taint = taints.get(i);
            if (taint.effect().equals(PREFER) && !tolerates(taint)) {
                count++;
            }
        }
        return count;
    }

    /** Returns whether a taint with this effect keeps pods off a node. */
    public static boolean rejectsPods(String effect) {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }

    private static boolean tolerated(List<Toleration> tolerations, Taint taint) {
        for (int i = 0; i < tolerations.size(); i++) {
            if (tolerations.get(i).tolerates(taint)) {
                return true;
            }
        }
        return false;
    }

    private boolean anyKeyed(String key, String effect, Taint taint) {
        return many.contains(new Toleration(key, EXISTS, "", effect))
                || many.contains(new Toleration(key, EQUAL, taint.value(), effect));
    }
}
