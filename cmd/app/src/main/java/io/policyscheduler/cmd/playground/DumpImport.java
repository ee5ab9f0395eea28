package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Imports the output of {@code kubectl get -o yaml} or {@code -o json} into the embedded cluster and reports the result. */
final class DumpImport {
    private static final int MOST_EXAMPLES = 3;

    private final EmbeddedControlPlane cluster;
    private final ClusterContents contents;
    private final Map<String, Integer> created = new TreeMap<>();
    private final Map<ImportNote, List<String>> leftOut = new TreeMap<>();
    private final Map<ImportNote, List<String>> changed = new TreeMap<>();
    private final Set<String> owners = new HashSet<>();

    private record ImportNote(String kind, String text) implements Comparable<ImportNote> {
        @Override
        public int compareTo(ImportNote other) {
            return Comparator.comparing(ImportNote::kind)
                    .thenComparing(ImportNote::text)
                    .compare(this, other);
        }
    }

    /** One import. */
    DumpImport(EmbeddedControlPlane cluster, ClusterContents contents) {
        this.cluster = cluster;
        this.contents = contents;
    }

    /**
     * Creates the objects with their UIDs, times, and status. Objects that cannot be created are skipped.
     *
     * @return {@code {"created": {KIND: COUNT}, "leftOut": [{"kind", "count", "why", "examples"}], "changed": [the same]}}
     * @throws Refusal when the text is no dump
     */
    ObjectNode run(byte[] dump) {
        List<JsonNode> items = new ArrayList<>();
        try {
            ManifestFiles.read("dump", dump).forEach(document -> items.addAll(EmbeddedControlPlane.items(document)));
        } catch (InputException | IllegalArgumentException e) {
            throw PlaygroundException.of(String.valueOf(e.getMessage()));
        }
        if (items.isEmpty()) {
            throw PlaygroundException.of("the dump has no objects");
        }
        items.forEach(item -> owners.add(uid(item)));
        for (ResourceType type : cluster.catalog().types()) {
            cluster.list(type.qualifiedName()).forEach(object -> owners.add(uid(object)));
        }
        owners.remove("");
        // Controllers would adopt or replace objects while the import is incomplete.
        cluster.withoutControllers(() -> items.forEach(this::add));
        ObjectNode json = Json.object();
        ObjectNode counts = json.putObject("created");
        created.forEach(counts::put);
        remarks(json.putArray("leftOut"), leftOut);
        remarks(json.putArray("changed"), changed);
        return json;
    }

    private static String uid(JsonNode object) {
        return Json.text(object, "metadata", "uid");
    }

    private void add(JsonNode item) {
        String kind = Json.text(item, "kind");
        ObjectKey key = ObjectKey.of(item);
        String name = key.namespace().isEmpty() ? key.name() : key.namespace() + "/" + key.name();
        Optional<ResourceType> served = cluster.catalog().ofManifest(Json.text(item, "apiVersion"), kind);
        if (served.isEmpty()) {
            remark(leftOut, kind.isEmpty() ? "object" : kind, "the cluster does not serve this kind", name);
            return;
        }
        ResourceType type = cluster.catalog().stored(served.get());
        if (type.plural().equals("events")) {
            remark(leftOut, kind, "events are not imported", name);
        } else if (contents.isOfEveryCluster(type, key)) {
            remark(leftOut, kind, "the cluster already has this object", name);
        } else {
            load(item, kind, name);
        }
    }

    private void load(JsonNode item, String kind, String name) {
        ObjectNode object = item.deepCopy();
        JsonNode references = object.path("metadata").path("ownerReferences");
        boolean orphan = !references.isEmpty();
        for (JsonNode reference : references) {
            orphan &= !owners.contains(reference.path("uid").asText());
        }
        if (orphan) {
            Json.child(object, "metadata").remove("ownerReferences");
        }
        try {
            cluster.load(object);
            created.merge(kind, 1, Integer::sum);
            if (orphan) {
                remark(
                        changed,
                        kind,
                        "imported without ownerReferences, because the owner does not exist and the garbage collector"
                                + " would delete the object",
                        name);
            }
        } catch (StatusError e) {
            remark(
                    leftOut,
                    kind,
                    e.reason().equals("AlreadyExists")
                            ? "an object with this name exists"
                            : String.valueOf(e.getMessage()),
                    name);
        }
    }

    private static void remark(Map<ImportNote, List<String>> all, String kind, String text, String name) {
        all.computeIfAbsent(new ImportNote(kind, text), remark -> new ArrayList<>())
                .add(name);
    }

    private static void remarks(ArrayNode json, Map<ImportNote, List<String>> all) {
        all.forEach((remark, names) -> {
            ObjectNode one = json.addObject().put("kind", remark.kind()).put("count", names.size());
            one.put("why", remark.text());
            names.stream().limit(MOST_EXAMPLES).forEach(one.putArray("examples")::add);
        });
    }
}
