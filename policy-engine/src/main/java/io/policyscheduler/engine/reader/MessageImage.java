package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.reader.MessageType.MessageField;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import io.policyscheduler.engine.reader.ProtobufTokens.ProtobufBytes;
import io.policyscheduler.engine.reader.ProtobufTokens.TokenVolume;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32;

/**
 * The parts of a message that are read, as bytes: messages with the same image are parsed to equal objects. The last value of one
 * field is stored separately. Creating an image is much cheaper than parsing. Not thread-safe.
 */
public final class MessageImage {
    /** Marks the end of a message, because no field has the number 0. */
    private static final byte END = 0;

    private final ProtobufBytes in = new ProtobufBytes();
    private final CRC32 crc = new CRC32();
    private final String separateName;
    private byte[] message = new byte[0];
    private byte[] bytes = new byte[512];
    private int length;
    private int separateFrom;
    private int separateTo;

    /**
     * An empty image.
     *
     * @param separateField name of a string field at the top of the messages, which is stored separately
     */
    public MessageImage(String separateField) {
        this.separateName = separateField;
    }

    void take(MessageType type, byte[] source, int from, int to) throws MalformedProtobufException {
        message = source;
        length = 0;
        separateFrom = 0;
        separateTo = 0;
        in.start(source, from, to);
        copy(type, to, true);
        crc.reset();
        crc.update(bytes, 0, length);
    }

    private void copy(MessageType type, int end, boolean top) throws MalformedProtobufException {
        while (in.position() < end) {
            int start = in.position();
            int tag = in.tag();
            MessageField field = type.field(tag >>> 3);
            switch (field.kind()) {
                case SKIPPED -> in.skip(tag, end);
                case PRESENCE -> {
                    append(start, in.position());
                    in.skip(tag, end);
                }
                case MESSAGE, INLINE -> copyMessage(Objects.requireNonNull(field.type()), start, tag, end);
                default -> {
                    int value = in.position();
                    in.skip(tag, end);
                    if (top && field.name().equals(separateName) && (tag & 7) == ProtobufBytes.DELIMITED) {
                        int after = in.position();
                        in.moveTo(value);
                        separateTo = in.delimited(end);
                        separateFrom = in.position();
                        in.moveTo(after);
                    } else {
                        append(
                                start,
                                in.position()
                                        - (field.ofVolume()
                                                ? TokenVolume.generatedSuffix(message, in.position(), end)
                                                : 0));
                    }
                }
            }
        }
        if (in.position() > end) {
            throw in.malformed("a message ends in the middle of a field");
        }
    }

    private void copyMessage(MessageType type, int start, int tag, int end) throws MalformedProtobufException {
        if ((tag & 7) != ProtobufBytes.DELIMITED) {
            // The parser reports the error.
            in.skip(tag, end);
            append(start, in.position());
            return;
        }
        append(start, in.position());
        copy(type, in.delimited(end), false);
        ensureCapacity(1);
        bytes[length++] = END;
    }

    private void append(int from, int to) {
        int count = to - from;
        ensureCapacity(count);
        System.arraycopy(message, from, bytes, length, count);
        length += count;
    }

    private void ensureCapacity(int count) {
        if (count > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * bytes.length));
        }
    }

    /** The number of bytes. */
    public int length() {
        return length;
    }

    /** Equal for equal images. */
    public int hash() {
        return (int) crc.getValue();
    }

    /** Whether it equals a {@linkplain #copy copy}. */
    public boolean is(byte[] other) {
        return Arrays.equals(bytes, 0, length, other, 0, other.length);
    }

    /** A copy of the bytes. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** The separate field; empty if the message does not have it. Must be read before the message changes. */
    public String separateField() {
        in.start(message, separateFrom, separateTo);
        return in.text(separateFrom, separateTo);
    }
}
