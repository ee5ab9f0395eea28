package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.google.common.collect.ImmutableSet;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.WorkloadInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.reader.KindReader.Metadata;
import io.policyscheduler.engine.reader.ResourceClaimReader.ResourceSliceReader;
import io.policyscheduler.engine.reader.StorageReaders.CsiReaders;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads single Kubernetes objects from a token stream into the cluster model, without an intermediate tree. Interns repeated values
 * (label sets, pod specs of one template). Not thread-safe: one reader per thread.
 */
public final class ObjectReader {
    /** Supported kinds; all others are skipped. */
    public static final Set<String> KINDS =
            Arrays.stream(ResourceKind.values()).map(ResourceKind::objectKind).collect(ImmutableSet.toImmutableSet());

    private final PodReading pods;
    private final @Nullable ManifestSink manifests;
    private final InternCache<String> strings = new InternCache<>(1 << 14);
    private final InternCache<Labels> labels = new InternCache<>(1 << 12);

    /**
     * @param gates determine the fields of pods to read: of a release after v1.17, its fields that are not ignored
     * @param keepPodAnnotations whether to keep annotations of pods, which takes memory; the gates can also require it
     */
    public ObjectReader(FeatureGates gates, boolean keepPodAnnotations) {
        this(new PodReading(gates, keepPodAnnotations, false, field -> {}), null);
    }

    /**
     * A reader of objects from an API server that reports unknown fields. Pods with {@code spec.schedulingGroup} are grouped.
     *
     * @param onUnknownPodField receives the path of a pod field that no supported release has, such as
     *     {@code spec.containers[].mood}, once for each
     */
    public ObjectReader(FeatureGates gates, boolean keepPodAnnotations, Consumer<String> onUnknownPodField) {
        this(new PodReading(gates, keepPodAnnotations, true, onUnknownPodField), null);
    }

    /**
     * A reader of the objects that a scheduler received in a recording. It also reads the fields that the API server of the release
     * drops, if the scheduler rejects them.
     */
    public static ObjectReader ofRecording(FeatureGates gates) {
        return new ObjectReader(
                new PodReading(gates, false, false, Set.of(NewerField.VOLUME_ATTRIBUTES_CLASS), field -> {}), null);
    }

    private ObjectReader(PodReading pods, @Nullable ManifestSink manifests) {
        this.pods = pods;
        this.manifests = manifests;
    }

    /** A reader of files, which can contain manifests without the defaults of an API server; the sink receives these. */
    public static ObjectReader ofFiles(
            FeatureGates gates,
            boolean keepPodAnnotations,
            Consumer<String> onUnknownPodField,
            ManifestSink manifests) {
        return new ObjectReader(new PodReading(gates, keepPodAnnotations, false, onUnknownPodField), manifests);
    }

    /**
     * Reads an object from its tree.
     *
     * @return null for an unsupported kind
     * @throws MalformedObjectException if it cannot be parsed
     */
    public @Nullable ClusterObject readTree(String kind, ObjectNode tree) throws IOException {
        return readTree(kind, tree, "");
    }

    private @Nullable ClusterObject readTree(String kind, ObjectNode tree, String place) throws IOException {
        KindReader draft = readerOf(kind);
        if (draft == null) {
            return null;
        }
        try (JsonParser parser = new TreeTraversingParser(tree)) {
            parser.nextToken();
            readRest(kind, draft, new JsonCursor(parser, strings, labels, pods.arithmetic(), place));
        }
        return draft.build();
    }

    /**
     * Reads one object. The parser must be at its START_OBJECT and is then at its END_OBJECT.
     *
     * @param kind the kind if known from elsewhere (items of a typed list have none), or null
     * @return null for an unsupported kind
     * @throws MalformedObjectException if the object cannot be parsed; the parser is then somewhere inside it
     */
    public @Nullable ClusterObject read(JsonParser parser, @Nullable String kind) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw new MalformedObjectException("expected an object, found " + parser.currentToken());
        }
        if (kind != null) {
            return readFields(parser, kind);
        }
        return readSelfDescribed(parser);
    }

    /** Reads an object that contains its kind, usually at the start; earlier fields are buffered. */
    private @Nullable ClusterObject readSelfDescribed(JsonParser parser) throws IOException {
        @Nullable TokenBuffer earlier = null;
        JsonStreamContext outside = parser.getParsingContext().getParent();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("kind") && value == JsonToken.VALUE_STRING) {
                String kind = parser.getText();
                if (earlier == null) {
                    return readFields(parser, kind);
                }
                return readSplit(earlier, parser, kind, JsonCursor.path(outside));
            }
            if (field.equals("apiVersion")) {
                parser.skipChildren();
            } else {
                if (earlier == null) {
                    earlier = new TokenBuffer(parser);
                    earlier.overrideParentContext(null);
                    earlier.writeStartObject();
                }
                earlier.writeFieldName(field);
                earlier.copyCurrentStructure(parser);
            }
        }
        throw new MalformedObjectException("no kind");
    }

    private @Nullable ClusterObject readSplit(TokenBuffer earlier, JsonParser parser, String kind, String place)
            throws IOException {
        ManifestSink sink = manifests;
        if (sink != null && sink.requestedTrees(kind) != ManifestSink.RequestedTrees.NONE) {
            // Output of a server begins with the kind, so this is a manifest.
            ManifestTree whole = new ManifestTree(parser, earlier);
            whole.read(parser, false);
            return passTree(sink, kind, whole.tree(kind), place);
        }
        KindReader draft = readerOf(kind);
        if (draft == null) {
            skipRest(parser);
            return null;
        }
        earlier.writeEndObject();
        try (JsonParser before = earlier.asParserOnFirstToken()) {
            readRest(kind, draft, new JsonCursor(before, strings, labels, pods.arithmetic(), place));
        }
        readRest(kind, draft, new JsonCursor(parser, strings, labels, pods.arithmetic()));
        return draft.build();
    }

    /**
     * Reads the remaining fields of one object, like {@link #read}. The parser must be at its START_OBJECT or after the value of
     * any of its fields.
     *
     * @return null for an unsupported kind
     * @throws MalformedObjectException if the object cannot be parsed
     */
    public @Nullable ClusterObject readFields(JsonParser parser, String kind) throws IOException {
        ManifestSink sink = manifests;
        ManifestSink.RequestedTrees wish = sink == null ? ManifestSink.RequestedTrees.NONE : sink.requestedTrees(kind);
        KindReader draft = readerOf(kind);
        if (sink != null && wish != ManifestSink.RequestedTrees.NONE) {
            String place = JsonCursor.path(parser.getParsingContext().getParent());
            ManifestTree known = new ManifestTree(parser, null);
            boolean stored = known.read(parser, wish == ManifestSink.RequestedTrees.WRITTEN_BY_HAND);
            if (!stored) {
                return passTree(sink, kind, known.tree(kind), place);
            }
            if (draft != null) {
                try (JsonParser before = known.replay()) {
                    readRest(kind, draft, new JsonCursor(before, strings, labels, pods.arithmetic(), place));
                }
            }
        }
        if (draft == null) {
            skipRest(parser);
            return null;
        }
        readRest(kind, draft, new JsonCursor(parser, strings, labels, pods.arithmetic()));
        return draft.build();
    }

    /** Passes a tree to the sink if requested; parses the object unless the sink takes it over. */
    private @Nullable ClusterObject passTree(ManifestSink sink, String kind, ObjectNode tree, String place)
            throws IOException {
        ClusterObject asWritten = readTree(kind, tree, place);
        boolean all = sink.requestedTrees(kind) == ManifestSink.RequestedTrees.ALL;
        if (!all && ManifestTree.isStored(tree)) {
            return asWritten;
        }
        return sink.take(kind, tree, asWritten) ? null : asWritten;
    }

    /** Reads the remaining fields; errors contain the name of the object if it is already known. */
    private static void readRest(String kind, KindReader draft, JsonCursor cursor) throws IOException {
        try {
            readRest(draft, cursor);
        } catch (MalformedObjectException e) {
            String name = draft.metadata.name.isEmpty() ? "" : " " + nameOf(draft.metadata);
            throw new MalformedObjectException(kind + name + ": " + e.getMessage());
        }
    }

    private static String nameOf(Metadata metadata) {
        return metadata.namespace.isEmpty() ? metadata.name : metadata.namespace + "/" + metadata.name;
    }

    private static void readRest(KindReader draft, JsonCursor cursor) throws IOException {
        JsonParser parser = cursor.parser();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            String field = parser.currentName();
            if (parser.nextToken() != JsonToken.VALUE_NULL) {
                draft.field(field, cursor);
            }
        }
    }

    private static void skipRest(JsonParser parser) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            parser.nextToken();
            parser.skipChildren();
        }
    }

    private @Nullable KindReader readerOf(String objectKind) {
        ResourceKind kind = ResourceKind.ofObjectKind(objectKind);
        return kind == null ? null : readerOf(kind);
    }

    private KindReader readerOf(ResourceKind kind) {
        return switch (kind) {
            case PODS -> new PodReader(pods);
            case NODES -> new NodeReader(pods.arithmetic());
            case SERVICES -> new KindReader.ServiceReader();
            case REPLICATION_CONTROLLERS -> new KindReader.WorkloadReader(WorkloadInfo.Kind.REPLICATION_CONTROLLER);
            case REPLICA_SETS -> new KindReader.WorkloadReader(WorkloadInfo.Kind.REPLICA_SET);
            case STATEFUL_SETS -> new KindReader.WorkloadReader(WorkloadInfo.Kind.STATEFUL_SET);
            case CLAIMS -> new StorageReaders.VolumeClaimReader(pods);
            case VOLUMES -> new StorageReaders.PersistentVolumeReader(pods);
            case STORAGE_CLASSES -> new StorageReaders.StorageClassReader();
            case CSI_NODES -> new StorageReaders.CsiNodeReader();
            case CSI_DRIVERS -> new CsiReaders.CsiDriverReader(pods);
            case STORAGE_CAPACITIES -> new CsiReaders.StorageCapacityReader();
            case VOLUME_ATTACHMENTS -> new CsiReaders.VolumeAttachmentReader();
            case DISRUPTION_BUDGETS -> new KindReader.DisruptionBudgetReader();
            case NAMESPACES -> new KindReader.NamespaceReader();
            case RESOURCE_CLAIMS -> new ResourceClaimReader();
            case RESOURCE_SLICES -> new ResourceSliceReader();
            case DEVICE_CLASSES -> new KindReader.DeviceClassReader();
        };
    }

    /**
     * Receives objects of files as trees: those without the defaults of an API server, and those that affect the defaults of
     * others.
     */
    public interface ManifestSink {
        /** The requested trees of a kind. */
        enum RequestedTrees {
            /** None. */
            NONE,
            /** Objects that no API server has stored. */
            WRITTEN_BY_HAND,
            /** All; those that an API server has stored are also parsed. */
            ALL
        }

        /** The requested trees of a kind. */
        RequestedTrees requestedTrees(String kind);

        /**
         * An object as in the file.
         *
         * @param tree the whole object, with its kind
         * @param asWritten the parsed object without defaults; null for kinds that do not affect scheduling
         * @return true if the sink takes it over
         */
        boolean take(String kind, ObjectNode tree, @Nullable ClusterObject asWritten) throws MalformedObjectException;
    }

    /** Buffers the fields of an object until it is known whether an API server has stored it. */
    static final class ManifestTree {
        private static final JsonMapper MAPPER = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();

        private final TokenBuffer fields;
        private boolean stored;

        /** @param earlier the buffered beginning of the object; null if nothing was read */
        ManifestTree(JsonParser parser, @Nullable TokenBuffer earlier) throws IOException {
            if (earlier == null) {
                fields = new TokenBuffer(parser);
                fields.overrideParentContext(null);
                fields.writeStartObject();
            } else {
                fields = earlier;
            }
        }

        /**
         * Reads the object.
         *
         * @param untilStored whether to stop as soon as it is known that an API server has stored the object
         * @return true if stopped, so that the parser is after the metadata; false if the object was read completely
         */
        boolean read(JsonParser parser, boolean untilStored) throws IOException {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                if (parser.currentToken() == null) {
                    throw new MalformedObjectException("unexpected end of input");
                }
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                fields.writeFieldName(field);
                if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                    metadata(parser);
                    if (stored && untilStored) {
                        fields.writeEndObject();
                        return true;
                    }
                } else {
                    fields.copyCurrentStructure(parser);
                }
            }
            fields.writeEndObject();
            return false;
        }

        private void metadata(JsonParser parser) throws IOException {
            fields.writeStartObject();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                if (parser.currentToken() == null) {
                    throw new MalformedObjectException("unexpected end of input");
                }
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("managedFields")) {
                    // Large and not read.
                    parser.skipChildren();
                    continue;
                }
                boolean evidence = field.equals("resourceVersion") || field.equals("creationTimestamp");
                stored |= evidence
                        && value != JsonToken.VALUE_NULL
                        && !parser.getText().isEmpty();
                fields.writeFieldName(field);
                fields.copyCurrentStructure(parser);
            }
            fields.writeEndObject();
        }

        /** Replays the buffered part. */
        JsonParser replay() throws IOException {
            return fields.asParserOnFirstToken();
        }

        /** The whole object. */
        ObjectNode tree(String kind) throws IOException {
            try (JsonParser parser = fields.asParser()) {
                ObjectNode tree = MAPPER.readTree(parser);
                tree.put("kind", kind);
                return tree;
            }
        }

        /** Whether an API server has stored it. */
        static boolean isStored(ObjectNode tree) {
            return ObjectCreation.isStored(tree);
        }
    }

    /** A Kubernetes object that cannot be parsed. The message is one line with the field, the value, and the reason. */
    public static final class MalformedObjectException extends IOException {
        private static final long serialVersionUID = 1L;

        /** @param message one line with the field and the reason */
        public MalformedObjectException(String message) {
            super(message);
        }
    }

    /**
     * Interns values in a bounded cache: a fixed number of entries, a few for each hash, of which the oldest is replaced. Lookups
     * need few comparisons. Not thread-safe.
     */
    static final class InternCache<T> {
        /** The number of entries per hash, so that values with colliding hashes do not evict each other. */
        private static final int WAYS = 4;

        /** 2^32 divided by the golden ratio: distributes hashes that differ in few bits, as those of numbered names do. */
        private static final int SPREAD = 0x9E3779B9;

        private final @Nullable Object[] values;
        private final int[] hashes;
        private final int shift;

        /** @param size a power of two, at least 8 */
        InternCache(int size) {
            this.values = new @Nullable Object[size];
            this.hashes = new int[size];
            this.shift = Integer.SIZE - Integer.numberOfTrailingZeros(size / WAYS);
        }

        T intern(T value) {
            int hash = value.hashCode();
            int first = place(hash);
            for (int i = first; i < first + WAYS; i++) {
                if (hashes[i] == hash && value.equals(values[i])) {
                    @SuppressWarnings("unchecked") // only values of T are ever stored
                    T same = (T) values[i];
                    return same;
                }
            }
            put(hash, value);
            return value;
        }

        /** The stored value with this hash that matches the condition; null if there is none. */
        @Nullable
        T find(int hash, Predicate<? super T> condition) {
            int first = place(hash);
            for (int i = first; i < first + WAYS; i++) {
                @SuppressWarnings("unchecked") // only values of T are ever stored
                T candidate = (T) values[i];
                if (hashes[i] == hash && candidate != null && condition.test(candidate)) {
                    return candidate;
                }
            }
            return null;
        }

        /** Stores a value instead of the oldest one with a colliding hash. */
        void put(int hash, T value) {
            int first = place(hash);
            for (int i = first + WAYS - 1; i > first; i--) {
                values[i] = values[i - 1];
                hashes[i] = hashes[i - 1];
            }
            values[first] = value;
            hashes[first] = hash;
        }

        private int place(int hash) {
            return (hash * SPREAD >>> shift) * WAYS;
        }
    }
}
