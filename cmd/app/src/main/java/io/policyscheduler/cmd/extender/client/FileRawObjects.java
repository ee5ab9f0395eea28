package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.extender.client.RawObjects.ObjectJson;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Raw objects from documents, for simulations; the first of a name counts. To be filled before it is used. */
public final class FileRawObjects implements RawObjects {
    private static final String DEFAULT_NAMESPACE = "default";

    private final Map<String, String> pods = new HashMap<>();
    private final Map<String, String> nodes = new HashMap<>();

    /** Adds the pods and nodes of a document: an object, a typed list or a List. */
    public void add(JsonNode document) {
        String kind = document.path("kind").asText();
        if (!document.path("items").isArray()) {
            put(kind, document);
            return;
        }
        String itemKind = kind.endsWith("List") ? kind.substring(0, kind.length() - "List".length()) : "";
        for (JsonNode item : document.path("items")) {
            put(item.path("kind").asText(itemKind), item);
        }
    }

    private void put(String kind, JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String name = metadata.path("name").asText();
        if (kind.equals("Node")) {
            nodes.putIfAbsent(name, ObjectJson.untyped(object));
        } else if (kind.equals("Pod")) {
            String namespace = metadata.path("namespace").asText(DEFAULT_NAMESPACE);
            pods.putIfAbsent(namespace + "/" + name, ObjectJson.untyped(object));
        }
    }

    @Override
    public String pod(PodInfo pod) throws IOException {
        return found(pods.get(pod.key()), "pod", pod.key());
    }

    @Override
    public String node(String name) throws IOException {
        return found(nodes.get(name), "node", name);
    }

    private static String found(@Nullable String json, String kind, String name) throws IOException {
        if (json == null) {
            throw new IOException(kind + " \"" + name + "\" not found");
        }
        return json;
    }
}
