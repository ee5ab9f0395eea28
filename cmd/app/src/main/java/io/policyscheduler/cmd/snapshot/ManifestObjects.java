package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Objects.MissingObjects;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a dump without defaults, until all files are read: their defaults depend on objects that may be anywhere, such
 * as the PriorityClass of a pod. Belongs to one dump.
 */
final class ManifestObjects implements Objects {
    /**
     * An incomplete object, stored as text.
     *
     * @param name with its namespace
     */
    record Written(String where, String kind, String name, byte[] text) {
        Written {
            text = text.clone();
        }
    }

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private final Map<Kind, List<ObjectNode>> classes = new EnumMap<>(Kind.class);
    private final Objects more;

    /** @param more objects of the cluster that the files are added to */
    ManifestObjects(Objects more) {
        this.more = more;
    }

    static Optional<Kind> classOf(String objectKind) {
        for (Kind kind : Kind.values()) {
            if (kind.objectKind().equals(objectKind)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /** Adds an object that affects others. */
    void keep(Kind kind, ObjectNode tree) {
        if (kind == Kind.LIMIT_RANGE || kind == Kind.RESOURCE_CLAIM_TEMPLATE) {
            putIfAbsent(tree.withObject("/metadata"), "namespace", Dump.DEFAULT_NAMESPACE);
        }
        classes.computeIfAbsent(kind, k -> new ArrayList<>()).add(tree);
    }

    static Written written(String where, String kind, ObjectNode tree) {
        try {
            JsonNode metadata = tree.path("metadata");
            String namespace = metadata.path("namespace").asText(isNamespaced(kind) ? Dump.DEFAULT_NAMESPACE : "");
            String name = metadata.path("name").asText();
            return new Written(
                    where, kind, namespace.isEmpty() ? name : namespace + "/" + name, MAPPER.writeValueAsBytes(tree));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isNamespaced(String kind) {
        ResourceKind known = ResourceKind.ofObjectKind(kind);
        return known != null && known.isNamespaced();
    }

    private static void putIfAbsent(ObjectNode object, String field, String value) {
        if (object.path(field).asText("").isEmpty()) {
            object.put(field, value);
        }
    }

    @Override
    public List<ObjectNode> all(Kind kind) {
        List<ObjectNode> own = classes.getOrDefault(kind, List.of());
        List<ObjectNode> others = more.all(kind);
        if (others.isEmpty()) {
            return own;
        }
        List<ObjectNode> both = new ArrayList<>(own);
        both.addAll(others);
        return both;
    }

    /** The objects with the defaults of an API server, read. */
    static final class Completion {
        private final ObjectCreation creation;
        private final ObjectReader reader;

        Completion(FeatureGates gates, Objects classes, MissingObjects missing, ObjectReader reader) {
            this.creation = new ObjectCreation(Rules.of(gates), classes, missing);
            this.reader = reader;
        }

        /**
         * Reads an object in its stored form.
         *
         * @param generated receives the claims of the object
         * @throws RejectedException if an API server would reject it
         */
        @Nullable
        ClusterObject complete(Written written, List<ClusterObject> generated) throws IOException {
            if (!(MAPPER.readTree(written.text()) instanceof ObjectNode tree)) {
                throw new IllegalStateException("an object was kept that is none");
            }
            ObjectNode metadata = tree.withObject("/metadata");
            String name = metadata.path("name").asText("");
            if (isNamespaced(written.kind())) {
                putIfAbsent(metadata, "namespace", Dump.DEFAULT_NAMESPACE);
            }
            creation.create(written.kind(), tree);
            creation.addConditionTaints(written.kind(), tree);
            if (written.kind().equals("Pod")) {
                putIfAbsent(metadata, "uid", metadata.path("namespace").asText("") + "/" + name);
                read("PersistentVolumeClaim", creation.generatedClaims(tree), generated);
                read("ResourceClaim", creation.createResourceClaims(tree), generated);
            }
            return reader.readTree(written.kind(), tree);
        }

        private void read(String kind, List<ObjectNode> trees, List<ClusterObject> objects) throws IOException {
            for (ObjectNode tree : trees) {
                ClusterObject read = reader.readTree(kind, tree);
                if (read != null) {
                    objects.add(read);
                }
            }
        }
    }
}
