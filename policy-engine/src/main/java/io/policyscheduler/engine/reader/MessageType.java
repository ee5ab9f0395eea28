package io.policyscheduler.engine.reader;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A protobuf message type: its fields by number. Immutable once built. */
public final class MessageType {
    private static final MessageField SKIPPED = new MessageField("", MessageField.Kind.SKIPPED, false, null, false);

    private final @Nullable MessageField[] fields;
    private final boolean reportsUnknown;

    private MessageType(@Nullable MessageField[] fields, boolean reportsUnknown) {
        this.fields = fields;
        this.reportsUnknown = reportsUnknown;
    }

    /** The treatment of a field; unknown ones are skipped, or reported by number. */
    MessageField field(int number) {
        MessageField known = number < fields.length ? fields[number] : null;
        if (known != null) {
            return known;
        }
        return reportsUnknown
                ? new MessageField("(field " + number + ")", MessageField.Kind.PRESENCE, false, null, false)
                : SKIPPED;
    }

    static Builder builder() {
        return new Builder();
    }

    static final class Builder {
        private @Nullable MessageField[] fields = new @Nullable MessageField[8];
        private boolean reportsUnknown;

        private Builder() {}

        private Builder add(int number, MessageField field) {
            if (number >= fields.length) {
                fields = Arrays.copyOf(fields, Math.max(number + 1, 2 * fields.length));
            }
            fields[number] = field;
            return this;
        }

        Builder add(int number, String name, MessageField.Kind kind) {
            return add(number, new MessageField(name, kind, false, null, false));
        }

        Builder string(int number, String name) {
            return add(number, name, MessageField.Kind.STRING);
        }

        /** The name of a volume. */
        Builder volumeName(int number, String name) {
            return add(number, new MessageField(name, MessageField.Kind.STRING, false, null, true));
        }

        Builder strings(int number, String name) {
            return add(number, new MessageField(name, MessageField.Kind.STRING, true, null, false));
        }

        Builder integer(int number, String name) {
            return add(number, name, MessageField.Kind.INTEGER);
        }

        Builder bool(int number, String name) {
            return add(number, name, MessageField.Kind.BOOL);
        }

        Builder time(int number, String name) {
            return add(number, name, MessageField.Kind.TIME);
        }

        Builder stringMap(int number, String name) {
            return add(number, name, MessageField.Kind.STRING_MAP);
        }

        Builder quantities(int number, String name) {
            return add(number, name, MessageField.Kind.QUANTITY_MAP);
        }

        Builder message(int number, String name, MessageType type) {
            return add(number, new MessageField(name, MessageField.Kind.MESSAGE, false, type, false));
        }

        Builder messages(int number, String name, MessageType type) {
            return add(number, new MessageField(name, MessageField.Kind.MESSAGE, true, type, false));
        }

        Builder inline(int number, MessageType type) {
            return add(number, new MessageField("", MessageField.Kind.INLINE, false, type, false));
        }

        /** Fields that are not read, as {@code 3=command 4=args}. */
        Builder skipped(String numbersAndNames) {
            return add(numbersAndNames, MessageField.Kind.SKIPPED);
        }

        /** Fields of which only the presence is read. */
        Builder named(String numbersAndNames) {
            return add(numbersAndNames, MessageField.Kind.PRESENCE);
        }

        /** String fields. */
        Builder strings(String numbersAndNames) {
            return add(numbersAndNames, MessageField.Kind.STRING);
        }

        private Builder add(String numbersAndNames, MessageField.Kind kind) {
            for (String part : numbersAndNames.split(" ")) {
                int equals = part.indexOf('=');
                add(Integer.parseInt(part.substring(0, equals)), part.substring(equals + 1), kind);
            }
            return this;
        }

        /** Reports unknown fields by number; all known ones must be declared then. */
        Builder reportingUnknown() {
            reportsUnknown = true;
            return this;
        }

        MessageType build() {
            return new MessageType(fields.clone(), reportsUnknown);
        }
    }

    /**
     * A field of a message, and its JSON form.
     *
     * @param name its name in JSON
     * @param repeated whether it is a list
     * @param type of a {@link Kind#MESSAGE} or {@link Kind#INLINE}; null for all others
     * @param ofVolume whether it is the name of a volume, which the API server generates for the token of a pod
     */
    record MessageField(
            String name,
            Kind kind,
            boolean repeated,
            @Nullable MessageType type,
            boolean ofVolume) {
        enum Kind {
            STRING,
            BOOL,
            INTEGER,
            /** An object. */
            MESSAGE,
            /** A message whose fields belong to the enclosing object. */
            INLINE,
            /** Seconds since 1970: a string in JSON, or null when absent. */
            TIME,
            /** An object whose values are strings. */
            STRING_MAP,
            /** An object whose values are quantities. */
            QUANTITY_MAP,
            /** Only the presence is read. */
            PRESENCE,
            /** Not read. */
            SKIPPED;

            /** Whether the value is length-delimited. */
            boolean isDelimited() {
                return this != BOOL && this != INTEGER && this != PRESENCE && this != SKIPPED;
            }

            boolean isMap() {
                return this == STRING_MAP || this == QUANTITY_MAP;
            }
        }
    }
}
