package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Owners of what is made for others. */
final class Owned {
    private Owned() {}

    /** The pod is the controlling owner. */
    static void byPod(ObjectNode metadata, ObjectNode pod) {
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", Fields.text(pod, "metadata", "name"))
                .put("uid", Fields.text(pod, "metadata", "uid"))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }
}
