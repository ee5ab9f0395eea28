package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What a list, watch or collection delete covers.
 *
 * @param namespace the namespace; empty for all
 * @param fields field selector
 * @param labels label selector
 */
record ObjectFilter(String namespace, FieldSelector fields, LabelSelectorText labels) {
    static ObjectFilter of(ResourceRequest target, ApiRequest request) {
        FieldSelector fields = FieldSelector.parse(target.type(), request.parameter("fieldSelector"));
        LabelSelectorText labels = LabelSelectorText.parse(request.parameter("labelSelector"));
        return new ObjectFilter(target.namespace(), fields, labels);
    }

    boolean hasSelector() {
        return !fields.isEmpty() || !labels.isEmpty();
    }

    boolean matches(JsonNode object) {
        return (namespace.isEmpty() || namespace.equals(Json.text(object, "metadata", "namespace")))
                && fields.matches(object)
                && labels.matches(object);
    }

    <T extends JsonNode> List<T> select(List<T> objects) {
        return hasSelector() ? objects.stream().filter(this::matches).toList() : objects;
    }
}
