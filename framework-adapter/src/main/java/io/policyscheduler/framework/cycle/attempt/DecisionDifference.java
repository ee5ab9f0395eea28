package io.policyscheduler.framework.cycle.attempt;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.List;

/**
 * A decision that came out otherwise by what is kept about the nodes than by asking every plugin about every node. The latter counts.
 *
 * @param pod about which it was
 * @param what the first thing in which both differ, for users
 * @param plain what was decided by asking anew, for users
 * @param kept what would have been decided by what was kept, for users
 * @param plugins names of the plugins whose kept answers were not those of now; empty when that cannot be told
 */
public record DecisionDifference(PodInfo pod, String what, String plain, String kept, List<String> plugins) {
    public DecisionDifference {
        plugins = ImmutableList.copyOf(plugins);
    }
}
