package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.reader.MessageType.MessageField;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import io.policyscheduler.engine.reader.ProtobufTokens.ProtobufBytes;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The current value of {@link ProtobufTokens}; its text is decoded lazily. */
final class ProtobufValue {
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final int QUANTITY_TEXT = 1;
    private static final int TIME_SECONDS = 1;
    private static final int MILLIS = 1000;

    private final ProtobufBytes in;
    private int textFrom;
    private int textTo;
    private @Nullable String text;
    private long number;
    private boolean time;

    ProtobufValue(ProtobufBytes in) {
        this.in = in;
    }

    /** Reads the next text. */
    void readText(int end) throws IOException {
        int to = in.delimited(end);
        text(in.position(), to);
        in.moveTo(to);
    }

    void readNumber() throws IOException {
        number = in.varint();
    }

    /** Reads an entry of a map: returns its key; its value becomes the text. */
    String readEntry(MessageField map, int within) throws IOException {
        int end = in.delimited(within);
        String key = "";
        text(0, 0);
        while (in.position() < end) {
            int part = in.tag();
            if (part == (KEY << 3 | ProtobufBytes.DELIMITED)) {
                int to = in.delimited(end);
                key = in.text(in.position(), to);
                in.moveTo(to);
            } else if (part == (VALUE << 3 | ProtobufBytes.DELIMITED)) {
                int to = in.delimited(end);
                if (map.kind() == MessageField.Kind.QUANTITY_MAP) {
                    quantity(to);
                } else {
                    text(in.position(), to);
                }
                in.moveTo(to);
            } else {
                in.skip(part, end);
            }
        }
        if (in.position() > end) {
            throw in.malformed("an entry of " + map.name() + " ends in the middle of a field");
        }
        if (map.kind() == MessageField.Kind.QUANTITY_MAP && textFrom == textTo) {
            text = "0";
        }
        return key;
    }

    private void quantity(int end) throws IOException {
        while (in.position() < end) {
            int part = in.tag();
            if (part == (QUANTITY_TEXT << 3 | ProtobufBytes.DELIMITED)) {
                readText(end);
            } else {
                in.skip(part, end);
            }
        }
    }

    /** Reads a time up to its end; false if it is invalid. */
    boolean readTime(int end) throws IOException {
        if (in.position() == end) {
            return false;
        }
        number = 0;
        while (in.position() < end) {
            int part = in.tag();
            if (part == TIME_SECONDS << 3) {
                number = in.varint();
            } else {
                in.skip(part, end);
            }
        }
        if (in.position() > end) {
            throw in.malformed("a time ends in the middle of a field");
        }
        text(0, 0);
        try {
            number = Math.multiplyExact(number, MILLIS);
        } catch (ArithmeticException e) {
            throw in.malformed("no time is " + number + " s away from 1970");
        }
        time = true;
        return true;
    }

    private void text(int from, int to) {
        textFrom = from;
        textTo = to;
        text = null;
        time = false;
    }

    /** Whether it is a time, which has a number and a text. */
    boolean isTime() {
        return time;
    }

    /** The number, or the epoch milliseconds of the time. */
    long number() {
        return number;
    }

    String text() throws IOException {
        String known = text;
        if (known == null) {
            known = time ? timeText() : in.text(textFrom, textTo);
            text = known;
        }
        return known;
    }

    private String timeText() throws MalformedProtobufException {
        try {
            return Instant.ofEpochMilli(number).toString();
        } catch (DateTimeException e) {
            throw in.malformed("no time is " + number + " ms away from 1970");
        }
    }
}
