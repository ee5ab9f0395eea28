package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;

/** Works something out once per pod when the feasible nodes are known. */
public interface PreScorePlugin extends Plugin {
    /** Success; or skip, which leaves the plugin's score out; or an error. */
    Status preScore(CycleState state, PodContext context, List<NodeInfo> feasible);
}
