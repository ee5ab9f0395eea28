package io.policyscheduler.cmd.kube.watch;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.Sleeper;
import io.policyscheduler.cmd.kube.connection.ApiStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches a reflector's resource, one watch after the other, and tells what the end of each says: nothing, or list again. */
final class ResourceWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceWatch.class);
    private static final int GONE = 410;
    private static final int MIN_WATCH_SECONDS = 300;
    /** A watch that lived this long was healthy, even if it brought nothing. */
    private static final Duration HEALTHY_WATCH = Duration.ofSeconds(1);

    private final ReflectorPosition position;
    private final ServerContact contact;
    private final ReflectorRequests requests;
    private final RetryDelays delays;
    private final WatchDelivery<?> delivery;
    private final ReflectorOptions options;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final Sleeper sleeper;
    private Instant started = Instant.MIN;

    ResourceWatch(
            ReflectorPosition position,
            ServerContact contact,
            ReflectorRequests requests,
            RetryDelays delays,
            WatchDelivery<?> delivery,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock,
            Sleeper sleeper) {
        this.position = position;
        this.contact = contact;
        this.requests = requests;
        this.delays = delays;
        this.delivery = delivery;
        this.options = options;
        this.random = random;
        this.clock = clock;
        this.sleeper = sleeper;
    }

    /** One watch, to its end. Returns false when nothing is wrong, but the next request should wait. */
    boolean watch() throws IOException, InterruptedException {
        awaitSlot();
        boolean progress = false;
        try (ApiStream stream = requests.stream(watchPath())) {
            WatchLines lines = new WatchLines(requests.answer(stream));
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
            if (isRefusedRequest(e.code())) {
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
        // Only a server that is well says so, and what follows is a list; but one that says nothing else is left alone.
        return position.goneInARow() <= 1;
    }

    private void healthy() {
        position.healthy();
        delays.healthy();
    }

    /** Breaks and silences of a watch that worked are its normal end; the next request will show whether the server is well. */
    private boolean nextLine(WatchLines lines, boolean progress) throws IOException {
        try {
            return lines.next();
        } catch (IOException e) {
            if (progress || e instanceof SocketTimeoutException || lived(HEALTHY_WATCH)) {
                LOG.debug("{}: watch ended: {}", position.path(), ApiIoException.describe(e));
                return false;
            }
            throw e;
        }
    }

    /** Statuses that say the request itself is wrong, so that repeating it from the same version may never help. */
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
        return new QueryPath(position.path())
                .add("watch", "true")
                .add("fieldSelector", options.fieldSelector())
                .add("resourceVersion", position.resourceVersion())
                .add("allowWatchBookmarks", "true")
                .add("timeoutSeconds", Integer.toString(seconds))
                .toString();
    }
}
