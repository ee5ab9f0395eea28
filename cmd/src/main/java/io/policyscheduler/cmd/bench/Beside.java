package io.policyscheduler.cmd.bench;

import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.workload.BenchWorld;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import java.io.IOException;

/** What goes on beside the decisions of one run, from when it is made until it is closed. */
interface Beside extends AutoCloseable {
    /** Nothing goes on. */
    Beside NOTHING = new Beside() {
        @Override
        public int events() {
            return 0;
        }

        @Override
        public void close() {}
    };

    /** Begins it for a run. */
    @FunctionalInterface
    interface Begin {
        /** @throws IOException when a port of the loopback address cannot be used */
        Beside with(BenchWorld world, DecisionHistory history) throws IOException;
    }

    /** Called before each decision, on the thread that decides. */
    default void deciding() {}

    /** A pod was decided, and counts on its node if it has one. */
    default void decided(PodInfo pod, Decision decision) {}

    /** How much has happened so far. */
    int events();

    @Override
    void close();
}
