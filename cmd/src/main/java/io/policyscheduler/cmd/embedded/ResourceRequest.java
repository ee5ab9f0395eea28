package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.node.ObjectNode;

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
record ResourceRequest(
        ResourceType type, ResourceType served, String version, String namespace, String name, String subresource) {

    String apiVersion() {
        return served.apiVersion(version);
    }

    /** A stored object as this path shows it: with kind and apiVersion. Shares the parts of the stored object. */
    ObjectNode external(ObjectNode stored) {
        ObjectNode object = Json.object().put("kind", served.kind()).put("apiVersion", apiVersion());
        object.setAll(listItem(stored));
        return object;
    }

    /** A stored object as an item of a list: without kind and apiVersion. */
    ObjectNode listItem(ObjectNode stored) {
        return isEventView() ? EventConversion.toEventsGroup(stored) : stored;
    }

    /** The object as it is stored, from a request's body. */
    ObjectNode internal(ObjectNode body) {
        ObjectNode object = isEventView() ? EventConversion.toCore(body) : body;
        object.remove("kind");
        object.remove("apiVersion");
        return object;
    }

    private boolean isEventView() {
        return served.group().equals(ResourceCatalog.EVENTS_GROUP);
    }
}
