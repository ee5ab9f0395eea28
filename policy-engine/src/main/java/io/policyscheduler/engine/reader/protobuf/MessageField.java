package io.policyscheduler.engine.reader.protobuf;

import org.jspecify.annotations.Nullable;

/**
 * A field of a message, and what becomes of it in JSON.
 *
 * @param name its name in JSON
 * @param repeated whether it is a list there
 * @param type of a {@link Kind#MESSAGE} or {@link Kind#INLINE}; null for all others
 * @param ofVolume whether it is the name of a volume, which the API server makes up for the token of a pod
 */
record MessageField(
        String name, Kind kind, boolean repeated, @Nullable MessageType type, boolean ofVolume) {
    enum Kind {
        STRING,
        BOOL,
        INTEGER,
        /** An object. */
        MESSAGE,
        /** A message whose fields stand in the object around it. */
        INLINE,
        /** Seconds since 1970: text, or null where there are none. */
        TIME,
        /** An object whose values are strings. */
        STRING_MAP,
        /** An object whose values are the texts of quantities. */
        QUANTITY_MAP,
        /** Something of which the name alone is told. */
        NAME_ALONE,
        /** Something that nobody asks for. */
        SKIPPED;

        /** Whether the value is bytes behind their length. */
        boolean isDelimited() {
            return this != BOOL && this != INTEGER && this != NAME_ALONE && this != SKIPPED;
        }

        boolean isMap() {
            return this == STRING_MAP || this == QUANTITY_MAP;
        }
    }
}
