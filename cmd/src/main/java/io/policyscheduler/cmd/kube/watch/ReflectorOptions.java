package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.engine.reader.protobuf.MessageType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link Reflector} lists and watches.
 *
 * @param fieldSelector such as {@code status.phase!=Succeeded}, not URL-encoded; null for all objects
 * @param pageSize objects a list page
 * @param idleTimeout silence after which a watch is opened anew, so that a dead connection is left; costs a request for what does
 *     not change
 * @param minWatchInterval least time between the starts of two watches
 * @param protobuf how the objects are read where the server sends a large list in protobuf, which costs it and this program less;
 *     null if they are only to be had in JSON
 * @param behind whether a large first list may be one that the server has in memory and that may lag behind, for the watch to catch
 *     up with; {@link Reflector#isCurrent()} tells when it has
 */
public record ReflectorOptions(
        @Nullable String fieldSelector,
        int pageSize,
        Duration idleTimeout,
        Duration minWatchInterval,
        @Nullable MessageType protobuf,
        boolean behind) {

    public static ReflectorOptions defaults() {
        return new ReflectorOptions(null, 500, Duration.ofSeconds(40), Duration.ofMillis(100), null, false);
    }

    public ReflectorOptions withFieldSelector(@Nullable String selector) {
        return new ReflectorOptions(selector, pageSize, idleTimeout, minWatchInterval, protobuf, behind);
    }

    public ReflectorOptions withIdleTimeout(Duration timeout) {
        return new ReflectorOptions(fieldSelector, pageSize, timeout, minWatchInterval, protobuf, behind);
    }

    public ReflectorOptions withProtobuf(@Nullable MessageType objects) {
        return new ReflectorOptions(fieldSelector, pageSize, idleTimeout, minWatchInterval, objects, behind);
    }

    public ReflectorOptions withBehind(boolean mayLagBehind) {
        return new ReflectorOptions(fieldSelector, pageSize, idleTimeout, minWatchInterval, protobuf, mayLagBehind);
    }
}
