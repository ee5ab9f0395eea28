package io.policyscheduler.engine.policy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON the way the Go library json-iterator does, because its error texts tell how far it got: the first error
 * stays, reading goes on, and a byte is not given back once there is an error. The input must be well formed.
 */
final class JsonIterator {
    private static final String NOT_A_DIGIT = "unexpected character: \ufffd";

    private final byte[] text;
    private int head;
    private boolean atEnd;
    private @Nullable String error;
    private int errorOffset;

    JsonIterator(byte[] text) {
        this.text = text;
    }

    int head() {
        return head;
    }

    /** The first error with all prefixes so far, null if there is none. */
    @Nullable
    String error() {
        return error;
    }

    int errorOffset() {
        return errorOffset;
    }

    /** Puts where it happened in front of the error, if there is one. */
    void wrapError(String prefix) {
        if (error != null) {
            error = prefix + error;
        }
    }

    void report(String operation, String message) {
        if (error != null) {
            return;
        }
        int start = Math.max(head - 10, 0);
        error = operation + ": " + message + ", error found in #" + (head - start) + " byte of ...|"
                + slice(start, head + 10) + "|..., bigger context ...|" + slice(head - 50, head + 50) + "|...";
        errorOffset = Math.max(head - 1, 0);
    }

    private String slice(int from, int to) {
        int start = Math.max(from, 0);
        int end = Math.min(to, text.length);
        return new String(text, start, end - start, StandardCharsets.UTF_8);
    }

    /** The next byte that is no white space, 0 at the end. */
    int nextToken() {
        while (head < text.length) {
            int c = text[head++] & 0xFF;
            if (" \n\t\r".indexOf(c) < 0) {
                return c;
            }
        }
        atEnd = true;
        return 0;
    }

    /** Gives the last byte back, unless something has already gone wrong. */
    void unreadByte() {
        if (error == null && !atEnd) {
            head--;
        }
    }

    static String show(int c) {
        return String.valueOf((char) c);
    }

    boolean readNull() {
        if (nextToken() == 'n') {
            head = Math.min(head + 3, text.length);
            return true;
        }
        unreadByte();
        return false;
    }

    boolean readObjectStart() {
        int c = nextToken();
        if (c == '{') {
            c = nextToken();
            if (c == '"') {
                unreadByte();
                return true;
            }
            if (c != '}') {
                report("readObjectStart", "expect \" after {, but found " + show(c));
            }
            return false;
        }
        if (c == 'n') {
            skipWord("ull");
        } else {
            report("readObjectStart", "expect { or n, but found " + show(c));
        }
        return false;
    }

    boolean readObjectEnd() {
        int c = nextToken();
        if (c == ',') {
            return false;
        }
        if (c != '}') {
            report("isObjectEnd", "object ended prematurely, unexpected char " + show(c));
        }
        return true;
    }

    /** A key with its colon, null if there is none. */
    @Nullable
    String readKey() {
        int c = nextToken();
        if (c != '"') {
            report("readFieldHash", "expect \", but found " + show(c));
            return null;
        }
        String key = stringBody();
        c = nextToken();
        if (c != ':') {
            report("readFieldHash", "expect :, but found " + show(c));
            return null;
        }
        return key;
    }

    String readString() {
        int c = nextToken();
        if (c == '"') {
            return stringBody();
        }
        if (c == 'n') {
            skipWord("ull");
        } else {
            report("ReadString", "expects \" or n, but found " + show(c));
        }
        return "";
    }

    boolean readBool() {
        int c = nextToken();
        if (c == 't') {
            skipWord("rue");
            return true;
        }
        if (c == 'f') {
            skipWord("alse");
        } else {
            report("ReadBool", "expect t or f, but found " + show(c));
        }
        return false;
    }

    /** An integer of 32 or 64 bits. */
    long readInteger(int bits) {
        boolean negative = false;
        int c = nextToken();
        if (c == '-') {
            negative = true;
            c = head < text.length ? text[head++] : 0;
        }
        String operation = "readUint" + bits;
        if (c == '0') {
            requireInteger();
            return 0;
        }
        if (c < '1' || c > '9') {
            report(operation, NOT_A_DIGIT);
            return 0;
        }
        int first = head - 1;
        int last = head;
        while (last < text.length && text[last] >= '0' && text[last] <= '9') {
            last++;
        }
        BigInteger value = new BigInteger(new String(text, first, last - first, StandardCharsets.US_ASCII));
        if (value.bitLength() > bits) {
            // The library reads eight digits in one go before it starts to watch for an overflow.
            head = text.length - head > 10 ? first + 8 : head;
            report(operation, "overflow");
            return 0;
        }
        head = last;
        requireInteger();
        long limit = bits == 32 ? Integer.MAX_VALUE : Long.MAX_VALUE;
        if (value.compareTo(BigInteger.valueOf(limit).add(BigInteger.valueOf(negative ? 1 : 0))) > 0) {
            report("ReadInt" + bits, "overflow: " + value);
            return 0;
        }
        return negative ? value.negate().longValue() : value.longValue();
    }

    private void requireInteger() {
        if (head < text.length && text[head] == '.') {
            report("assertInteger", "can not decode float as int");
        }
    }

    /** Passes over one value. */
    void skip() {
        int c = nextToken();
        switch (c) {
            case '"' -> stringBody();
            case 'n' -> skipWord("ull");
            case 't' -> skipWord("rue");
            case 'f' -> skipWord("alse");
            case '[' -> skipArray();
            case '{' -> skipObject();
            default -> {
                if (c == '-' || (c >= '0' && c <= '9')) {
                    skipNumber();
                } else {
                    report("Skip", "do not know how to skip: " + c);
                }
            }
        }
    }

    private void skipNumber() {
        while (head < text.length && "+-.eE0123456789".indexOf(text[head]) >= 0) {
            head++;
        }
    }

    private void skipArray() {
        unreadByte();
        if (nextToken() != '[') {
            report("ReadArrayCB", "expect [ or n");
            return;
        }
        if (nextToken() == ']') {
            return;
        }
        unreadByte();
        int c;
        do {
            skip();
            c = nextToken();
        } while (c == ',');
        if (c != ']') {
            report("ReadArrayCB", "expect ] in the end, but found " + show(c));
        }
    }

    private void skipObject() {
        unreadByte();
        if (nextToken() != '{') {
            report("ReadObjectCB", "expect { or n");
            return;
        }
        if (nextToken() == '}') {
            return;
        }
        unreadByte();
        int c;
        do {
            readString();
            c = nextToken();
            if (c != ':') {
                report("ReadObject", "expect : after object field, but found " + show(c));
            }
            skip();
            c = nextToken();
        } while (c == ',');
        if (c != '}') {
            report("ReadObjectCB", "object not ended with }");
        }
    }

    private void skipWord(String rest) {
        for (int i = 0; i < rest.length(); i++) {
            int c = head < text.length ? text[head++] : 0;
            if (c != rest.charAt(i)) {
                report("skip" + (rest.length() == 3 ? "Three" : "Four") + "Bytes", "expect " + rest);
                return;
            }
        }
    }

    /** The rest of a string whose opening quote has been read. */
    private String stringBody() {
        int start = head - 1;
        while (head < text.length && text[head] != '"') {
            head += text[head] == '\\' ? 2 : 1;
        }
        head = Math.min(head + 1, text.length);
        try {
            return GoJsonParser.parse(text, start, head, offset -> SourcePosition.UNKNOWN)
                    .text();
        } catch (DocumentException e) {
            report("ReadString", "unexpected end of input");
            return "";
        }
    }
}
