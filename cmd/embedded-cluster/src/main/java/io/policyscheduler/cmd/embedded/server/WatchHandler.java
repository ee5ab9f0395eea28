package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ApiRequest;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceRequest;
import io.policyscheduler.cmd.embedded.api.SelectionPredicate;
import io.policyscheduler.cmd.embedded.api.SelectionPredicate.FieldSelector;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Batch;
import io.policyscheduler.cmd.embedded.api.StoredObjects.EventReader;
import io.policyscheduler.cmd.embedded.api.StoredObjects.Snapshot;
import io.policyscheduler.cmd.embedded.api.StoredObjects.StoredEvent;
import io.policyscheduler.cmd.server.Exchange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches: one JSON object per line, in a chunked response that lasts until its timeout, or until the client or the server closes
 * it. Each watch occupies the thread of its request and reads from the store's history, so that a slow client does not delay
 * others; one that falls behind the history receives 410 Expired.
 */
final class WatchHandler {
    private static final long DEFAULT_TIMEOUT_SECONDS = 1800;
    private static final int BATCH = 500;

    private final StoredObjects store;
    private final Tables tables;
    private final Faults faults;
    private final Duration bookmarkInterval;
    private final Set<EventReader> open = ConcurrentHashMap.newKeySet();

    WatchHandler(StoredObjects store, Tables tables, Faults faults, Duration bookmarkInterval) {
        this.store = store;
        this.tables = tables;
        this.faults = faults;
        this.bookmarkInterval = bookmarkInterval;
    }

    /** Ends every watch. */
    void closeAll() {
        open.forEach(EventReader::close);
    }

    /** Number of open watches. */
    int openWatches() {
        return open.size();
    }

    void serve(Exchange exchange, ResourceRequest target, ApiRequest request) throws IOException {
        SelectionPredicate filter = filter(target, request);
        RequestOptions.checkList(request, true);
        long from = request.resourceVersion();
        long timeout = request.number("timeoutSeconds", DEFAULT_TIMEOUT_SECONDS);
        try (OutputStream body = exchange.stream(200, "application/json")) {
            body.flush();
            run(new Stream(body, target, request, filter), from, timeout);
        }
    }

    private void run(Stream stream, long from, long timeout) throws IOException {
        try {
            if (faults.expireThisWatch()) {
                throw StatusError.tooOld(from, store.resourceVersion());
            }
            stream.run(from, Duration.ofSeconds(timeout == 0 ? DEFAULT_TIMEOUT_SECONDS : timeout));
        } catch (StatusError e) {
            stream.line("ERROR", e.status());
            stream.flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A watch of one object is a watch of the collection with a selector for its name. */
    private static SelectionPredicate filter(ResourceRequest target, ApiRequest request) {
        SelectionPredicate filter = SelectionPredicate.of(target, request);
        return target.name().isEmpty()
                ? filter
                : new SelectionPredicate(
                        filter.namespace(),
                        FieldSelector.parse(target.type(), "metadata.name=" + target.name()),
                        filter.labels());
    }

    /** One watch. */
    private final class Stream {
        private final OutputStream body;
        private final ResourceRequest target;
        private final ApiRequest request;
        private final SelectionPredicate filter;
        private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();

        private Stream(OutputStream body, ResourceRequest target, ApiRequest request, SelectionPredicate filter) {
            this.body = body;
            this.target = target;
            this.request = request;
            this.filter = filter;
        }

        private void run(long from, Duration timeout) throws IOException, InterruptedException {
            boolean initialEvents = request.flag("sendInitialEvents");
            long position = from;
            if (from == 0 || initialEvents) {
                Snapshot present = store.list(target.type(), target.namespace());
                for (ObjectNode object : filter.select(present.items())) {
                    line("ADDED", selectedEvent(object));
                }
                position = present.resourceVersion();
            }
            try (EventReader reader = store.changesAfter(target.type(), position)) {
                open.add(reader);
                try {
                    if (initialEvents) {
                        line("BOOKMARK", bookmark(position, true));
                    }
                    flush();
                    sendEvents(reader, position, timeout);
                } finally {
                    open.remove(reader);
                }
            }
        }

        private void sendEvents(EventReader reader, long from, Duration timeout)
                throws IOException, InterruptedException {
            long start = System.nanoTime();
            long end = start + timeout.toNanos();
            boolean bookmarks = request.flag("allowWatchBookmarks");
            long nextBookmark = start + bookmarkInterval.toNanos();
            long known = from;
            while (!reader.isClosed()) {
                long now = System.nanoTime();
                @Nullable Duration cut = faults.watchDuration();
                if (cut != null) {
                    end = Math.min(end, start + cut.toNanos());
                }
                if (now - end >= 0) {
                    return;
                }
                // Waits in short intervals, so that an injected fault also ends an idle watch.
                long wait = Math.min(end - now, TimeUnit.MILLISECONDS.toNanos(250));
                if (bookmarks) {
                    wait = Math.max(0, Math.min(wait, nextBookmark - now));
                }
                Batch batch = reader.next(BATCH, wait);
                if (batch.expired()) {
                    throw StatusError.tooOld(known, batch.resourceVersion());
                }
                batch.events().forEach(this::event);
                known = batch.resourceVersion();
                if (bookmarks && System.nanoTime() - nextBookmark >= 0) {
                    line("BOOKMARK", bookmark(known, false));
                    nextBookmark = System.nanoTime() + bookmarkInterval.toNanos();
                }
                flush();
            }
        }

        /** Sends a change as the watcher sees it: an object that no longer matches the selection is deleted. */
        private void event(StoredEvent event) {
            ObjectNode previous = event.previous();
            boolean before = previous != null && filter.matches(previous);
            boolean after = event.type() != StoredEvent.Type.DELETED && filter.matches(event.object());
            if (after) {
                line(before ? "MODIFIED" : "ADDED", selectedEvent(event.object()));
            } else if (before && previous != null) {
                line("DELETED", selectedEvent(StoredObjects.withVersion(previous, event.resourceVersion())));
            }
        }

        private ObjectNode selectedEvent(ObjectNode stored) {
            return request.wantsTable() ? tables.table(target, request, List.of(stored)) : target.external(stored);
        }

        private ObjectNode bookmark(long version, boolean initialEventsEnd) {
            ObjectNode object = target.external(Json.object());
            if (request.wantsTable()) {
                object = tables.table(target, request, List.of());
            }
            ObjectNode metadata = Json.child(object, "metadata");
            metadata.put("resourceVersion", Long.toString(version));
            metadata.putNull("creationTimestamp");
            if (initialEventsEnd) {
                metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
            }
            return object;
        }

        private void line(String type, ObjectNode object) {
            ObjectNode line = Json.object().put("type", type);
            line.set("object", object);
            buffer.writeBytes(Json.bytes(line));
            buffer.write('\n');
        }

        private void flush() throws IOException {
            if (buffer.size() > 0) {
                buffer.writeTo(body);
                body.flush();
                buffer.reset();
            }
        }
    }
}
