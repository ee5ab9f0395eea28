package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import java.util.List;

/** Empties a namespace that is deleted, and lets it go when nothing is left in it (pkg/controller/namespace). */
public final class NamespaceController extends KeyedController {
    private final List<ResourceType> inside;

    public NamespaceController(Clientset objects) {
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
        objects().get(type(), namespace).filter(Clientset::isDeleted).ifPresent(found -> look(namespace));
    }

    @Override
    public void reconcile(ObjectNode namespace) {
        if (!Clientset.isDeleted(namespace)) {
            return;
        }
        String name = Json.text(namespace, "metadata", "name");
        boolean empty = true;
        for (ResourceType kind : inside) {
            for (ObjectNode object : objects().list(kind, name)) {
                if (!Clientset.isDeleted(object)) {
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

    /** The service account {@code default} of every namespace (pkg/controller/serviceaccount). */
    public static final class ServiceAccountController extends KeyedController {
        private final ResourceType accounts;

        public ServiceAccountController(Clientset objects) {
            super(objects, "namespaces", "serviceaccounts");
            this.accounts = objects.type("serviceaccounts");
        }

        @Override
        public void seeOther(ResourceType other, ObjectNode object) {
            look(new ObjectKey("", ObjectKey.of(object).namespace()));
        }

        @Override
        public void reconcile(ObjectNode namespace) {
            ObjectKey account = new ObjectKey(Json.text(namespace, "metadata", "name"), "default");
            if (Clientset.isDeleted(namespace)
                    || objects().get(accounts, account).isPresent()) {
                return;
            }
            ObjectNode created = Json.object();
            created.putObject("metadata").put("name", account.name()).put("namespace", account.namespace());
            objects().create(accounts, created);
        }
    }
}
