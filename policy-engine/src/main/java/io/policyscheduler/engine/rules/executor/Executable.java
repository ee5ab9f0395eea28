package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.ClusterCounts;

/** A checked term that an executor has made ready to run. Immutable, for any number of threads. */
public interface Executable {
    /**
     * Prepares for one pod.
     *
     * @param counts what the rule may ask about the cluster
     * @param meter is charged for what is done, and ends what costs too much
     */
    Execution start(PodInfo pod, ClusterCounts counts, Meter meter);
}
