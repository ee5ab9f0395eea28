package io.policyscheduler.cmd.extender.client;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.io.IOException;

/** Whole objects as JSON, which extenders are sent and the scheduler itself does not keep. Thread-safe. */
public interface RawObjects {
    /**
     * The JSON of a pod, without {@code kind} and {@code apiVersion}; at least as new as {@code pod}.
     *
     * @throws IOException when there is no such pod (any more), or it cannot be read
     */
    String pod(PodInfo pod) throws IOException;

    /**
     * The JSON of a node, likewise.
     *
     * @throws IOException when there is no such node, or it cannot be read
     */
    String node(String name) throws IOException;
}
