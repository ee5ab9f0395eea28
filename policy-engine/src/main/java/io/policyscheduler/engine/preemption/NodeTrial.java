package io.policyscheduler.engine.preemption;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One node from which pods are removed, and to which they are added again, to check whether the preemptor fits. Changes nothing real. */
public interface NodeTrial {
    /**
     * The reason for which the preemptor does not fit.
     *
     * @param reasons texts for users, or the text of an error
     * @param error whether the trial itself failed
     */
    record Misfit(List<String> reasons, boolean error) {
        /** A reason that is not reported. */
        public static final Misfit UNREPORTED = new Misfit(List.of(), false);

        public Misfit {
            reasons = List.copyOf(reasons);
        }
    }

    /** Removes a pod; returns false on an error. */
    boolean remove(PodInfo pod);

    /** Adds a pod again; returns false on an error. */
    boolean add(PodInfo pod);

    /** Returns null if the preemptor fits now, else the reason. Nominated pods count. */
    @Nullable
    Misfit check();

    /** The error of the last {@link #add} or {@link #remove} that failed; empty if there is none, or if it is not reported. */
    default String error() {
        return "";
    }

    /** Returns whether the preemptor fits now; an error counts as no. */
    default boolean fits() {
        return check() == null;
    }
}
