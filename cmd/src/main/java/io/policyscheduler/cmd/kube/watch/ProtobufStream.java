package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.engine.reader.protobuf.MalformedProtobufException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** A stream in the wire format of protobuf, of any length. */
final class ProtobufStream {
    /** There is no further field. */
    static final int END = 0;

    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int MAX_VARINT_BITS = 64;

    private final InputStream in;
    private long position;

    ProtobufStream(InputStream in) {
        this.in = in;
    }

    /** How many bytes are read. */
    long position() {
        return position;
    }

    /** Passes what objects of Kubernetes in protobuf begin with. */
    void passMagic() throws IOException {
        for (byte expected : MAGIC) {
            if (in.read() != expected) {
                throw new MalformedProtobufException("the protobuf response does not start with k8s");
            }
        }
        position = MAGIC.length;
    }

    /** Number and wire type of the next field; {@link #END} at the end of the stream. */
    int tag() throws IOException {
        int first = in.read();
        if (first < 0) {
            return END;
        }
        position++;
        long tag = varint(first);
        if (tag >>> 3 == 0 || tag >>> 3 > 0x1fff_ffff) {
            throw malformed("no field has the number " + (tag >>> 3));
        }
        return (int) tag;
    }

    /** How many bytes the value has that comes next. */
    long length() throws IOException {
        long length = varint();
        if (length < 0) {
            throw malformed("something has " + Long.toUnsignedString(length) + " bytes");
        }
        return length;
    }

    void read(byte[] target, int length) throws IOException {
        if (in.readNBytes(target, 0, length) < length) {
            throw new EOFException("the list response ends early");
        }
        position += length;
    }

    /** The value that comes next, which is a number. */
    long number() throws IOException {
        return varint();
    }

    /** Passes the value of a field. */
    void skip(int tag) throws IOException {
        switch (tag & 7) {
            case 0 -> varint();
            case 1 -> skipBytes(Long.BYTES);
            case 2 -> skipBytes(length());
            case 5 -> skipBytes(Integer.BYTES);
            default -> throw malformed("field " + (tag >>> 3) + " has the wire type " + (tag & 7));
        }
    }

    private void skipBytes(long count) throws IOException {
        in.skipNBytes(count);
        position += count;
    }

    private long varint() throws IOException {
        return varint(next());
    }

    private long varint(int first) throws IOException {
        long value = first & 0x7f;
        int part = first;
        for (int shift = 7; (part & 0x80) != 0; shift += 7) {
            if (shift >= MAX_VARINT_BITS) {
                throw malformed("a number does not end");
            }
            part = next();
            value |= (long) (part & 0x7f) << shift;
        }
        return value;
    }

    private int next() throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException("the list response ends early");
        }
        position++;
        return next;
    }

    private MalformedProtobufException malformed(String problem) {
        return new MalformedProtobufException("malformed protobuf at byte " + position + ": " + problem);
    }
}
