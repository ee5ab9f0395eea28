package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;

/** Precomputes data once per pod when the feasible nodes are known. */
public interface PreScorePlugin extends Plugin {
    /** Returns success; or skip, which skips the plugin's score; or an error. */
    Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible);
}
