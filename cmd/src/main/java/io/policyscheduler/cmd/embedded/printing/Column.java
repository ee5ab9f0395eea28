package io.policyscheduler.cmd.embedded.printing;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.util.function.Function;

/**
 * A column of a table.
 *
 * @param type {@code string}, {@code integer} or {@code boolean}
 * @param priority 1 for one that is shown with {@code -o wide} only
 */
record Column(String name, String type, int priority, Function<JsonNode, JsonNode> cell) {
    static final String NONE = "<none>";

    static Column text(String name, Function<JsonNode, String> cell) {
        return new Column(name, "string", 0, object -> Json.object().textNode(cell.apply(object)));
    }

    static Column wide(String name, Function<JsonNode, String> cell) {
        return new Column(name, "string", 1, object -> Json.object().textNode(cell.apply(object)));
    }

    static Column number(String name, Function<JsonNode, Integer> cell) {
        return new Column(name, "integer", 0, object -> Json.object().numberNode(cell.apply(object)));
    }

    /** A number at a path such as {@code /status/replicas}; 0 when it is not there. */
    static Column number(String name, String path) {
        return number(name, object -> object.at(path).asInt());
    }

    static Column ofName() {
        return text("Name", object -> Json.text(object, "metadata", "name"));
    }

    static String orNone(String text) {
        return text.isEmpty() ? NONE : text;
    }

    static String orUnset(String text) {
        return text.isEmpty() ? "<unset>" : text;
    }
}
