package io.policyscheduler.cmd.kube.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventBody.EventNames;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventOccurrence;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventSink;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.LruMap;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Events of events.k8s.io: a repetition within six minutes starts a series on the first event; further ones are counted here, and
 * written after six minutes without a repetition, or every half hour. Equality ignores the note, and includes the version of the
 * pod. Mirrors client-go {@code tools/events}.
 */
final class SeriesEvents implements EventSink {
    private static final Duration FINISHED = Duration.ofMinutes(6);
    private static final Duration REFRESH = Duration.ofMinutes(30);
    private static final int REMEMBERED = 4096;
    private static final int NOT_FOUND = 404;
    private static final int EXISTS = 409;

    private final KubeConnection connection;
    private final EventApi api;
    private final SeriesBody bodies;
    private final EventNames names = new EventNames();
    private final Map<Key, Series> remembered = new LruMap<>(REMEMBERED);

    private record Key(
            String component,
            String type,
            String reason,
            ObjectReference regarding,
            @Nullable ObjectReference related) {
        static Key of(EventOccurrence event) {
            EventText text = event.text();
            return new Key(text.component(), text.type(), text.reason(), event.pod(), text.related());
        }
    }

    /** A written event and its repetitions. */
    private static final class Series {
        final String name;
        final EventOccurrence first;
        EventOccurrence last;
        /** Number of occurrences; 1 before the server has a series. */
        int count = 1;

        int writtenCount = 1;
        Instant written;

        Series(String name, EventOccurrence first) {
            this.name = name;
            this.first = first;
            this.last = first;
            this.written = first.at();
        }
    }

    /** @param api {@link EventApi#EVENTS} or {@link EventApi#EVENTS_BETA} */
    SeriesEvents(KubeConnection connection, String instance, EventApi api) {
        this.connection = connection;
        this.api = api;
        this.bodies = new SeriesBody(instance, api);
    }

    @Override
    public EventResult send(EventOccurrence event) {
        Key key = Key.of(event);
        Series known = remembered.get(key);
        if (known == null || isFinished(known, event.at())) {
            Series series = new Series(names.next(event.pod().name(), event.time()), event);
            remembered.put(key, series);
            return EventResult.of(again -> create(series, again));
        }
        known.count++;
        known.last = event;
        return known.count == 2 ? EventResult.of(again -> update(known)) : EventResult.LATER;
    }

    private static boolean isFinished(Series series, Instant now) {
        return !series.last.at().plus(FINISHED).isAfter(now);
    }

    @Override
    public List<Delivery> due(Instant now) {
        List<Delivery> due = new ArrayList<>();
        for (Iterator<Series> all = remembered.values().iterator(); all.hasNext(); ) {
            Series series = all.next();
            boolean finished = isFinished(series, now);
            boolean refreshed = !series.written.plus(REFRESH).isAfter(now);
            if (series.count > series.writtenCount && (finished || refreshed)) {
                series.written = now;
                due.add(again -> update(series));
            }
            if (finished) {
                all.remove();
            }
        }
        return due;
    }

    private ApiResponse create(Series series, boolean again) throws ApiIoException {
        ApiResponse response =
                connection.post(path(series.first.pod()), bodies.create(series.name, series.first, series.count));
        if (response.success() || (again && response.code() == EXISTS)) {
            series.writtenCount = series.count;
        }
        return response;
    }

    private ApiResponse update(Series series) throws ApiIoException {
        int count = series.count;
        ApiResponse response = connection.patch(
                path(series.first.pod()) + "/" + series.name,
                KubeConnection.STRATEGIC_MERGE_PATCH,
                bodies.series(count, series.last.time()));
        if (response.code() == NOT_FOUND) {
            // Events are deleted after an hour, or by hand.
            return create(series, false);
        }
        if (response.success()) {
            series.writtenCount = count;
            series.written = series.last.at();
        }
        return response;
    }

    private String path(ObjectReference pod) {
        return "/apis/" + api.groupVersion() + "/namespaces/" + pod.namespace() + "/events";
    }

    /** Writes Event objects of events.k8s.io and the patches that continue a series. */
    static final class SeriesBody {
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

        /** @param count number of occurrences; a series from 2 on */
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
            ObjectReference related = text.related();
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
}
