package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a reflector's listener what a line of a watch says. */
final class WatchDelivery<T> {
    private static final Logger LOG = LoggerFactory.getLogger(WatchDelivery.class);
    private static final int GONE = 410;

    private final ReflectorPosition position;
    private final JsonFactory json;
    private final ObjectDecoder<T> decoder;
    private final ReflectorListener<T> listener;

    WatchDelivery(
            ReflectorPosition position, JsonFactory json, ObjectDecoder<T> decoder, ReflectorListener<T> listener) {
        this.position = position;
        this.json = json;
        this.decoder = decoder;
        this.listener = listener;
    }

    /**
     * The line that {@code lines} is at.
     *
     * @throws ApiIoException when no more can be expected of this watch; 410 when the server cannot go on from here
     */
    void deliver(WatchLines lines) throws IOException {
        WatchLineEvent event = new WatchLineEvent(json, lines.buffer(), lines.offset(), lines.length());
        try {
            event.readHead();
        } catch (IOException e) {
            listener.onUnreadable(event.unreadable(ApiIoException.describe(e)));
            return;
        }
        String version = event.head().resourceVersion();
        switch (event.type()) {
            case "ADDED", "MODIFIED", "DELETED" -> deliver(event);
            case "BOOKMARK" -> checkProgress(version);
            case "ERROR" -> throw errorEvent(event);
            default -> LOG.warn("{}: unknown watch event {} ignored", position.path(), event.type());
        }
        if (!version.isEmpty()) {
            position.reached(version);
        }
    }

    private void deliver(WatchLineEvent event) {
        T object;
        try {
            object = event.decode(decoder);
        } catch (IOException | RuntimeException e) {
            UnreadableObject unreadable = event.unreadable(ApiIoException.describe(e));
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

    /** A bookmark tells where the server is. One that is behind what it has told before has another history now. */
    private void checkProgress(String version) throws ApiIoException {
        if (position.isPast(version)) {
            throw new ApiIoException(
                    "watch " + position.path() + ": the resource version of the server decreased to " + version, GONE);
        }
    }

    /** Whatever an ERROR event says, the watch missed something: list again. */
    private ApiIoException errorEvent(WatchLineEvent event) throws IOException {
        position.listAgain();
        WatchLineEvent.Failure failure = event.failure();
        return new ApiIoException("watch " + position.path() + ": error event: " + failure.message(), failure.code());
    }
}
