package io.policyscheduler.framework.devices;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceAllocation.ClaimConsumer;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConfig;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.List;

/** Parts of a claim's status as the API has them. */
public final class ClaimJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private ClaimJson() {}

    /** {@code status.allocation}. */
    public static ObjectNode allocation(DeviceAllocation allocation) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ObjectNode devices = json.putObject("devices");
        if (!allocation.config().isEmpty()) {
            ArrayNode config = devices.putArray("config");
            allocation.config().forEach(entry -> config.add(config(entry)));
        }
        if (!allocation.results().isEmpty()) {
            ArrayNode results = devices.putArray("results");
            allocation.results().forEach(result -> {
                ObjectNode one = results.addObject();
                if (result.adminAccess()) {
                    one.put("adminAccess", true);
                }
                one.put("device", result.device().device())
                        .put("driver", result.device().driver())
                        .put("pool", result.device().pool())
                        .put("request", result.request());
            });
        }
        if (allocation.nodeTerms() != null) {
            ArrayNode terms = json.putObject("nodeSelector").putArray("nodeSelectorTerms");
            for (NodeSelectorTerm term : allocation.nodeTerms()) {
                ObjectNode one = terms.addObject();
                requirements(one, "matchExpressions", term.expressions());
                requirements(one, "matchFields", term.fields());
            }
        }
        return json;
    }

    private static ObjectNode config(DeviceConfig entry) {
        ObjectNode json;
        try {
            json = (ObjectNode) JSON.readTree(entry.content());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what was read as JSON is none: " + entry.content(), e);
        }
        if (!entry.requests().isEmpty()) {
            entry.requests().forEach(json.putArray("requests")::add);
        }
        return json.put("source", entry.source());
    }

    private static void requirements(ObjectNode term, String field, List<LabelRequirement> requirements) {
        if (requirements.isEmpty()) {
            return;
        }
        ArrayNode list = term.putArray(field);
        for (LabelRequirement requirement : requirements) {
            ObjectNode one = list.addObject().put("key", requirement.key()).put("operator", requirement.operator());
            if (!requirement.values().isEmpty()) {
                requirement.values().forEach(one.putArray("values")::add);
            }
        }
    }

    /** An entry of {@code status.reservedFor}. */
    public static ObjectNode consumer(ClaimConsumer consumer) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (!consumer.apiGroup().isEmpty()) {
            json.put("apiGroup", consumer.apiGroup());
        }
        return json.put("resource", consumer.resource())
                .put("name", consumer.name())
                .put("uid", consumer.uid());
    }
}
