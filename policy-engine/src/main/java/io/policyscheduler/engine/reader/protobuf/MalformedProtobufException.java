package io.policyscheduler.engine.reader.protobuf;

import java.io.IOException;

/** Bytes that are no protobuf, or not of the messages that they should be; the message is one line. */
public final class MalformedProtobufException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Says what is wrong. */
    public MalformedProtobufException(String message) {
        super(message);
    }
}
