package io.policyscheduler.cmd.embedded.controller.upkeep;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import java.util.List;

/** Empties a namespace that is deleted, and lets it go when nothing is left in it (pkg/controller/namespace). */
public final class NamespaceController extends KeyedController {
    private final List<ResourceType> inside;

    public NamespaceController(ApiObjects objects) {
        super(objects, "namespaces", "pods");
        this.inside = objects.catalog().types().stream()
                .filter(type ->
                        type.namespaced() && objects.catalog().stored(type).equals(type))
                .toList();
    }

    /** Pods take their time to go. */
    @Override
    public void seeOther(ResourceType other, ObjectNode object) {
        ObjectKey namespace = new ObjectKey("", ObjectKey.of(object).namespace());
        objects().get(type(), namespace).filter(ApiObjects::isDeleted).ifPresent(found -> look(namespace));
    }

    @Override
    public void reconcile(ObjectNode namespace) {
        if (!ApiObjects.isDeleted(namespace)) {
            return;
        }
        String name = Json.text(namespace, "metadata", "name");
        boolean empty = true;
        for (ResourceType kind : inside) {
            for (ObjectNode object : objects().list(kind, name)) {
                if (!ApiObjects.isDeleted(object)) {
                    objects().delete(kind, object);
                }
                empty &= objects().get(kind, ObjectKey.of(object)).isEmpty();
            }
        }
        if (empty) {
            objects()
                    .change(
                            type(),
                            namespace,
                            present -> Json.child(present, "spec").putArray("finalizers"));
        } else {
            // Other kinds than pods may have finalizers.
            lookAt(objects().now().plusSeconds(1), namespace);
        }
    }
}
