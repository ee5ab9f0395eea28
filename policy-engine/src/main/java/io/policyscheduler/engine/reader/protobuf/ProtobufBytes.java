package io.policyscheduler.engine.reader.protobuf;

import java.nio.charset.StandardCharsets;

/** A place in bytes in the wire format of protobuf. Not thread-safe. */
final class ProtobufBytes {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    static final int DELIMITED = 2;
    private static final int FIXED32 = 5;
    private static final int MAX_VARINT_BITS = 64;

    private byte[] bytes = new byte[0];
    private int at;
    private int limit;

    /** Goes to the beginning of other bytes. */
    void start(byte[] newBytes, int from, int to) {
        bytes = newBytes;
        at = from;
        limit = to;
    }

    byte[] bytes() {
        return bytes;
    }

    int position() {
        return at;
    }

    /** Goes elsewhere in the same bytes. */
    void moveTo(int position) {
        at = position;
    }

    long varint() throws MalformedProtobufException {
        if (at < limit && bytes[at] >= 0) {
            return bytes[at++];
        }
        long value = 0;
        for (int shift = 0; shift < MAX_VARINT_BITS && at < limit; shift += 7) {
            byte next = bytes[at++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw malformed("a number does not end");
    }

    /** The number and the wire type of the next field. */
    int tag() throws MalformedProtobufException {
        long tag = varint();
        if (tag >>> 3 == 0 || tag >>> 3 > 0x1fff_ffff) {
            throw malformed("no field has the number " + (tag >>> 3));
        }
        return (int) tag;
    }

    /** Where the value behind its length ends; it begins at the position then. */
    int delimited(int end) throws MalformedProtobufException {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw malformed("something of " + Long.toUnsignedString(length) + " bytes ends after what it is in");
        }
        return at + (int) length;
    }

    /** Passes the value of a field. */
    void skip(int tag, int end) throws MalformedProtobufException {
        switch (tag & 7) {
            case VARINT -> varint();
            case FIXED64 -> skipBytes(Long.BYTES, end);
            case DELIMITED -> at = delimited(end);
            case FIXED32 -> skipBytes(Integer.BYTES, end);
            default -> throw malformed("field " + (tag >>> 3) + " has the wire type " + (tag & 7));
        }
        if (at > end) {
            throw malformed("a field ends after what it is in");
        }
    }

    private void skipBytes(int count, int end) throws MalformedProtobufException {
        if (count > end - at) {
            throw malformed("a field ends after what it is in");
        }
        at += count;
    }

    String text(int from, int to) {
        return from == to ? "" : new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    MalformedProtobufException malformed(String problem) {
        return new MalformedProtobufException("malformed protobuf at byte " + at + ": " + problem);
    }
}
