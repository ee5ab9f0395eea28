package io.policyscheduler.engine.cluster.index;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.IdentityHashMap;
import java.util.function.Function;

/**
 * What the affinity of existing pods means for one incoming pod, worked out once for siblings: they share their
 * {@link Affinity} object, and apart from it only their namespace matters. Owned by one thread.
 *
 * @param <T> the result; immutable
 */
public final class AffinityMemo<T> {
    private record Entry<T>(String namespace, T value) {}

    private final IdentityHashMap<Affinity, Entry<T>> entries = new IdentityHashMap<>();
    private final Function<PodInfo, T> work;

    /**
     * Remembers the results of {@code work}.
     *
     * @param work may look at nothing of its argument but affinity and namespace
     */
    public AffinityMemo(Function<PodInfo, T> work) {
        this.work = work;
    }

    /** The result for {@code owner}. */
    public T get(PodInfo owner) {
        Entry<T> known = entries.get(owner.affinity());
        if (known != null && known.namespace().equals(owner.namespace())) {
            return known.value();
        }
        T value = work.apply(owner);
        entries.put(owner.affinity(), new Entry<>(owner.namespace(), value));
        return value;
    }
}
