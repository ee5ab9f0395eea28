package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Objects in the form in which a scheduler's watch cache holds them. */
final class ObjectJson {
    private ObjectJson() {}

    /** The JSON without the type, which lists and watches do not repeat for each object either. */
    static String untyped(JsonNode object) {
        if (object instanceof ObjectNode fields) {
            return fields.deepCopy().without(List.of("kind", "apiVersion")).toString();
        }
        return object.toString();
    }
}
