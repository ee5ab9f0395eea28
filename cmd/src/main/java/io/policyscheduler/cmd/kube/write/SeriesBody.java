package io.policyscheduler.cmd.kube.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Writes Event objects of events.k8s.io and the patches that continue a series. */
final class SeriesBody {
    private static final int REPORTER_LIMIT = 128;
    private static final String ELLIPSIS = " ...";
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final ObjectMapper mapper = new ObjectMapper();
    private final String instance;
    private final EventApi api;

    /** @param api {@link EventApi#EVENTS} or {@link EventApi#EVENTS_BETA} */
    SeriesBody(String instance, EventApi api) {
        this.instance = instance;
        this.api = api;
    }

    /** @param count how often it has happened; a series from 2 on */
    byte[] create(String name, EventOccurrence event, int count) {
        EventText text = event.text();
        ObjectNode body = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", api.groupVersion())
                .put("kind", "Event");
        ObjectNode metadata = body.putObject("metadata")
                .put("name", name)
                .put("namespace", event.pod().namespace());
        if (text.generation() > 0) {
            metadata.putObject("annotations").put(EventBody.GENERATION, Long.toString(text.generation()));
        }
        body.put("eventTime", MICROS.format(event.time()));
        if (count > 1) {
            series(body, count, event.time());
        }
        body.put("reportingController", text.component())
                .put("reportingInstance", EventBody.cut(instance, REPORTER_LIMIT, ""))
                .put("action", text.action())
                .put("reason", EventBody.cut(text.reason(), EventBody.REASON_LIMIT, ""));
        EventBody.reference(body.putObject("regarding"), "v1", "Pod", event.pod());
        PodReference related = text.related();
        if (related != null) {
            EventBody.reference(body.putObject("related"), "v1", "Pod", related);
        }
        body.put("note", EventBody.cut(text.message(), EventBody.MESSAGE_LIMIT, ELLIPSIS))
                .put("type", text.type());
        if (api == EventApi.EVENTS_BETA) {
            body.putObject("deprecatedSource").put("component", text.component());
        }
        return bytes(body);
    }

    /** A patch. */
    byte[] series(int count, Instant last) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        series(patch, count, last);
        return bytes(patch);
    }

    private void series(ObjectNode event, int count, Instant last) {
        // The first releases count the repetitions.
        int counted = api == EventApi.EVENTS_BETA ? count - 1 : count;
        event.putObject("series").put("count", counted).put("lastObservedTime", MICROS.format(last));
    }

    private byte[] bytes(ObjectNode node) {
        try {
            return mapper.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree of strings and numbers is always writable", e);
        }
    }
}
