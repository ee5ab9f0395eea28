package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.io.IOException;
import java.util.List;

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

    /** Objects in the form in which a scheduler's watch cache holds them. */
    static final class ObjectJson {
        private ObjectJson() {}

        /** The JSON without the type, which lists and watches do not repeat for each object either. */
        static String untyped(JsonNode object) {
            if (object instanceof ObjectNode fields) {
                return fields.deepCopy().without(List.of("kind", "apiVersion")).toString();
            }
            return object.toString();
        }
    }
}
