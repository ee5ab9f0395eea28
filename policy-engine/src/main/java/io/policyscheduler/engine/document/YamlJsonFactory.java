package io.policyscheduler.engine.document;

import com.fasterxml.jackson.core.Base64Variant;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.base.ParserMinimalBase;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadContext;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * A Jackson factory for YAML as Kubernetes reads it: scalars with the rules of go-yaml v2, aliases and merge keys resolved. A
 * parser buffers only one scalar and anchored nodes, so that dumps of any size can be read.
 */
public final class YamlJsonFactory extends JsonFactory {
    private static final long serialVersionUID = 1L;
    /** The size of the prefix that determines the format, in bytes. */
    private static final int PREFIX = 1 << 16;

    private static final int MAX_DEPTH = 500;

    private final int maxDepth;

    /** A factory with a limit of 500 levels of nesting. */
    public YamlJsonFactory() {
        this(MAX_DEPTH);
    }

    /** @param maxDepth maximum number of nesting levels */
    public YamlJsonFactory(int maxDepth) {
        this.maxDepth = maxDepth;
    }

    /**
     * Returns whether to read a text as JSON. A text that starts with a brace or a bracket can also be YAML with a flow mapping or
     * a flow sequence, or JSON and YAML documents separated by {@code ---}. It is YAML if the parser of JSON stops at an error and
     * the parser of YAML gets further. A misplaced comma, colon, or bracket is an error of JSON, and so is a typographic quote, so
     * that the message reports its position.
     *
     * @param in a stream that supports marks, at the start of the text; it is reset to this position
     */
    public static boolean isJson(InputStream in) throws IOException {
        in.mark(PREFIX);
        byte[] prefix = in.readNBytes(PREFIX);
        in.reset();
        int start = 0;
        while (start < prefix.length && Character.isWhitespace(prefix[start])) {
            start++;
        }
        if (start == prefix.length) {
            // The YAML parser takes minutes for megabytes of blanks, which no YAML file begins with.
            return prefix.length == PREFIX;
        }
        if (prefix[start] != '{' && prefix[start] != '[') {
            return false;
        }
        Optional<JsonLocation> json = firstError(ANY_DEPTH, prefix);
        if (json.isEmpty()) {
            return true;
        }
        long wrong = json.get().getByteOffset();
        if (wrong >= 0
                && wrong < prefix.length
                && (prefix[(int) wrong] < 0 || ",:]}".indexOf(prefix[(int) wrong]) >= 0)) {
            return true;
        }
        Optional<JsonLocation> yaml = firstError(new YamlJsonFactory(), prefix);
        return yaml.isPresent() && ORDER.compare(yaml.get(), json.get()) <= 0;
    }

    private static final JsonFactory ANY_DEPTH = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final Comparator<JsonLocation> ORDER =
            Comparator.comparingInt(JsonLocation::getLineNr).thenComparingInt(JsonLocation::getColumnNr);

    /** The position where a parser rejects a text; empty if the text only ends early. */
    private static Optional<JsonLocation> firstError(JsonFactory factory, byte[] text) throws IOException {
        try (JsonParser parser = factory.createParser(text)) {
            while (parser.nextToken() != null) {
                parser.getText();
            }
            return Optional.empty();
        } catch (JsonEOFException e) {
            return Optional.empty();
        } catch (JsonProcessingException e) {
            return Optional.ofNullable(e.getLocation());
        }
    }

    @Override
    public JsonParser createParser(InputStream in) {
        return new YamlParser(TextInput.reader(in), maxDepth, in);
    }

    @Override
    public JsonParser createParser(Reader reader) {
        return new YamlParser(reader, maxDepth, reader);
    }

    @Override
    public JsonParser createParser(String text) {
        return createParser(new StringReader(text));
    }

    @Override
    public JsonParser createParser(byte[] text) {
        return createParser(new StringReader(new String(text, StandardCharsets.UTF_8)));
    }

    /**
     * The limit of go-yaml v2 on aliases, so that a short text cannot become a huge document: beyond 100 nodes, at most 99 % of the
     * nodes come from aliases, and of 4 million nodes at most 10 %.
     */
    static final class AliasLimit {
        private static final long SMALL = 400_000;
        private static final long LARGE = 4_000_000;

        private long nodes;
        private long fromAliases;

        /** Counts a node. Returns false if the limit is exceeded. */
        boolean count(boolean fromAlias) {
            nodes++;
            fromAliases += fromAlias ? 1 : 0;
            return fromAliases <= 100 || nodes <= 1000 || (double) fromAliases / nodes <= allowed();
        }

        private double allowed() {
            if (nodes <= SMALL) {
                return 0.99;
            }
            return nodes >= LARGE ? 0.10 : 0.99 - 0.89 * ((double) (nodes - SMALL) / (LARGE - SMALL));
        }
    }

    /** A token, which is returned to the reader or recorded for aliases. */
    private record Token(JsonToken type, String text, Mark mark, boolean fromAlias) {
        boolean starts() {
            return type == JsonToken.START_OBJECT || type == JsonToken.START_ARRAY;
        }

        boolean ends() {
            return type == JsonToken.END_OBJECT || type == JsonToken.END_ARRAY;
        }
    }

    /** An open mapping or sequence. */
    private static final class Frame {
        final boolean mapping;
        final @Nullable Anchor anchor;
        final Set<String> keys = new HashSet<>();
        /** The values of merge keys, in file order. */
        final List<List<Token>> merged = new ArrayList<>(0);

        boolean keyNext;

        Frame(boolean mapping, @Nullable Anchor anchor) {
            this.mapping = mapping;
            this.anchor = anchor;
            this.keyNext = mapping;
        }
    }

    /** The tokens of a node with an anchor. */
    private static final class Anchor {
        final List<Token> tokens = new ArrayList<>();
        /** The number of merge keys around the node. Tokens of nested ones are recorded when they are merged. */
        final int captures;

        boolean complete;

        Anchor(int captures) {
            this.captures = captures;
        }
    }

    /**
     * A reader that fails in an overlong token, for which the scanner of SnakeYAML needs quadratic time. It skips a byte order
     * mark, and finds the first invalid character.
     */
    private static final class TokenReader extends FilterReader {
        private static final int MAX_TOKEN = 2 << 20;
        private int left = MAX_TOKEN;
        private final YamlDocument.SpecialCharacters special = new YamlDocument.SpecialCharacters();
        private boolean started;

        TokenReader(Reader in) {
            super(in);
        }

        void startToken() {
            left = MAX_TOKEN;
        }

        @Override
        public int read(char[] chars, int offset, int length) throws IOException {
            int done = super.read(chars, offset, length);
            if (!started && done > 0) {
                started = true;
                if (chars[offset] == '\ufeff') {
                    System.arraycopy(chars, offset + 1, chars, offset, done - 1);
                    done = done > 1 ? done - 1 : super.read(chars, offset, length);
                }
            }
            left -= done;
            if (left < 0) {
                throw new IOException("a YAML value of more than " + (MAX_TOKEN >> 20) + " MiB");
            }
            special.read(chars, offset, done);
            return done;
        }
    }

    /** Converts the events of a YAML text to tokens. */
    private static final class Tokens {
        private final int maxDepth;
        private final TokenReader text;
        private final ParserImpl events;
        private final Deque<Token> ready = new ArrayDeque<>();
        private final Deque<Frame> open = new ArrayDeque<>();
        private final Map<String, Anchor> anchors = new HashMap<>();
        private final List<Anchor> recording = new ArrayList<>();
        private AliasLimit limit = new AliasLimit();
        /** Incomplete values of merge keys, the innermost first. */
        private final Deque<Capture> captures = new ArrayDeque<>();

        /**
         * The target of the value of a merge key.
         *
         * @param depth of the mapping with the key
         */
        private record Capture(List<Token> tokens, int depth) {}

        Tokens(Reader reader, int maxDepth) {
            this.maxDepth = maxDepth;
            LoaderOptions options = new LoaderOptions();
            options.setCodePointLimit(Integer.MAX_VALUE);
            options.setNestingDepthLimit(maxDepth);
            text = new TokenReader(reader);
            events = new ParserImpl(new StreamReader(text), options);
        }

        /** The next token, null at the end. */
        @Nullable
        Token next() throws DocumentException {
            while (ready.isEmpty()) {
                Event event = events.peekEvent();
                if (event == null) {
                    return null;
                }
                events.getEvent();
                text.startToken();
                take(event);
            }
            return ready.poll();
        }

        private void take(Event event) throws DocumentException {
            switch (event.getEventId()) {
                case DocumentStart -> {
                    anchors.clear();
                    limit = new AliasLimit();
                }
                case Alias -> alias((AliasEvent) event);
                case Scalar -> scalar((ScalarEvent) event);
                case MappingStart, SequenceStart -> start((CollectionStartEvent) event);
                case MappingEnd, SequenceEnd -> end(event);
                default -> {
                    // Stream and document ends have no token.
                }
            }
        }

        private static SourcePosition position(Mark mark) {
            return new SourcePosition(mark.getLine() + 1, mark.getColumn() + 1);
        }

        private boolean isKey() {
            Frame frame = open.peek();
            return frame != null && frame.mapping && frame.keyNext;
        }

        private void scalar(ScalarEvent event) throws DocumentException {
            Mark mark = event.getStartMark();
            boolean plain = event.isPlain();
            String tag = event.getTag() == null || event.getTag().equals("!") ? null : event.getTag();
            SourceNode value = YamlDocument.YamlScalars.resolve(event.getValue(), plain, tag, position(mark));
            Anchor anchor = begin(event);
            if (isKey()) {
                if (plain && event.getValue().equals("<<")) {
                    mergeKey();
                } else {
                    key(YamlDocument.Converter.keyText(value), mark);
                }
            } else {
                emit(new Token(type(value), value.text(), mark, false));
                valueDone();
            }
            if (anchor != null) {
                // A key with an anchor is a scalar when it is referenced.
                anchor.tokens.clear();
                anchor.tokens.add(new Token(type(value), value.text(), mark, false));
                complete(anchor);
            }
        }

        private static JsonToken type(SourceNode value) {
            return switch (value.kind()) {
                case NULL -> JsonToken.VALUE_NULL;
                case BOOL -> value.text().equals("true") ? JsonToken.VALUE_TRUE : JsonToken.VALUE_FALSE;
                case NUMBER -> isInteger(value.text()) ? JsonToken.VALUE_NUMBER_INT : JsonToken.VALUE_NUMBER_FLOAT;
                default -> JsonToken.VALUE_STRING;
            };
        }

        private static boolean isInteger(String number) {
            return number.chars().skip(number.startsWith("-") ? 1 : 0).allMatch(c -> c >= '0' && c <= '9');
        }

        private void key(String key, Mark mark) throws DocumentException {
            Frame frame = open.element();
            frame.keys.add(key);
            frame.keyNext = false;
            emit(new Token(JsonToken.FIELD_NAME, key, mark, false));
        }

        private void mergeKey() {
            Frame frame = open.element();
            frame.keyNext = false;
            List<Token> value = new ArrayList<>();
            frame.merged.add(value);
            captures.push(new Capture(value, open.size()));
        }

        /** Called after each value of a mapping, a sequence, or a document. */
        private void valueDone() {
            Frame frame = open.peek();
            if (frame != null && frame.mapping) {
                frame.keyNext = true;
            }
            Capture capture = captures.peek();
            if (capture != null && open.size() == capture.depth) {
                captures.pop();
            }
        }

        private @Nullable Anchor begin(NodeEvent event) {
            if (event.getAnchor() == null) {
                return null;
            }
            Anchor anchor = new Anchor(captures.size());
            anchors.put(event.getAnchor(), anchor);
            recording.add(anchor);
            return anchor;
        }

        private void complete(Anchor anchor) {
            anchor.complete = true;
            recording.remove(anchor);
        }

        private void start(CollectionStartEvent event) throws DocumentException {
            boolean mapping = event.getEventId() == Event.ID.MappingStart;
            Mark mark = event.getStartMark();
            if (isKey()) {
                throw new DocumentException(
                        "Unsupported map key of type: " + (mapping ? "object" : "array"), position(mark));
            }
            if (open.size() >= maxDepth) {
                throw new DocumentException("yaml: exceeded max depth of " + maxDepth, position(mark));
            }
            Anchor anchor = begin(event);
            emit(new Token(mapping ? JsonToken.START_OBJECT : JsonToken.START_ARRAY, "", mark, false));
            open.push(new Frame(mapping, anchor));
        }

        private void end(Event event) throws DocumentException {
            Frame frame = open.element();
            for (List<Token> value : frame.merged) {
                merge(value, frame, event.getStartMark());
            }
            open.pop();
            emit(new Token(
                    frame.mapping ? JsonToken.END_OBJECT : JsonToken.END_ARRAY, "", event.getStartMark(), false));
            if (frame.anchor != null) {
                complete(frame.anchor);
            }
            valueDone();
        }

        private void alias(AliasEvent event) throws DocumentException {
            Mark mark = event.getStartMark();
            Anchor anchor = anchors.get(event.getAnchor());
            if (anchor == null) {
                throw new DocumentException(
                        "yaml: unknown anchor '" + event.getAnchor() + "' referenced", position(mark));
            }
            if (!anchor.complete) {
                throw new DocumentException(
                        "yaml: anchor '" + event.getAnchor() + "' value contains itself", position(mark));
            }
            if (isKey()) {
                Token only = anchor.tokens.get(0);
                if (anchor.tokens.size() > 1) {
                    throw new DocumentException("Unsupported map key of type: object", position(mark));
                }
                key(only.text, mark);
                return;
            }
            for (Token token : anchor.tokens) {
                emit(new Token(token.type, token.text, mark, true));
            }
            valueDone();
        }

        /** Adds the members of a mapping, or of a sequence of mappings, whose keys the mapping does not have. */
        private void merge(List<Token> value, Frame frame, Mark mark) throws DocumentException {
            if (value.isEmpty() || !value.get(0).starts()) {
                throw new DocumentException(
                        "yaml: map merge requires map or sequence of maps as the value", position(mark));
            }
            boolean sequence = value.get(0).type == JsonToken.START_ARRAY;
            int i = 1;
            while (i < value.size() - 1) {
                if (sequence) {
                    int end = endOf(value, i);
                    merge(value.subList(i, end), frame, mark);
                    i = end;
                    continue;
                }
                Token key = value.get(i);
                int end = endOf(value, i + 1);
                if (frame.keys.add(key.text)) {
                    for (Token token : value.subList(i, end)) {
                        emit(new Token(token.type, token.text, token.mark, true));
                    }
                }
                i = end;
            }
        }

        private static int endOf(List<Token> tokens, int start) {
            int depth = 0;
            for (int i = start; i < tokens.size(); i++) {
                depth += tokens.get(i).starts() ? 1 : tokens.get(i).ends() ? -1 : 0;
                if (depth == 0) {
                    return i + 1;
                }
            }
            return tokens.size();
        }

        private void emit(Token token) throws DocumentException {
            if (!token.ends() && token.type != JsonToken.FIELD_NAME && !limit.count(token.fromAlias)) {
                throw new DocumentException("yaml: document contains excessive aliasing", position(token.mark));
            }
            for (Anchor anchor : recording) {
                if (anchor.captures == captures.size()) {
                    anchor.tokens.add(token);
                }
            }
            Capture capture = captures.peek();
            if (capture != null) {
                capture.tokens.add(token);
            } else {
                ready.add(token);
            }
        }
    }

    /** The tokens as a Jackson parser. */
    private static final class YamlParser extends ParserMinimalBase {
        private final Tokens tokens;
        private final AutoCloseable source;
        private JsonReadContext context = JsonReadContext.createRootContext(null);
        private @Nullable ObjectCodec codec;
        private @Nullable Token current;
        private boolean closed;

        YamlParser(Reader reader, int maxDepth, AutoCloseable source) {
            this.tokens = new Tokens(reader, maxDepth);
            this.source = source;
        }

        @Override
        public @Nullable JsonToken nextToken() throws IOException {
            if (_currToken == JsonToken.END_OBJECT || _currToken == JsonToken.END_ARRAY) {
                // Popped here, so that the end of a structure still has its context.
                context = context.getParent() == null ? context : context.getParent();
            }
            Token token = read();
            current = token;
            if (token == null) {
                close();
                _currToken = null;
                return null;
            }
            switch (token.type) {
                case FIELD_NAME -> context.setCurrentName(token.text);
                case START_OBJECT -> context = context.createChildObjectContext(line(token), column(token));
                case START_ARRAY -> context = context.createChildArrayContext(line(token), column(token));
                default -> {
                    // Scalars and ends do not change the context.
                }
            }
            _currToken = token.type;
            return _currToken;
        }

        private @Nullable Token read() throws IOException {
            if (closed) {
                return null;
            }
            try {
                return tokens.next();
            } catch (DocumentException e) {
                throw failure(e.plainText(), e.position().line(), e.position().column(), e);
            } catch (MarkedYAMLException e) {
                Mark mark = e.getProblemMark() == null ? e.getContextMark() : e.getProblemMark();
                String problem = YamlDocument.problem(e);
                throw mark == null
                        ? failure(problem, -1, -1, e)
                        : failure(problem, mark.getLine() + 1, mark.getColumn() + 1, e);
            } catch (ReaderException e) {
                SourcePosition at = tokens.text.special.position();
                throw failure(tokens.text.special.problem(), at.line(), at.column(), e);
            } catch (YAMLException e) {
                if (e.getCause() instanceof IOException unreadable) {
                    throw unreadable;
                }
                throw failure(String.valueOf(e.getMessage()).replace('\n', ' '), -1, -1, e);
            }
        }

        private JsonParseException failure(String message, int line, int column, Exception cause) {
            return new JsonParseException(
                    this, "invalid YAML: " + message, new JsonLocation(null, -1L, line, column), cause);
        }

        private static int line(Token token) {
            return token.mark.getLine() + 1;
        }

        private static int column(Token token) {
            return token.mark.getColumn() + 1;
        }

        @Override
        protected void _handleEOF() {
            // The YAML parser reports an incomplete document.
        }

        @Override
        public @Nullable String currentName() {
            boolean start = _currToken == JsonToken.START_OBJECT || _currToken == JsonToken.START_ARRAY;
            JsonReadContext parent = context.getParent();
            return start && parent != null ? parent.getCurrentName() : context.getCurrentName();
        }

        @Override
        @Deprecated
        public @Nullable String getCurrentName() {
            return currentName();
        }

        @Override
        public void overrideCurrentName(String name) {
            throw new UnsupportedOperationException("the names of a YAML document are fixed");
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                try {
                    source.close();
                } catch (IOException | RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public JsonStreamContext getParsingContext() {
            return context;
        }

        @Override
        public @Nullable String getText() {
            Token token = current;
            return token == null || _currToken == null
                    ? null
                    : _currToken == JsonToken.FIELD_NAME || _currToken.isScalarValue()
                            ? token.text
                            : _currToken.asString();
        }

        private String text() {
            String text = getText();
            return text == null ? "" : text;
        }

        @Override
        public char[] getTextCharacters() {
            return text().toCharArray();
        }

        @Override
        public boolean hasTextCharacters() {
            return false;
        }

        @Override
        public int getTextLength() {
            return text().length();
        }

        @Override
        public int getTextOffset() {
            return 0;
        }

        @Override
        public byte[] getBinaryValue(Base64Variant variant) {
            return variant.decode(text());
        }

        @Override
        public @Nullable ObjectCodec getCodec() {
            return codec;
        }

        @Override
        public void setCodec(@Nullable ObjectCodec newCodec) {
            codec = newCodec;
        }

        @Override
        public Version version() {
            return Version.unknownVersion();
        }

        @Override
        @Deprecated
        public JsonLocation getTokenLocation() {
            return currentTokenLocation();
        }

        @Override
        @Deprecated
        public JsonLocation getCurrentLocation() {
            return currentTokenLocation();
        }

        @Override
        public JsonLocation currentLocation() {
            return currentTokenLocation();
        }

        @Override
        public JsonLocation currentTokenLocation() {
            Token token = current;
            return token == null ? JsonLocation.NA : new JsonLocation(null, -1L, line(token), column(token));
        }

        @Override
        public Number getNumberValue() throws IOException {
            return switch (getNumberType()) {
                case INT -> getIntValue();
                case LONG -> getLongValue();
                case BIG_INTEGER -> getBigIntegerValue();
                default -> getDoubleValue();
            };
        }

        @Override
        public NumberType getNumberType() throws IOException {
            if (_currToken == JsonToken.VALUE_NUMBER_FLOAT) {
                return NumberType.DOUBLE;
            }
            if (_currToken != JsonToken.VALUE_NUMBER_INT) {
                throw failure("expected a number, found " + text(), -1, -1, new NumberFormatException(text()));
            }
            int bits = new BigInteger(text()).bitLength();
            return bits < 32 ? NumberType.INT : bits < 64 ? NumberType.LONG : NumberType.BIG_INTEGER;
        }

        @Override
        public int getIntValue() throws IOException {
            return new BigDecimal(text()).intValue();
        }

        @Override
        public long getLongValue() throws IOException {
            return new BigDecimal(text()).longValue();
        }

        @Override
        public BigInteger getBigIntegerValue() throws IOException {
            return new BigDecimal(text()).toBigInteger();
        }

        @Override
        public float getFloatValue() throws IOException {
            return Float.parseFloat(text());
        }

        @Override
        public double getDoubleValue() throws IOException {
            return Double.parseDouble(text());
        }

        @Override
        public BigDecimal getDecimalValue() throws IOException {
            return new BigDecimal(text());
        }
    }
}
