package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Head;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.JsonScanner;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.ReflectorList.Query;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.RetryDelays;
import io.policyscheduler.cmd.kube.watch.ReflectorRequests.ServerContact;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the watches of a reflector's resource, and returns after each whether to list again. */
final class ReflectorWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ReflectorWatch.class);
    private static final int GONE = 410;
    private static final int MIN_WATCH_SECONDS = 300;
    /** A watch of this duration counts as healthy, even without events. */
    private static final Duration HEALTHY_WATCH = Duration.ofSeconds(1);

    private final ReflectorState position;
    private final ServerContact contact;
    private final ReflectorRequests requests;
    private final RetryDelays delays;
    private final Delivery<?> delivery;
    private final Options options;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final Sleeper sleeper;
    private final int longestObject;
    private Instant started = Instant.MIN;

    ReflectorWatch(
            ReflectorState position,
            ServerContact contact,
            ReflectorRequests requests,
            RetryDelays delays,
            Delivery<?> delivery,
            Options options,
            RandomGenerator random,
            InstantSource clock,
            Sleeper sleeper,
            int longestObject) {
        this.position = position;
        this.contact = contact;
        this.requests = requests;
        this.delays = delays;
        this.delivery = delivery;
        this.options = options;
        this.random = random;
        this.clock = clock;
        this.sleeper = sleeper;
        this.longestObject = longestObject;
    }

    /** Runs one watch to its end. Returns false if nothing is wrong, but the next request should wait. */
    boolean watch() throws IOException, InterruptedException {
        awaitSlot();
        boolean progress = false;
        try (Stream stream = requests.stream(watchPath())) {
            Lines lines = new Lines(requests.answer(stream), longestObject);
            requests.succeeded();
            while (nextLine(lines, progress)) {
                if (requests.isClosed()) {
                    return true;
                }
                delivery.deliver(lines);
                if (!progress) {
                    progress = true;
                    healthy();
                }
            }
            return progress || lived(HEALTHY_WATCH) || requests.isClosed();
        } catch (ApiIoException e) {
            if (e.code() == GONE) {
                return gone(e, progress);
            }
            if (isRefusedRequest(e.code()) || ReflectorList.rejectsVersion(e)) {
                position.listAgain();
            }
            throw e;
        } finally {
            if (lived(HEALTHY_WATCH) && contact.isConnected()) {
                healthy();
            }
        }
    }

    private boolean gone(ApiIoException e, boolean progress) {
        LOG.info(
                "{}: watching from {} is no longer possible, listing again: {}",
                position.path(),
                position.resourceVersion(),
                e.getMessage());
        position.gone(progress);
        // A 410 comes from a healthy server, and a list follows; but repeated ones need a backoff.
        return position.consecutiveGone() <= 1;
    }

    private void healthy() {
        position.healthy();
        delays.healthy();
    }

    /** A disconnect or timeout is the normal end of a healthy watch; the next request shows the state of the server. */
    private boolean nextLine(Lines lines, boolean progress) throws IOException {
        try {
            return lines.next();
        } catch (ResponseTooLongException e) {
            throw e;
        } catch (IOException e) {
            if (progress || e instanceof SocketTimeoutException || lived(HEALTHY_WATCH)) {
                LOG.debug("{}: watch ended: {}", position.path(), ApiIoException.describe(e));
                return false;
            }
            throw e;
        }
    }

    /** Statuses of an invalid request, for which a retry from the same version may never succeed. */
    private static boolean isRefusedRequest(int code) {
        return code == 400 || code == 404 || code == 405 || code == 422;
    }

    private void awaitSlot() throws InterruptedException {
        if (!lived(options.minWatchInterval())) {
            sleeper.sleep(options.minWatchInterval());
        }
        started = clock.instant();
    }

    private boolean lived(Duration atLeast) {
        return !started.isAfter(clock.instant().minus(atLeast));
    }

    private String watchPath() {
        int seconds = MIN_WATCH_SECONDS + random.nextInt(MIN_WATCH_SECONDS + 1);
        return new Query(position.path())
                .add("watch", "true")
                .add("fieldSelector", options.fieldSelector())
                .add("resourceVersion", position.resourceVersion())
                .add("allowWatchBookmarks", "true")
                .add("timeoutSeconds", Integer.toString(seconds))
                .toString();
    }

    /**
     * Splits a watch response into lines, one event each; an incomplete last line (a broken connection) is dropped. The end of a
     * line that is too long is dropped, so that its event is unreadable, and does not affect the next ones.
     */
    static final class Lines {
        private final InputStream in;
        private final int longest;
        private byte[] buffer = new byte[32 * 1024];
        private int start;
        private int next;
        private int filled;
        private int end;
        private boolean cut;

        /** @param longest maximum number of bytes of a line */
        Lines(InputStream in, int longest) {
            this.in = in;
            this.longest = longest;
        }

        /** Advances to the next non-empty line; false at the end of the stream. */
        boolean next() throws IOException {
            cut = false;
            do {
                start = next;
                int scanned = start;
                while (true) {
                    int newline = indexOfNewline(scanned);
                    if (newline >= 0) {
                        end = newline;
                        next = newline + 1;
                        break;
                    }
                    if (start == 0 && filled >= longest) {
                        return truncatedLine();
                    }
                    scanned = filled;
                    int moved = growBuffer();
                    scanned -= moved;
                    int read = in.read(buffer, filled, buffer.length - filled);
                    if (read < 0) {
                        return false;
                    }
                    filled += read;
                }
            } while (end == start);
            return true;
        }

        byte[] buffer() {
            return buffer;
        }

        int offset() {
            return start;
        }

        int length() {
            return end - start;
        }

        /** Whether the end of the line was dropped. */
        boolean isTruncated() {
            return cut;
        }

        private int indexOfNewline(int from) {
            return indexOfNewline(buffer, from, filled);
        }

        private static int indexOfNewline(byte[] bytes, int from, int to) {
            for (int i = from; i < to; i++) {
                if (bytes[i] == '\n') {
                    return i;
                }
            }
            return -1;
        }

        /** Drops the rest of the line, and stores the bytes after it instead of the last bytes of the line. */
        private boolean truncatedLine() throws IOException {
            byte[] part = new byte[32 * 1024];
            for (long length = filled; length <= ListLimits.LONGEST_VALUE; ) {
                int read = in.read(part, 0, part.length);
                if (read < 0) {
                    return false;
                }
                length += read;
                int newline = indexOfNewline(part, 0, read);
                if (newline >= 0) {
                    int after = read - newline - 1;
                    end = filled - part.length;
                    next = end;
                    filled = end + after;
                    System.arraycopy(part, newline + 1, buffer, end, after);
                    cut = true;
                    return true;
                }
            }
            throw new ResponseTooLongException("a watch event is longer than " + ListLimits.LONGEST_VALUE + " bytes");
        }

        /** Moves the incomplete line to the start of the buffer and grows the buffer if it is full; returns the distance. */
        private int growBuffer() {
            int moved = start;
            if (moved > 0) {
                System.arraycopy(buffer, start, buffer, 0, filled - start);
                filled -= moved;
                start = 0;
                next = 0;
            }
            if (filled == buffer.length) {
                buffer = Arrays.copyOf(buffer, (int) Math.min(longest, 2L * buffer.length));
            }
            return moved;
        }
    }

    /**
     * One line of a watch response: {@code {"type":"ADDED","object":{...}}}. Type and identity of the object are found without
     * decoding it, so that resourceVersion and name of an unreadable object are known.
     */
    static final class Event {
        /** Code (500 when absent) and message of a metav1.Status. */
        record Failure(int code, String message) {}

        private final JsonFactory json;
        private final byte[] line;
        private final int offset;
        private final int end;
        private String type = "";
        private @Nullable ObjectBytes object;

        Event(JsonFactory json, byte[] line, int offset, int length) {
            this.json = json;
            this.line = line;
            this.offset = offset;
            this.end = offset + length;
        }

        /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; empty when absent. */
        String type() {
            return type;
        }

        Head head() {
            ObjectBytes bytes = object;
            return bytes == null ? Head.UNKNOWN : bytes.head();
        }

        /** Finds type and object. */
        void readHead() throws IOException {
            JsonScanner event = new JsonScanner(line, offset, end);
            if (!event.enterObject()) {
                throw new IOException("the event is not a JSON object");
            }
            while (event.nextField()) {
                if (event.isField("type")) {
                    type = event.text();
                } else if (event.isField("object")) {
                    int start = event.position();
                    event.skipValue();
                    object = line[start] == '{' ? new ObjectBytes(line, start, event.position()) : null;
                } else {
                    event.skipValue();
                }
            }
            if (type.isEmpty()) {
                throw new IOException("the event has no type");
            }
        }

        private ObjectBytes object() throws IOException {
            ObjectBytes bytes = object;
            if (bytes == null) {
                throw new IOException("the event has no object");
            }
            return bytes;
        }

        <T> @Nullable T decode(Decoder<T> decoder) throws IOException {
            return object().decode(json, decoder);
        }

        /** The identity of an unreadable object. */
        Unreadable unreadable(String reason) {
            ObjectBytes bytes = object;
            return bytes == null ? new Unreadable("", "", "", "", "", reason) : bytes.unreadable(reason);
        }

        /** The Status that the object of an ERROR event is. */
        Failure failure() throws IOException {
            Failure failure = object().decode(json, Event::readFailure);
            return failure == null ? new Failure(500, "") : failure;
        }

        private static Failure readFailure(JsonParser parser) throws IOException {
            int code = 500;
            String message = "";
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("code") && value == JsonToken.VALUE_NUMBER_INT) {
                    code = parser.getIntValue();
                } else if (field.equals("message") && value == JsonToken.VALUE_STRING) {
                    message = parser.getText();
                } else {
                    parser.skipChildren();
                }
            }
            return new Failure(code, message);
        }
    }

    /** The handler of watch events, which passes them on to the listener of the reflector. */
    static final class Delivery<T> {
        private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);
        private static final int GONE = 410;

        private final ReflectorState position;
        private final JsonFactory json;
        private final Decoder<T> decoder;
        private final Listener<T> listener;

        Delivery(ReflectorState position, JsonFactory json, Decoder<T> decoder, Listener<T> listener) {
            this.position = position;
            this.json = json;
            this.decoder = decoder;
            this.listener = listener;
        }

        /**
         * The current line of {@code lines}.
         *
         * @throws ApiIoException if this watch cannot continue; 410 if the server cannot continue from this version
         */
        void deliver(Lines lines) throws IOException {
            Event event = new Event(json, lines.buffer(), lines.offset(), lines.length());
            try {
                event.readHead();
            } catch (IOException e) {
                listener.onUnreadable(event.unreadable(ApiIoException.describe(e)));
                return;
            }
            String version = event.head().resourceVersion();
            switch (event.type()) {
                case "ADDED", "MODIFIED", "DELETED" -> deliver(event, lines.isTruncated());
                case "BOOKMARK" -> checkProgress(version);
                case "ERROR" -> throw errorEvent(event);
                default -> {
                    if (position.isFirstUnknownEvent()) {
                        LOG.warn(
                                "{}: watch events of unknown types are ignored, such as {}",
                                position.path(),
                                event.type());
                    }
                }
            }
            if (!version.isEmpty()) {
                position.reached(version);
            }
        }

        private void deliver(Event event, boolean cut) {
            T object;
            try {
                object = event.decode(decoder);
            } catch (IOException | RuntimeException e) {
                Unreadable unreadable = event.unreadable(cut ? "the object is too long" : ApiIoException.describe(e));
                if (event.type().equals("DELETED")) {
                    listener.onUnreadableDeleted(unreadable);
                } else {
                    listener.onUnreadable(unreadable);
                }
                return;
            }
            if (object == null) {
                return;
            }
            switch (event.type()) {
                case "ADDED" -> listener.onAdded(object);
                case "MODIFIED" -> listener.onModified(object);
                default -> listener.onDeleted(object);
            }
        }

        /** A bookmark has the current version of the server. If it is older than earlier ones, the history has been replaced. */
        private void checkProgress(String version) throws ApiIoException {
            if (position.isPast(version)) {
                throw new ApiIoException(
                        "watch " + position.path() + ": the resource version of the server decreased to " + version,
                        GONE);
            }
        }

        /** After any ERROR event, events may be missing: list again. */
        private ApiIoException errorEvent(Event event) throws IOException {
            position.listAgain();
            Event.Failure failure = event.failure();
            return new ApiIoException(
                    "watch " + position.path() + ": error event: " + failure.message(), failure.code());
        }
    }
}
