package io.policyscheduler.engine.reader.protobuf;

import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** What a server that was asked for protobuf says of a request that it does not fulfil: a {@code meta/v1 Status}. */
public final class StatusMessage {
    /** What Kubernetes' protobuf begins with. */
    private static final int MAGIC = 4;

    private static final MessageType ENVELOPE = MessageType.builder()
            .message(2, "raw", MessageType.builder().string(3, "message").build())
            .build();

    private StatusMessage() {}

    /** The message for people; empty where there is none, or no status. */
    public static String of(byte[] answer) {
        ProtobufParser parser = new ProtobufParser(ENVELOPE);
        parser.start(answer, Math.min(MAGIC, answer.length), answer.length);
        String message = "";
        try {
            while (parser.nextToken() != null) {
                if (parser.currentToken() == JsonToken.VALUE_STRING) {
                    message = parser.getText();
                }
            }
        } catch (IOException e) {
            return message;
        }
        return message;
    }
}
