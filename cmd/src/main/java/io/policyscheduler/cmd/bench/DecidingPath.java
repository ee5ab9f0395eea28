package io.policyscheduler.cmd.bench;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.cycle.DecisionPath;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.cycle.attempt.AttemptListener;
import io.policyscheduler.framework.profile.Profile;
import java.util.List;
import java.util.Locale;

/**
 * A way in which the scheduling cycle comes to the same decisions. This is the only place that knows which there are.
 *
 * @param name in lower case, for tables and JSON
 */
record DecidingPath(String name, Source source) {
    /** Makes a cycle that goes this way. */
    @FunctionalInterface
    interface Source {
        SchedulingCycle cycle(Profile profile, ClusterState cluster, int percentage, AttemptListener attempts);
    }

    /** All ways, the plain one first; what {@code run} does is the last. */
    static final List<DecidingPath> ALL = List.of(of(DecisionPath.PLAIN), of(DecisionPath.KEPT));

    private static DecidingPath of(DecisionPath path) {
        return new DecidingPath(
                path.name().toLowerCase(Locale.ROOT),
                (profile, cluster, percentage, attempts) -> SchedulingCycle.builder(profile, cluster)
                        .percentageOfNodesToScore(percentage)
                        .tieBreak(TieBreak.roundRobin())
                        .attempts(attempts)
                        .path(path)
                        .build());
    }

    /** The way that {@code run} goes. */
    static DecidingPath usual() {
        return ALL.get(ALL.size() - 1);
    }
}
