package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** What is asked for cannot be done, for reasons that the user is told. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Reason> reasons;

    /**
     * One of them.
     *
     * @param line of the text that was sent, from 1; 0 when unknown
     */
    record Reason(String message, int line) {}

    Refusal(List<Reason> reasons) {
        super(reasons.isEmpty() ? "" : reasons.get(0).message());
        this.reasons = List.copyOf(reasons);
    }

    /** One that is about no line. */
    static Refusal of(String message) {
        return new Refusal(List.of(new Reason(message, 0)));
    }

    /** {@code {"errors": [{"message", "line"}]}}; the line is null when unknown. */
    ObjectNode json() {
        return JsonNodeFactory.instance.objectNode().set("errors", json(reasons));
    }

    /** {@code [{"message", "line"}]}. */
    static ArrayNode json(List<Reason> reasons) {
        ArrayNode json = JsonNodeFactory.instance.arrayNode();
        for (Reason reason : reasons) {
            ObjectNode one = json.addObject().put("message", reason.message());
            if (reason.line() > 0) {
                one.put("line", reason.line());
            } else {
                one.putNull("line");
            }
        }
        return json;
    }
}
