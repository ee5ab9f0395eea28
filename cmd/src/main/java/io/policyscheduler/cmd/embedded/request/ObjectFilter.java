package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.FieldSelector;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelectorText;
import java.util.List;

/**
 * What a list, watch or collection delete covers.
 *
 * @param namespace the namespace; empty for all
 * @param fields field selector
 * @param labels label selector
 */
public record ObjectFilter(String namespace, FieldSelector fields, LabelSelectorText labels) {
    public static ObjectFilter of(ResourceRequest target, ApiRequest request) {
        FieldSelector fields = FieldSelector.parse(target.type(), request.parameter("fieldSelector"));
        LabelSelectorText labels = LabelSelectorText.parse(request.parameter("labelSelector"));
        return new ObjectFilter(target.namespace(), fields, labels);
    }

    public boolean hasSelector() {
        return !fields.isEmpty() || !labels.isEmpty();
    }

    public boolean matches(JsonNode object) {
        return (namespace.isEmpty() || namespace.equals(Json.text(object, "metadata", "namespace")))
                && fields.matches(object)
                && labels.matches(object);
    }

    public <T extends JsonNode> List<T> select(List<T> objects) {
        return hasSelector() ? objects.stream().filter(this::matches).toList() : objects;
    }
}
