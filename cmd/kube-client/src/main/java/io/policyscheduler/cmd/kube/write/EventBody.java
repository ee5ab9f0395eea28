package io.policyscheduler.cmd.kube.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Creates core/v1 Event objects and the patches of their counts. */
public final class EventBody {
    /** The API server's limit for the message of an event, in bytes. */
    static final int MESSAGE_LIMIT = 1024;

    /** Annotation with the generation of the profiles that made the decision. */
    static final String GENERATION = "policy-scheduler.io/generation";

    private static final int NAME_LIMIT = 253;
    static final int REASON_LIMIT = 128;
    private static final String ELLIPSIS = "...";

    private final ObjectMapper mapper = new ObjectMapper();
    private final String instance;

    public EventBody(String instance) {
        this.instance = instance;
    }

    public byte[] create(String eventName, ObjectReference pod, EventText text, Instant time) {
        return create(eventName, "v1", "Pod", pod, text, time);
    }

    /** An event about an object of another kind; an unknown UID is omitted. */
    public byte[] create(
            String eventName, String apiVersion, String kind, ObjectReference object, EventText text, Instant time) {
        ObjectNode event =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Event");
        ObjectNode metadata = event.putObject("metadata").put("name", eventName).put("namespace", object.namespace());
        if (text.generation() > 0) {
            metadata.putObject("annotations").put(GENERATION, Long.toString(text.generation()));
        }
        reference(event.putObject("involvedObject"), apiVersion, kind, object);
        ObjectReference related = text.related();
        if (related != null) {
            reference(event.putObject("related"), "v1", "Pod", related);
        }
        event.put("reason", Ascii.truncate(text.reason(), REASON_LIMIT, ""))
                .put("message", text.message())
                .put("type", text.type())
                .put("count", 1);
        event.put("firstTimestamp", seconds(time)).put("lastTimestamp", seconds(time));
        event.putObject("source").put("component", text.component());
        event.put("reportingComponent", text.component()).put("reportingInstance", instance);
        return bytes(event);
    }

    static void reference(ObjectNode to, String apiVersion, String kind, ObjectReference object) {
        to.put("kind", kind)
                .put("namespace", object.namespace())
                .put("name", object.name())
                .put("apiVersion", apiVersion);
        if (!object.uid().isEmpty()) {
            to.put("uid", object.uid());
        }
        if (!object.resourceVersion().isEmpty()) {
            to.put("resourceVersion", object.resourceVersion());
        }
    }

    /**
     * A patch.
     *
     * @param message a new one; empty to keep the current one
     */
    byte[] count(int count, String message, Instant time) {
        ObjectNode patch =
                JsonNodeFactory.instance.objectNode().put("count", count).put("lastTimestamp", seconds(time));
        if (!message.isEmpty()) {
            patch.put("message", message);
        }
        return bytes(patch);
    }

    /** A unique name of at most 253 characters. */
    public static String name(String objectName, long nanos) {
        String suffix = "." + Long.toHexString(nanos);
        String start = objectName.substring(0, Math.min(objectName.length(), NAME_LIMIT - suffix.length()));
        // The cut name must not end in the middle of a label.
        return CharMatcher.anyOf(".-").trimTrailingFrom(start) + suffix;
    }

    /** Cuts a message to the limit, between characters. */
    public static String cut(String message) {
        return cut(message, MESSAGE_LIMIT, ELLIPSIS);
    }

    /**
     * Cuts a text between characters.
     *
     * @param limit of the result, in bytes
     * @param ellipsis suffix of a cut text
     */
    static String cut(String message, int limit, String ellipsis) {
        byte[] utf8 = message.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= limit) {
            return message;
        }
        int end = limit - ellipsis.length();
        // 10xxxxxx is a continuation byte: go back to the start of the character
        while ((utf8[end] & 0xC0) == 0x80) {
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8) + ellipsis;
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private byte[] bytes(ObjectNode node) {
        try {
            return mapper.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of strings and numbers is always writable", e);
        }
    }

    /** Names of events, which contain their time. Not thread-safe. */
    static final class EventNames {
        private long lastNanos;

        /**
         * A name for an event about an object; the time is incremented if the clock has not advanced, so that names are unique.
         */
        String next(String object, Instant time) {
            long nanos = TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
            lastNanos = Math.max(nanos, lastNanos + 1);
            return EventBody.name(object, lastNanos);
        }
    }
}
