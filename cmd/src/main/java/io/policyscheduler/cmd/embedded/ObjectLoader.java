package io.policyscheduler.cmd.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.admission.ObjectAdmission;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import io.policyscheduler.cmd.embedded.store.StoredObjects;
import io.policyscheduler.engine.creation.ObjectCreation;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts objects into the store without a request: those of every cluster, and the manifests that a user brings. */
final class ObjectLoader {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectLoader.class);

    private final StoredObjects store;
    private final ResourceCatalog catalog;
    private final ObjectAdmission admission;

    ObjectLoader(StoredObjects store, ResourceCatalog catalog, ObjectAdmission admission) {
        this.store = store;
        this.catalog = catalog;
        this.admission = admission;
    }

    /** The namespaces and priority classes that a cluster begins with. */
    void loadSystemObjects() {
        List.of("default", "kube-system", "kube-public", "kube-node-lease").forEach(this::ensureNamespace);
        ObjectCreation.systemClasses().forEach(this::addSystemClass);
    }

    /** The service by which pods of a whole cluster reach its API server. */
    void loadKubernetesService() {
        ObjectNode service = Json.object().put("apiVersion", "v1").put("kind", "Service");
        ObjectNode metadata =
                service.putObject("metadata").put("name", "kubernetes").put("namespace", "default");
        metadata.putObject("labels").put("component", "apiserver").put("provider", "kubernetes");
        ObjectNode spec = service.putObject("spec").put("clusterIP", "10.96.0.1");
        spec.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("port", 443)
                .put("protocol", "TCP")
                .put("targetPort", 6443);
        load(service);
    }

    /** See {@link EmbeddedCluster#load}. */
    void load(JsonNode manifest) {
        items(manifest).forEach(this::loadOne);
    }

    /**
     * The objects of a List, each with its kind; of something else that alone.
     *
     * @throws IllegalArgumentException when an item is no object
     */
    static List<JsonNode> items(JsonNode manifest) {
        String kind = Json.text(manifest, "kind");
        if (!kind.endsWith("List") || !manifest.has("items")) {
            return List.of(manifest);
        }
        List<JsonNode> items = new ArrayList<>();
        for (JsonNode item : manifest.path("items")) {
            if (!item.isObject()) {
                throw new IllegalArgumentException("an item of a " + kind + " is no object");
            }
            ObjectNode typed = item.deepCopy();
            Json.putIfAbsent(typed, "kind", kind.substring(0, kind.length() - "List".length()));
            Json.putIfAbsent(typed, "apiVersion", Json.text(manifest, "apiVersion"));
            items.addAll(items(typed));
        }
        return List.copyOf(items);
    }

    private void loadOne(JsonNode manifest) {
        String kind = Json.text(manifest, "kind");
        String apiVersion = Json.text(manifest, "apiVersion");
        ResourceType served = catalog.ofManifest(apiVersion, kind)
                .orElseThrow(() -> new IllegalArgumentException("the embedded cluster does not serve kind \"" + kind
                        + "\" of apiVersion \"" + apiVersion + "\""));
        ResourceType type = catalog.stored(served);
        String namespace = Json.text(manifest, "metadata", "namespace");
        if (type.namespaced()) {
            namespace = namespace.isEmpty() ? "default" : namespace;
            ensureNamespace(namespace);
        }
        ResourceRequest target =
                new ResourceRequest(type, served, served.versions().get(0), namespace, "", "");
        ObjectNode object = target.internal(manifest.deepCopy());
        admission.admitNew(type, namespace, object, true);
        store.create(type, object, false);
    }

    private void ensureNamespace(String name) {
        ResourceType namespaces = catalog.named("namespaces");
        if (store.get(namespaces, "", name).isPresent()) {
            return;
        }
        ObjectNode namespace = Json.object();
        namespace.putObject("metadata").put("name", name);
        admission.admitNew(namespaces, "", namespace, true);
        try {
            store.create(namespaces, namespace, false);
        } catch (StatusError e) {
            LOG.debug("namespace {} was created meanwhile", name, e);
        }
    }

    private void addSystemClass(String name, int value) {
        ResourceType classes = catalog.named("priorityclasses");
        ObjectNode priorityClass = Json.object();
        priorityClass.putObject("metadata").put("name", name);
        priorityClass.put("value", value);
        admission.admitNew(classes, "", priorityClass, true);
        store.create(classes, priorityClass, false);
    }
}
