package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.google.common.io.CountingInputStream;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.TextInput;
import io.policyscheduler.engine.document.YamlJsonFactory;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code kubectl get ... -o json} or {@code -o yaml}: a List, a typed list, single objects, JSON Lines, several
 * YAML documents; plain or gzipped, detected by content.
 */
public final class ClusterFile {
    /** Ten times the maximum object size of API servers. */
    private static final int MAX_STRING = 16_000_000;

    /** Receives the content of a file. */
    public interface Sink {
        /** An object of a known kind. */
        void object(ClusterObject object);

        /** An object that cannot be parsed and is skipped; {@code reason} identifies it. */
        void malformed(String reason);

        /** The list contains all objects of a kind, possibly none. */
        default void listed(String kind) {}

        /** A property of the cluster in the list: {@link #SERVER_VERSION} or {@link #CAPTURED_AT}. */
        default void fact(String field, String value) {}

        /** The feature gates of the API server, by name, if the list contains them. */
        default void features(Map<String, Boolean> gates) {}
    }

    /** The field of a List with the kinds of which it contains all objects. */
    public static final String LISTED_KINDS = "listedKinds";

    /** The field of a List with the gitVersion of the API server, such as {@code v1.17.17}. */
    public static final String SERVER_VERSION = "serverVersion";
    /** The field of a List with its creation time, such as {@code 2026-03-01T22:30:00Z}. */
    public static final String CAPTURED_AT = "capturedAt";
    /** The field of a List with the feature gates of the API server: an object with a boolean for each. */
    public static final String FEATURES = "features";

    /** The limit of the parser. An object with more than {@link ObjectLimits#MAX_DEPTH} levels is skipped. */
    private static final int MAX_PARSED_DEPTH = 100_000;
    /** The same for YAML, as in go-yaml. */
    private static final int MAX_PARSED_YAML_DEPTH = 10_000;
    /** The maximum size of a file for which a syntax hint is computed, in bytes. */
    private static final int HINT_BYTES = 1 << 20;

    private final JsonFactory json;
    private final JsonFactory yaml;
    private final ObjectReader reader;

    /** Reads with the options of this reader. */
    public ClusterFile(ObjectReader reader) {
        this.reader = reader;
        this.json = jsonFactory(MAX_PARSED_DEPTH);
        this.yaml = new YamlJsonFactory(MAX_PARSED_YAML_DEPTH);
    }

    /** A factory for object streams. Canonicalizing field names would cost ten times the parsing of a short line. */
    public static JsonFactory jsonFactory() {
        return jsonFactory(StreamReadConstraints.DEFAULT_MAX_DEPTH);
    }

    private static JsonFactory jsonFactory(int maxDepth) {
        return JsonFactory.builder()
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(MAX_STRING)
                        .maxNameLength(MAX_STRING)
                        .maxNestingDepth(maxDepth)
                        .build())
                .build();
    }

    /**
     * Reads a whole file.
     *
     * @throws IOException if the file cannot be read or is neither JSON nor YAML; one line with the name of the file
     */
    public void read(Path file, Sink sink) throws IOException {
        try (InputStream in = open(file)) {
            read(in, file + ": ", sink);
        } catch (JsonProcessingException e) {
            throw new IOException(describe(file, e), e);
        } catch (MalformedObjectException e) {
            String message = String.valueOf(e.getMessage());
            throw new IOException(file + ": " + message + hint(file, message, SourcePosition.UNKNOWN));
        }
    }

    /** The syntax error of a text, on one line with its position if known, and with a fix if one is recognized. */
    public static String describe(Path file, JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        boolean known = at != null && at.getLineNr() > 0;
        String place = known ? file + ":" + at.getLineNr() + ":" + at.getColumnNr() + ": " : file + ": ";
        SourcePosition position = known ? new SourcePosition(at.getLineNr(), at.getColumnNr()) : SourcePosition.UNKNOWN;
        return place + withoutSource(e.getOriginalMessage()) + hint(file, e.getOriginalMessage(), position);
    }

    /** The hint for a small file that is neither JSON nor YAML. A pipe cannot be read again. */
    private static String hint(Path file, String message, SourcePosition position) {
        try {
            boolean small = Files.isRegularFile(file) && Files.size(file) <= HINT_BYTES;
            return small ? SourceDocument.hint(TextInput.decode(TextInput.read(file)), message, position) : "";
        } catch (IOException e) {
            return "";
        }
    }

    /** Removes what Jackson appends: codes, the tokens of JSON, the start of an unclosed object, or the limit that was exceeded. */
    private static String withoutSource(String message) {
        return message.replaceFirst(" \\(start marker at \\[Source.*", "")
                .replaceFirst(" \\(code \\d+(?: / 0x\\w+)?\\)", "")
                .replaceFirst(" \\(JSON String, Number, .*?\\)", "")
                .replaceFirst(", from `StreamReadConstraints\\.\\w+\\(\\)`\\)", ")");
    }

    /** Opens a file as UTF-8, decompressing it if it is gzipped. */
    public static InputStream open(Path file) throws IOException {
        InputStream in;
        try {
            in = new BufferedInputStream(TextInput.open(file), 1 << 16);
        } catch (NoSuchFileException e) {
            throw new IOException("no such file: " + file);
        }
        in.mark(2);
        int first = in.read();
        int second = in.read();
        in.reset();
        if (first == 0x1f && second == 0x8b) {
            CountingInputStream packed = new CountingInputStream(in);
            in = new BufferedInputStream(
                    new UnpackedStream(new GZIPInputStream(packed, 1 << 16), file, packed::getCount), 1 << 16);
        }
        return TextInput.utf8(in);
    }

    /** Reads a stream of documents. */
    public void read(InputStream in, Sink sink) throws IOException {
        read(in, "", sink);
    }

    private void read(InputStream in, String place, Sink sink) throws IOException {
        ObjectStream objects = new ObjectStream(in.markSupported() ? in : new BufferedInputStream(in), place);
        JsonParser format = YamlJsonFactory.isJson(objects) ? json.createParser(objects) : yaml.createParser(objects);
        try (ObjectLimits parser = new ObjectLimits(format, objects, place)) {
            while (parser.nextToken() != null) {
                document(parser, sink);
            }
        }
    }

    /**
     * Returns a parser for a file of objects that the caller reads, with the same limit for the size of an object.
     *
     * @param in from {@link #open}
     * @param anyDepth whether objects may be nested more deeply than Jackson trees support
     */
    public static JsonParser parser(InputStream in, Path file, boolean anyDepth) throws IOException {
        ObjectStream objects = new ObjectStream(in.markSupported() ? in : new BufferedInputStream(in), file + ": ");
        boolean isJson = YamlJsonFactory.isJson(objects);
        JsonParser format = isJson
                ? jsonFactory(anyDepth ? MAX_PARSED_DEPTH : StreamReadConstraints.DEFAULT_MAX_DEPTH)
                        .createParser(objects)
                : (anyDepth ? new YamlJsonFactory(MAX_PARSED_YAML_DEPTH) : new YamlJsonFactory()).createParser(objects);
        ObjectLimits limits = new ObjectLimits(format, objects, file + ": ");
        limits.watchesItems = true;
        return limits;
    }

    private void document(ObjectLimits parser, Sink sink) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_ARRAY) {
            items(parser, null, sink);
        } else if (token == JsonToken.START_OBJECT) {
            parser.startObject(null);
            root(parser, sink);
        } else if (token != JsonToken.VALUE_NULL) {
            throw new MalformedObjectException("expected a Kubernetes object, found "
                    + (token == JsonToken.VALUE_STRING ? "a text" : token.isNumeric() ? "a number" : "a boolean"));
        }
    }

    /** Reads a list or an object, which {@code items} or {@code kind} distinguishes. */
    private void root(ObjectLimits parser, Sink sink) throws IOException {
        RootObject root = new RootObject(parser);
        while (true) {
            RootObject.Step step;
            try {
                step = root.next();
            } catch (MalformedObjectException e) {
                if (!parser.isTooDeep()) {
                    throw e;
                }
                parser.skipObject();
                sink.malformed("document: " + e.getMessage());
                return;
            }
            if (step == RootObject.Step.ITEMS) {
                items(parser, root.itemKind(), sink);
            } else if (step == RootObject.Step.OBJECT) {
                one(parser, root.objectParser(), root.kind(), sink);
                return;
            } else {
                root.listedKinds().forEach(sink::listed);
                root.facts().forEach(sink::fact);
                if (!root.features().isEmpty()) {
                    sink.features(root.features());
                }
                return;
            }
        }
    }

    private void items(ObjectLimits parser, @Nullable String kind, Sink sink) throws IOException {
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == null) {
                throw new MalformedObjectException("unexpected end of input");
            }
            JsonStreamContext context = parser.getParsingContext();
            parser.startObject(parser.currentToken() == JsonToken.START_OBJECT ? context.getParent() : context);
            if (parser.currentToken() == JsonToken.START_OBJECT) {
                one(parser, parser, kind, sink);
            } else {
                if (parser.currentToken() == JsonToken.START_ARRAY) {
                    parser.skipObject();
                }
                malformed(parser, "list item that is no object", sink);
            }
        }
        parser.startObject(null);
    }

    private static void malformed(ObjectLimits limits, String reason, Sink sink) throws IOException {
        sink.malformed(reason);
        limits.countMalformed();
    }

    /** @param parser the source of the object: the stream, or its buffered part */
    private void one(ObjectLimits limits, JsonParser parser, @Nullable String kind, Sink sink) throws IOException {
        try {
            ClusterObject object = kind == null ? reader.read(parser, null) : reader.readFields(parser, kind);
            if (object != null) {
                sink.object(object);
            }
        } catch (MalformedObjectException e) {
            String place = limits.isTooDeep() ? limits.place() : "";
            limits.skipObject();
            malformed(limits, place + (e.getMessage() == null ? "malformed object" : e.getMessage()), sink);
        }
    }

    /** A stream that fails if an object is too large, or if there is none: an endless device would exhaust memory. */
    private static final class ObjectStream extends FilterInputStream {
        /** An API server stores up to 1.5 MiB per object. */
        private static final long MAX_OBJECT_BYTES = 8L << 20;

        private final String place;
        private long remaining = MAX_OBJECT_BYTES;
        private long remainingAtMark;

        ObjectStream(InputStream in, String place) {
            super(in);
            this.place = place;
        }

        void startObject() {
            remaining = MAX_OBJECT_BYTES;
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            count(1);
            return next;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int done = super.read(bytes, offset, length);
            count(done);
            return done;
        }

        @Override
        public void mark(int limit) {
            super.mark(limit);
            remainingAtMark = remaining;
        }

        @Override
        public void reset() throws IOException {
            super.reset();
            remaining = remainingAtMark;
        }

        private void count(int more) throws IOException {
            remaining -= more;
            if (remaining < 0) {
                throw new IOException(place + "more than " + (MAX_OBJECT_BYTES >> 20)
                        + " MiB without an object, or in one object; this is not a dump of a cluster");
            }
        }
    }

    /** A parser that limits the depth of an object, and the number of unreadable objects. */
    private static final class ObjectLimits extends JsonParserDelegate {
        private static final int MAX_DEPTH = 1000;
        private static final int MAX_MALFORMED = 500_000;
        /** The depth of an item: in the object, in its list. */
        private static final int ITEM_DEPTH = 3;

        private final ObjectStream in;
        private final String file;
        private @Nullable JsonStreamContext list;
        private int outside;
        private int depth;
        private int malformed;
        private boolean skipping;
        private boolean tooDeep;
        /** Whether the byte limit restarts at each document and each item without a call of {@link #startObject}. */
        private boolean watchesItems;

        /** @param file the name of the stream, with a colon and a space, or empty */
        ObjectLimits(JsonParser parser, ObjectStream in, String file) {
            super(parser);
            this.in = in;
            this.file = file;
        }

        /**
         * Resets the limits. The parser must be at the start of an object.
         *
         * @param around the list that contains the object; null for none
         */
        void startObject(@Nullable JsonStreamContext around) {
            in.startObject();
            list = around;
            outside = depth - 1;
            skipping = false;
            tooDeep = false;
        }

        boolean isTooDeep() {
            return tooDeep;
        }

        /** The position of the current item, with a colon and a space; empty if it is not in a list. */
        String place() {
            String path = JsonCursor.path(list);
            return path.isEmpty() ? "" : path + ": ";
        }

        void countMalformed() throws IOException {
            malformed++;
            if (malformed > MAX_MALFORMED) {
                throw new IOException(file + "more than " + MAX_MALFORMED
                        + " objects cannot be read; this is not a dump of a cluster");
            }
        }

        @Override
        public @Nullable JsonToken nextToken() throws IOException {
            JsonToken token = delegate.nextToken();
            if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                depth++;
                if (watchesItems) {
                    if (depth <= ITEM_DEPTH) {
                        in.startObject();
                    }
                } else if (depth - outside > MAX_DEPTH && !skipping) {
                    tooDeep = true;
                    throw new MalformedObjectException("more than " + MAX_DEPTH + " levels of nesting");
                }
            } else if (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY) {
                depth--;
            }
            return token;
        }

        /** As in {@link com.fasterxml.jackson.core.base.ParserMinimalBase}, with the limits. */
        @Override
        public JsonParser skipChildren() throws IOException {
            JsonToken token = currentToken();
            if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                int around = depth - 1;
                while (depth > around && nextToken() != null) {
                    // The depth determines the end.
                }
            }
            return this;
        }

        /** Advances to the end of the current object. */
        void skipObject() throws IOException {
            skipping = true;
            while (depth > outside && nextToken() != null) {
                // The depth determines the end.
            }
        }
    }

    /**
     * The outermost object of a document: a list, if it has {@code items}, else a single object. {@code kubectl} prints the items
     * of a List before its kind.
     */
    static final class RootObject {
        enum Step {
            /** The parser is at the START_ARRAY of items. */
            ITEMS,
            /** The document is one object, to be read from {@link #objectParser()}. */
            OBJECT,
            /** The end of the document. */
            END
        }

        private static final Set<String> FACTS = Set.of(SERVER_VERSION, CAPTURED_AT);

        private final JsonParser parser;
        private final TokenBuffer fields;
        private @Nullable String kind;
        private boolean list;
        private boolean anyField;
        private @Nullable JsonParser buffered;
        private final List<String> listedKinds = new ArrayList<>(0);
        private final Map<String, String> facts = new LinkedHashMap<>();
        private final Map<String, Boolean> features = new LinkedHashMap<>();

        RootObject(JsonParser parser) throws IOException {
            this.parser = parser;
            this.fields = new TokenBuffer(parser);
            this.fields.overrideParentContext(parser.getParsingContext().getParent());
            this.fields.writeStartObject();
        }

        /** Advances to the next step. */
        Step next() throws IOException {
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                if (parser.currentToken() == null) {
                    throw new MalformedObjectException("unexpected end of input");
                }
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("items")
                        && value == JsonToken.START_ARRAY
                        && (kind == null || kind.endsWith("List"))) {
                    list = true;
                    return Step.ITEMS;
                }
                if (field.equals("kind") && value == JsonToken.VALUE_STRING) {
                    kind = parser.getText();
                    if (!kind.endsWith("List") && !anyField) {
                        buffered = parser;
                        return Step.OBJECT;
                    }
                } else if (list && field.equals(ClusterFile.LISTED_KINDS) && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() != JsonToken.END_ARRAY && parser.currentToken() != null) {
                        if (parser.currentToken() == JsonToken.VALUE_STRING) {
                            listedKinds.add(parser.getText());
                        }
                        parser.skipChildren();
                    }
                    continue;
                } else if (list && value == JsonToken.START_OBJECT && field.equals(FEATURES)) {
                    readFeatures();
                    continue;
                } else if (list && value == JsonToken.VALUE_STRING && FACTS.contains(field)) {
                    facts.put(field, parser.getText());
                } else if (!field.equals("apiVersion") && !list) {
                    anyField = true;
                    fields.writeFieldName(field);
                    fields.copyCurrentStructure(parser);
                    continue;
                }
                parser.skipChildren();
            }
            if (list || (kind != null && kind.endsWith("List"))) {
                return Step.END;
            }
            if (kind == null) {
                throw new MalformedObjectException("a document without kind and without items");
            }
            fields.writeEndObject();
            JsonParser replay = fields.asParserOnFirstToken();
            buffered = replay;
            return Step.OBJECT;
        }

        /** The kind of the items of a typed list ({@code PodList}), or null if items contain it. */
        @Nullable
        String itemKind() {
            String of = kind;
            return of == null || of.equals("List") ? null : of.substring(0, of.length() - "List".length());
        }

        /** The kinds of which a list contains all objects, after its end. */
        List<String> listedKinds() {
            return listedKinds;
        }

        private void readFeatures() throws IOException {
            while (parser.nextToken() != JsonToken.END_OBJECT && parser.currentToken() != null) {
                String gate = parser.currentName();
                if (parser.nextToken().isBoolean()) {
                    features.put(gate, parser.getBooleanValue());
                }
                parser.skipChildren();
            }
        }

        /** The feature gates in a list, after its end. */
        Map<String, Boolean> features() {
            return features;
        }

        /** The properties of the cluster in a list, after its end. */
        Map<String, String> facts() {
            return facts;
        }

        /** The kind of the single object. */
        @Nullable
        String kind() {
            return kind;
        }

        /** The parser for the single object; at START_OBJECT or, if its kind was first, after the kind. */
        JsonParser objectParser() {
            if (buffered == null) {
                throw new IllegalStateException("not a single object");
            }
            return buffered;
        }
    }

    /** The decompressed content of a file, limited to a size that no dump has, as a protection against decompression bombs. */
    static final class UnpackedStream extends FilterInputStream {
        /** The maximum compression ratio; that of dumps is 20 to 60. */
        private static final long MOST_TIMES = 250;
        /** Always allowed, because small files can have a higher ratio. */
        private static final long ALWAYS = 16L << 20;

        private final Path file;
        private final LongSupplier packed;
        private long read;

        /** @param packed the number of compressed bytes that have been read; a pipe has no size */
        UnpackedStream(InputStream in, Path file, LongSupplier packed) {
            super(in);
            this.file = file;
            this.packed = packed;
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            count(next < 0 ? 0 : 1);
            return next;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int done = super.read(bytes, offset, length);
            count(Math.max(done, 0));
            return done;
        }

        private void count(int more) throws IOException {
            read += more;
            if (read > ALWAYS && read > MOST_TIMES * packed.getAsLong()) {
                throw new IOException(file + ": unpacks to more than " + MOST_TIMES
                        + " times its size, as no dump of a cluster does");
            }
        }
    }
}
