package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.SelectionPredicate;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Snapshot;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** GET of one object, of its scale, and of collections, with pages. */
final class ReadHandler {
    private static final String EXPIRED_TOKEN = "The provided continue parameter is too old to display a consistent"
            + " list result. You must start a new list without the continue parameter.";

    /** A continue token: the version of the first page and the last key of this page. */
    private record Continuation(long resourceVersion, ObjectKey after) {
        String encode() {
            ObjectNode token = Json.object()
                    .put("v", "meta.k8s.io/v1")
                    .put("rv", resourceVersion)
                    .put("ns", after.namespace())
                    .put("name", after.name());
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Json.bytes(token));
        }

        static Continuation decode(String text) {
            byte[] json;
            try {
                json = Base64.getUrlDecoder().decode(text.getBytes(StandardCharsets.ISO_8859_1));
            } catch (IllegalArgumentException e) {
                throw invalid("illegal base64 data");
            }
            try {
                SourceDocument.parseJson(new String(json, StandardCharsets.UTF_8));
                if (Json.parse(json) instanceof ObjectNode token
                        && token.path("rv").isNumber()) {
                    ObjectKey after = new ObjectKey(Json.text(token, "ns"), Json.text(token, "name"));
                    return new Continuation(token.path("rv").asLong(), after);
                }
            } catch (DocumentException e) {
                // The decoder of Go prints the first byte as a character.
                int first = json.length == 0 ? 0 : Byte.toUnsignedInt(json[0]);
                String shown = first < 0xA0 ? String.format(Locale.ROOT, "\\u%04x", first) : Character.toString(first);
                throw invalid(
                        first < 0x80 ? e.text() : "invalid character '" + shown + "' looking for beginning of value");
            } catch (IOException e) {
                throw invalid("no JSON");
            }
            throw invalid("no token of a list");
        }

        private static StatusError invalid(String why) {
            return StatusError.badRequest("invalid continue token: continue key is not valid: " + why);
        }
    }

    private final StoredObjects store;
    private final Tables tables;

    ReadHandler(StoredObjects store, Tables tables) {
        this.store = store;
        this.tables = tables;
    }

    Response get(ResourceRequest target, ApiRequest request) {
        request.resourceVersion();
        ObjectNode found = find(target);
        return Response.ok(
                request.wantsTable() ? tables.table(target, request, List.of(found)) : target.external(found));
    }

    /** Returns the subresource {@code scale}: the current and desired replicas of a workload. */
    Response scale(ResourceRequest target) {
        return Response.ok(scale(store.get(target.type(), target.namespace(), target.name())
                .orElseThrow(() -> StatusError.subresourceNotFound(target.type(), target.name(), "scale"))));
    }

    private ObjectNode find(ResourceRequest target) {
        return store.get(target.type(), target.namespace(), target.name())
                .orElseThrow(() -> StatusError.notFound(target.type(), target.name()));
    }

    static ObjectNode scale(ObjectNode object) {
        ObjectNode scale = Json.object().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field : List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            metadata.put(field, Json.text(object, "metadata", field));
        }
        scale.putObject("spec")
                .put("replicas", object.path("spec").path("replicas").asInt());
        ObjectNode status = scale.putObject("status");
        status.put("replicas", object.path("status").path("replicas").asInt());
        JsonNode selector = object.path("spec").path("selector");
        List<String> terms = new ArrayList<>();
        JsonNode labels = selector.has("matchLabels") ? selector.path("matchLabels") : selector;
        labels.properties().forEach(label -> {
            if (label.getValue().isTextual()) {
                terms.add(label.getKey() + "=" + label.getValue().asText());
            }
        });
        if (!terms.isEmpty()) {
            status.put("selector", String.join(",", terms));
        }
        return scale;
    }

    Response list(ResourceRequest target, ApiRequest request) {
        SelectionPredicate filter = SelectionPredicate.of(target, request);
        RequestOptions.checkList(request, false);
        long limit = request.number("limit", 0);
        String token = request.parameter("continue");
        if (!token.isEmpty() && request.resourceVersion() != 0) {
            throw StatusError.badRequest("specifying resource version is not allowed when using continue");
        }
        Snapshot snapshot;
        List<ObjectNode> rest;
        if (token.isEmpty()) {
            snapshot = snapshot(target, request);
            rest = filter.select(snapshot.items());
        } else {
            Continuation from = Continuation.decode(token);
            snapshot = store.findSnapshot(target.type(), target.namespace(), from.resourceVersion())
                    .orElseThrow(() -> StatusError.expired(EXPIRED_TOKEN));
            List<ObjectNode> items = snapshot.items();
            rest = filter.select(items.subList(firstAfter(items, from.after()), items.size()));
        }
        ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(snapshot.resourceVersion()));
        List<ObjectNode> page = rest;
        if (limit > 0 && rest.size() > limit) {
            page = rest.subList(0, (int) limit);
            store.saveSnapshot(target.type(), target.namespace(), snapshot);
            ObjectKey last = ObjectKey.of(page.get(page.size() - 1));
            metadata.put("continue", new Continuation(snapshot.resourceVersion(), last).encode());
            if (!filter.hasSelector()) {
                metadata.put("remainingItemCount", rest.size() - page.size());
            }
        }
        if (request.wantsTable()) {
            ObjectNode table = tables.table(target, request, page);
            table.set("metadata", metadata);
            return Response.ok(table);
        }
        return Response.ok(listOf(target, metadata, page));
    }

    /** Returns the index of the first object after a key in objects that are sorted by key. */
    private static int firstAfter(List<ObjectNode> items, ObjectKey key) {
        int low = 0;
        int high = items.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ObjectKey.of(items.get(middle)).compareTo(key) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    static ObjectNode listOf(ResourceRequest target, ObjectNode metadata, List<ObjectNode> items) {
        ObjectNode list =
                Json.object().put("kind", target.served().kind() + "List").put("apiVersion", target.apiVersion());
        list.set("metadata", metadata);
        list.putArray("items").addAll(items.stream().map(target::listItem).toList());
        return list;
    }

    private Snapshot snapshot(ResourceRequest target, ApiRequest request) {
        Snapshot newest = store.list(target.type(), target.namespace());
        long requested = request.resourceVersion();
        if (requested > newest.resourceVersion()) {
            throw StatusError.resourceVersionTooLarge(requested, newest.resourceVersion());
        }
        String match = request.parameter("resourceVersionMatch");
        boolean isFirstPage = match.isEmpty() && requested > 0 && request.number("limit", 0) > 0;
        if (match.equals("Exact") || isFirstPage) {
            return store.listAt(target.type(), target.namespace(), requested)
                    .orElseThrow(() -> StatusError.expired("The resourceVersion for the provided list is too old."));
        }
        return newest;
    }
}
