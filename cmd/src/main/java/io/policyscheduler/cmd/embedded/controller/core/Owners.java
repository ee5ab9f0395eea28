package io.policyscheduler.cmd.embedded.controller.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.LabelSelectorText;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.util.ArrayList;
import java.util.List;

/** Owner references: which object controls which (apimachinery meta/v1 controller_ref.go). */
public final class Owners {
    private Owners() {}

    /** The reference to the controlling owner; a missing node when there is none. */
    public static JsonNode controllerOf(JsonNode object) {
        for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                return owner;
            }
        }
        return MissingNode.getInstance();
    }

    public static boolean controls(JsonNode owner, JsonNode object) {
        return Json.text(controllerOf(object), "uid").equals(ApiObjects.uid(owner));
    }

    /** Makes the owner the controller of an object. */
    public static void setController(ResourceType ownerType, JsonNode owner, ObjectNode object) {
        Json.list(Json.child(object, "metadata"), "ownerReferences")
                .addObject()
                .put("apiVersion", ownerType.apiVersion(ownerType.versions().get(0)))
                .put("kind", ownerType.kind())
                .put("name", Json.text(owner, "metadata", "name"))
                .put("uid", ApiObjects.uid(owner))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }

    /**
     * What an object of the same namespace controls. Orphans that its selector takes are adopted, as real controllers do.
     *
     * @param owner with a {@code spec.selector}
     */
    public static List<ObjectNode> controlled(
            ApiObjects objects, ResourceType ownerType, ObjectNode owner, ResourceType type) {
        JsonNode selector = owner.path("spec").path("selector");
        // A ReplicationController has the labels themselves.
        LabelSelectorText labels = LabelSelectorText.ofObject(
                ownerType.plural().equals("replicationcontrollers")
                        ? Json.object().set("matchLabels", selector)
                        : selector);
        List<ObjectNode> result = new ArrayList<>();
        for (ObjectNode object : objects.list(type, ObjectKey.of(owner).namespace())) {
            if (controls(owner, object)) {
                result.add(object);
            } else if (controllerOf(object).isMissingNode()
                    && !labels.isEmpty()
                    && labels.matches(object)
                    && !ApiObjects.isDeleted(object)
                    && !ApiObjects.isDeleted(owner)) {
                objects.change(type, object, orphan -> setController(ownerType, owner, orphan));
                objects.get(type, ObjectKey.of(object))
                        .filter(adopted -> controls(owner, adopted))
                        .ifPresent(result::add);
            }
        }
        return result;
    }

    /** Takes an owner out of an object's references. */
    public static void release(ObjectNode object, String ownerUid) {
        ObjectNode metadata = Json.child(object, "metadata");
        ArrayNode kept = Json.array();
        for (JsonNode owner : metadata.path("ownerReferences")) {
            if (!Json.text(owner, "uid").equals(ownerUid)) {
                kept.add(owner);
            }
        }
        if (kept.isEmpty()) {
            metadata.remove("ownerReferences");
        } else {
            metadata.set("ownerReferences", kept);
        }
    }
}
