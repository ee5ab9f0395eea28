package io.policyscheduler.engine.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes a protobuf message field by field. */
public final class WireBytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** A field with a number in it. */
    public WireBytes number(int field, long value) {
        varint((long) field << 3);
        varint(value);
        return this;
    }

    /** A field with text in it. */
    public WireBytes text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** A field with a message in it. */
    public WireBytes message(int field, WireBytes value) {
        return bytes(field, value.toBytes());
    }

    /** An entry of a map of text. */
    public WireBytes entry(int field, String key, String value) {
        return message(field, new WireBytes().text(1, key).text(2, value));
    }

    /** A field with bytes in it. */
    public WireBytes bytes(int field, byte[] value) {
        varint((long) field << 3 | 2);
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    /** Bytes as they are. */
    public WireBytes raw(int... values) {
        for (int value : values) {
            out.write(value);
        }
        return this;
    }

    private void varint(long value) {
        long left = value;
        while ((left & ~0x7fL) != 0) {
            out.write((int) (left & 0x7f | 0x80));
            left >>>= 7;
        }
        out.write((int) left);
    }

    /** What is written. */
    public byte[] toBytes() {
        return out.toByteArray();
    }

    /** Returns the message as {@code raw} in the envelope of a Kubernetes server. */
    public byte[] toAnswer() {
        WireBytes unknown = new WireBytes()
                .message(1, new WireBytes().text(1, "v1").text(2, "PodList"))
                .message(2, this)
                .text(3, "")
                .text(4, "");
        return new WireBytes().raw('k', '8', 's', 0).raw(unknown).toBytes();
    }

    private WireBytes raw(WireBytes other) {
        out.writeBytes(other.toBytes());
        return this;
    }
}
