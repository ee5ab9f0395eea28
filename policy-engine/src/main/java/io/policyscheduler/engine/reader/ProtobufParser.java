package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.Base64Variant;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.base.ParserMinimalBase;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * Parses one protobuf message as the tokens of its JSON form. Values are decoded lazily, and skipped fields are not decoded. Unlike
 * in JSON, empty strings, zeros and false occur if a server writes them. Fields of a list or map that are not contiguous become two
 * lists or maps.
 *
 * <p>Every read throws a {@link MalformedProtobufException} for malformed bytes. Not thread-safe.
 */
public final class ProtobufParser extends ParserMinimalBase {
    private final ProtobufTokens tokens;
    private boolean closed;

    /** A parser without a message. */
    public ProtobufParser(MessageType root) {
        super(StreamReadConstraints.defaults());
        tokens = new ProtobufTokens(root);
    }

    /** Moves before the first token of a message; the bytes must not change while it is read. */
    public void start(byte[] bytes, int from, int to) {
        tokens.start(bytes, from, to);
        closed = false;
        _currToken = null;
    }

    @Override
    public @Nullable JsonToken nextToken() throws IOException {
        JsonToken token = tokens.advance();
        _currToken = token;
        return token;
    }

    @Override
    public ProtobufParser skipChildren() throws IOException {
        _currToken = tokens.skipChildren();
        return this;
    }

    /** Creates an image of the object that begins here, without moving. */
    public void take(MessageImage image) throws MalformedProtobufException {
        tokens.take(image);
    }

    /** Whether the current token is a time, whose value {@link #timeMillis()} returns without parsing text. */
    public boolean isTime() {
        return tokens.isTime();
    }

    /** The time of the current token, in epoch milliseconds; undefined for other tokens. */
    public long timeMillis() {
        return tokens.number();
    }

    @Override
    public String getText() throws IOException {
        return tokens.text();
    }

    @Override
    public @Nullable String currentName() {
        boolean inside = _currToken == JsonToken.START_OBJECT || _currToken == JsonToken.START_ARRAY;
        JsonStreamContext named = inside ? tokens.context().getParent() : tokens.context();
        return named == null ? null : named.getCurrentName();
    }

    @Override
    @Deprecated
    public @Nullable String getCurrentName() {
        return currentName();
    }

    @Override
    public JsonStreamContext getParsingContext() {
        return tokens.context();
    }

    @Override
    public long getLongValue() throws IOException {
        if (_currToken != JsonToken.VALUE_NUMBER_INT) {
            throw tokens.malformed("not a number");
        }
        return tokens.number();
    }

    @Override
    public int getIntValue() throws IOException {
        return Math.toIntExact(getLongValue());
    }

    @Override
    public Number getNumberValue() throws IOException {
        return getLongValue();
    }

    @Override
    public NumberType getNumberType() {
        return NumberType.LONG;
    }

    @Override
    public BigInteger getBigIntegerValue() throws IOException {
        return BigInteger.valueOf(getLongValue());
    }

    @Override
    public BigDecimal getDecimalValue() throws IOException {
        return BigDecimal.valueOf(getLongValue());
    }

    @Override
    public float getFloatValue() throws IOException {
        return getLongValue();
    }

    @Override
    public double getDoubleValue() throws IOException {
        return getLongValue();
    }

    @Override
    public byte[] getBinaryValue(Base64Variant variant) throws IOException {
        throw tokens.malformed("no bytes are read");
    }

    @Override
    public char[] getTextCharacters() throws IOException {
        return getText().toCharArray();
    }

    @Override
    public int getTextLength() throws IOException {
        return getText().length();
    }

    @Override
    public int getTextOffset() {
        return 0;
    }

    @Override
    public boolean hasTextCharacters() {
        return false;
    }

    @Override
    public void overrideCurrentName(String name) {
        throw new UnsupportedOperationException("names are those of the fields");
    }

    @Override
    public JsonLocation currentLocation() {
        return new JsonLocation(null, tokens.position(), -1, -1);
    }

    @Override
    public JsonLocation currentTokenLocation() {
        return currentLocation();
    }

    @Override
    @Deprecated
    public JsonLocation getCurrentLocation() {
        return currentLocation();
    }

    @Override
    @Deprecated
    public JsonLocation getTokenLocation() {
        return currentLocation();
    }

    @Override
    public @Nullable ObjectCodec getCodec() {
        return null;
    }

    @Override
    public void setCodec(ObjectCodec codec) {
        throw new UnsupportedOperationException("there are tokens only");
    }

    @Override
    public Version version() {
        return Version.unknownVersion();
    }

    @Override
    protected void _handleEOF() {
        // The end of a message is not an error.
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** Thrown for bytes that are not protobuf, or not of the expected type; the message is one line. */
    public static final class MalformedProtobufException extends IOException {
        private static final long serialVersionUID = 1L;

        /** @param message the error */
        public MalformedProtobufException(String message) {
            super(message);
        }
    }
}
