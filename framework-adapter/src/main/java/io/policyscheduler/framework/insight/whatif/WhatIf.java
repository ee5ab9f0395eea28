package io.policyscheduler.framework.insight.whatif;

import io.policyscheduler.framework.insight.compare.World;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change of a cluster, as a pure function. */
public interface WhatIf {
    /**
     * What comes of a change.
     *
     * @param notes what was done, a line each, for people
     */
    record Changed(World world, List<String> notes) {
        public Changed {
            notes = List.copyOf(notes);
        }
    }

    /** Why the change cannot be made in this cluster, in one line; null when it can. */
    @Nullable
    String problem(World world);

    /** Makes the change, which must be possible. */
    Changed apply(World world);
}
