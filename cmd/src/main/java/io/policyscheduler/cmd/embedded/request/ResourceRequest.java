package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;

/**
 * The stored thing a path means.
 *
 * @param type kind under which objects are stored
 * @param served kind as the path names it; differs from {@code type} for events.k8s.io only
 * @param version version in the path
 * @param namespace empty for all namespaces and for kinds outside namespaces
 * @param name empty for a collection
 * @param subresource empty for none
 */
public record ResourceRequest(
        ResourceType type, ResourceType served, String version, String namespace, String name, String subresource) {

    public String apiVersion() {
        return served.apiVersion(version);
    }

    /** A stored object as this path shows it: with kind and apiVersion. Shares the parts of the stored object. */
    public ObjectNode external(ObjectNode stored) {
        ObjectNode object = Json.object().put("kind", served.kind()).put("apiVersion", apiVersion());
        object.setAll(listItem(stored));
        return object;
    }

    /** A stored object as an item of a list: without kind and apiVersion. */
    public ObjectNode listItem(ObjectNode stored) {
        return isEventView() ? EventConversion.toEventsGroup(stored) : stored;
    }

    /** The object as it is stored, from a request's body. */
    public ObjectNode internal(ObjectNode body) {
        ObjectNode object = isEventView() ? EventConversion.toCore(body) : body;
        object.remove("kind");
        object.remove("apiVersion");
        return object;
    }

    private boolean isEventView() {
        return served.group().equals(ResourceCatalog.EVENTS_GROUP);
    }
}
