package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one attempt is to find out, and how closely it looks for that. The calls come in the order of the methods. */
interface AttemptReport<R> {
    /** The attempt ends here, with an error. */
    R failed(String message);

    /** There is no node at all. */
    R noNodes();

    /**
     * Looks for nodes that pass the filters, if the step before has not rejected them all.
     *
     * @return null, or the error that ends the attempt
     */
    @Nullable
    String filter(PodContext context, FilterRun filters, List<NodeInfo> nodes);

    /** The step before the filters has rejected all nodes. */
    R rejected(PreFilterRun before, int nodeCount);

    /** The nodes that pass the filters. */
    List<NodeInfo> feasible();

    /** Whether extenders have a word on the feasible nodes. */
    boolean asksExtenders();

    /** An extender rejects a node that passes the filters. */
    void rejectedByExtender(String node, List<String> reasons);

    /** No node is left. */
    R unfit(int nodeCount);

    /** These nodes are left, at least one. */
    R fit(PodContext context, FilterRun filters, List<NodeInfo> nodes);
}
