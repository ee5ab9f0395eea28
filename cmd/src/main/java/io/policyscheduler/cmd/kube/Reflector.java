package io.policyscheduler.cmd.kube;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a listener up to date with one resource: list, then watch from the list's resourceVersion, for ever, on one thread
 * of its own (client-go tools/cache Reflector). Lists again after 410 or an error event, watches again after everything
 * else.
 */
public final class Reflector<T> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final int NOT_FOUND = 404;
    private static final int GONE = 410;
    private static final int MIN_WATCH_SECONDS = 300;
    /** A watch that lived this long was healthy, even if it brought nothing. */
    private static final Duration HEALTHY_WATCH = Duration.ofSeconds(1);

    /** Between two looks whether the server has the resource by now. */
    private static final Duration ABSENT_PERIOD = Duration.ofSeconds(30);

    private final KubeConnection connection;
    private final ResourcePath paths;
    private final JsonFactory json;
    private final ObjectDecoder<T> decoder;
    private final ReflectorListener<T> listener;
    private final ReflectorOptions options;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final Sleeper sleeper;
    private final RetryPause pause;
    private final Backoff backoff;
    /** For watches that are answered and end at once: nothing is wrong with the server, so changes must not be missed for long. */
    private final Backoff shortWatches;

    private final VersionHigh versionHigh = new VersionHigh();

    private volatile boolean closed;
    private volatile @Nullable ApiStream current;
    /** Written by the reflector's thread only, after the listener has been told. */
    private volatile String resourceVersion = "";
    /** Since when an answer is missing; null while the server answers, or has not been asked. */
    private volatile @Nullable Instant unansweredSince;
    /** Written by the reflector's thread only. Empty while the server does not have the resource. */
    private volatile String resource;

    private @Nullable Thread thread;

    // Below: only touched by the reflector's thread.
    private boolean listed;
    /** The last request was cut short because the server is back: what failed since says nothing about it. */
    private boolean cutShort;
    /**
     * Where the next list may start: "" the latest, else not older than this. Never "0", any state that the server has at hand:
     * after a restart it could lack what the process before has done.
     */
    private String listFrom = "";

    private boolean connected;
    private boolean everConnected;
    private Instant watchStarted = Instant.MIN;

    /** How often in a row a watch was gone before it had brought anything. */
    private int goneInARow;
    /** Whether paging took longer than the server remembers, so that the next list is tried in one piece. */
    private boolean pagesExpired;

    /**
     * One that shares what it learns about the server with all others of the connection.
     *
     * @param resource URL path of the collection, such as /api/v1/pods
     * @param json with CANONICALIZE_FIELD_NAMES off
     * @param clock for durations
     */
    public Reflector(
            KubeConnection connection,
            String resource,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock) {
        this(
                connection,
                resource,
                ResourcePath.fixed(resource),
                json,
                decoder,
                listener,
                options,
                random,
                clock,
                Sleeper.REAL,
                connection.outage());
    }

    /**
     * One for a resource that the server may not have, or not any more at this path.
     *
     * @param resource URL path of the collection, empty when the server does not have it
     * @param paths asked again when the server does not know the path (404), and now and then while it does not have the resource
     */
    public Reflector(
            KubeConnection connection,
            String resource,
            ResourcePath paths,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock) {
        this(
                connection,
                resource,
                paths,
                json,
                decoder,
                listener,
                options,
                random,
                clock,
                Sleeper.REAL,
                connection.outage());
    }

    /** One that learns of the server for itself. */
    Reflector(
            KubeConnection connection,
            String resource,
            ResourcePath paths,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock,
            Sleeper sleeper) {
        this(
                connection,
                resource,
                paths,
                json,
                decoder,
                listener,
                options,
                random,
                clock,
                sleeper,
                RetryPause.of(sleeper));
    }

    private Reflector(
            KubeConnection connection,
            String resource,
            ResourcePath paths,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options,
            RandomGenerator random,
            InstantSource clock,
            Sleeper sleeper,
            RetryPause pause) {
        this.connection = connection;
        this.resource = resource;
        this.paths = paths;
        this.json = json;
        this.decoder = decoder;
        this.listener = listener;
        this.options = options;
        this.random = random;
        this.clock = clock;
        this.sleeper = sleeper;
        this.pause = pause;
        this.backoff = Backoff.forWatch(random);
        this.shortWatches = Backoff.forShortWatches(random);
    }

    /** Starts the thread; once only. */
    public synchronized void start(ThreadFactory threads) {
        if (thread != null || closed) {
            throw new IllegalStateException("the reflector of " + resource + " was already started or closed");
        }
        thread = threads.newThread(this::run);
        thread.start();
    }

    /** The version up to which the listener has been told everything; empty before the first list. Any thread. */
    public String resourceVersion() {
        return resourceVersion;
    }

    /** For how long the server has not answered; empty while it does, and when there is nothing to ask it for. Any thread. */
    public Optional<Duration> unansweredFor() {
        Instant since = unansweredSince;
        return since == null ? Optional.empty() : Optional.of(Duration.between(since, clock.instant()));
    }

    /** Ends the thread promptly, also in the middle of a request; a listener call under way is not waited for. */
    @Override
    public synchronized void close() {
        closed = true;
        ApiStream stream = current;
        if (stream != null) {
            stream.cancel();
        }
        if (thread != null) {
            thread.interrupt();
        }
    }

    private void run() {
        try {
            follow();
        } finally {
            if (connected) {
                pause.disconnected();
            }
        }
    }

    private void follow() {
        while (!closed) {
            try {
                if (resource.isEmpty()) {
                    awaitResource();
                }
                if (!listed) {
                    list();
                }
                if (!watch()) {
                    backOff(Optional.empty(), shortWatches);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (ApiIoException e) {
                if (e.code() != NOT_FOUND || listed || !findResource()) {
                    retry(ClientConfigLoader.describe(e), e.retryAfter());
                }
            } catch (IOException e) {
                retry(ClientConfigLoader.describe(e), Optional.empty());
            } catch (RuntimeException e) {
                // The listener's state is in doubt after it has thrown: give it the whole state again.
                LOG.error("{}: listener failed, listing again", resource, e);
                listed = false;
                retry(ClientConfigLoader.describe(e), Optional.empty());
            }
        }
    }

    /**
     * Looks where the server has a resource that it does not have where it was.
     *
     * @return false when nothing was found out, so that the old place has to be tried again
     */
    private boolean findResource() {
        String found;
        try {
            found = paths.find().orElse("");
        } catch (ApiIoException e) {
            LOG.debug("{}: {}", resource, e.getMessage());
            return false;
        }
        if (found.equals(resource)) {
            return false;
        }
        LOG.info(
                "the server has no {} any more{}", resource, found.isEmpty() ? "; none are assumed" : ", but " + found);
        moveTo(found);
        return true;
    }

    private void moveTo(String path) {
        resource = path;
        resourceVersion = "";
        listFrom = "";
        listed = false;
        if (path.isEmpty()) {
            if (connected) {
                // What this one hears says nothing about the server for now.
                connected = false;
                pause.disconnected();
            }
            listener.onReplaced(List.of(), "");
        }
    }

    /** Returns once the server has the resource. */
    private void awaitResource() throws InterruptedException {
        unansweredSince = null;
        while (true) {
            sleeper.sleep(ABSENT_PERIOD);
            try {
                String found = paths.find().orElse("");
                if (!found.isEmpty()) {
                    LOG.info("the server has {} now", found);
                    moveTo(found);
                    return;
                }
            } catch (ApiIoException e) {
                LOG.debug("looking for a resource that the server did not have: {}", e.getMessage());
            }
        }
    }

    private void retry(String why, Optional<Duration> told) {
        if (closed) {
            return;
        }
        unanswered();
        disconnected(why);
        try {
            backOff(told, backoff);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    private void backOff(Optional<Duration> told, Backoff delays) throws InterruptedException {
        if (cutShort) {
            cutShort = false;
            delays.reset();
            return;
        }
        if (pause.await(told.isPresent() ? told.get() : delays.next())) {
            delays.reset();
        }
    }

    private void list() throws IOException {
        List<T> items = new ArrayList<>();
        List<UnreadableObject> unreadable = new ArrayList<>();
        // With a resourceVersion of its own a limit would mean "exactly this version" to the server.
        // One whose end was too old for a watch to begin takes too long in pages, as does one whose pages have expired.
        boolean paged = (listFrom.isEmpty() || listFrom.equals("0")) && goneInARow < 2 && !pagesExpired;
        // If it takes too long in one piece, pages are tried again.
        boolean expiredBefore = pagesExpired;
        pagesExpired = false;
        String continueToken = "";
        String version = "";
        do {
            ListPage<T> page = new ListPage<>(json, decoder, unreadable::add);
            try {
                readPage(listPath(paged, continueToken), page, items);
            } catch (ApiIoException e) {
                boolean expired =
                        e.code() == GONE || String.valueOf(e.getMessage()).contains("resource version");
                if (e.code() == 0 || !expired) {
                    throw e;
                }
                // What the first page showed or later: servers have that in memory, and as a whole. The inconsistent
                // token that the answer offers would not do, for no watch could begin where such a list ends.
                listFrom = version;
                if (continueToken.isEmpty()) {
                    pagesExpired = expiredBefore;
                    throw e;
                }
                LOG.info("{}: the pages of the list have expired, listing in one piece", resource);
                pagesExpired = true;
                items.clear();
                unreadable.clear();
                paged = false;
                readPage(listPath(false, ""), page, items);
            }
            continueToken = page.continueToken();
            version = page.resourceVersion();
        } while (!continueToken.isEmpty());
        listFrom = version;
        versionHigh.listed(version);
        listener.onReplaced(List.copyOf(items), List.copyOf(unreadable), version);
        resourceVersion = version;
        listed = true;
    }

    private void readPage(String path, ListPage<T> page, List<T> items) throws IOException {
        try (ApiStream stream = opened(path)) {
            InputStream in = answered(stream);
            unansweredSince = null;
            page.read(in, items);
            connected();
        }
    }

    private InputStream answered(ApiStream stream) throws ApiIoException {
        RetryPause.Asking asking = pause.asking(stream::cancel);
        cutShort = false;
        try {
            return stream.open();
        } finally {
            cutShort = asking.end();
        }
    }

    private String listPath(boolean paged, String continueToken) {
        QueryPath query = new QueryPath(resource).add("fieldSelector", options.fieldSelector());
        if (continueToken.isEmpty()) {
            query.add("resourceVersion", listFrom);
        }
        return query.add("limit", paged ? Integer.toString(options.pageSize()) : "")
                .add("continue", continueToken)
                .toString();
    }

    /** Returns false when nothing is wrong, but the next request should wait. */
    private boolean watch() throws IOException, InterruptedException {
        waitForWatchSlot();
        boolean progress = false;
        try (ApiStream stream = opened(watchPath())) {
            WatchLines lines = new WatchLines(answered(stream));
            unansweredSince = null;
            connected();
            while (nextLine(lines, progress)) {
                if (closed) {
                    return true;
                }
                handle(new WatchEvent(json, lines.buffer(), lines.offset(), lines.length()));
                if (!progress) {
                    progress = true;
                    healthy();
                }
            }
            return progress || lived(HEALTHY_WATCH) || closed;
        } catch (ApiIoException e) {
            if (e.code() != GONE) {
                listed &= !isRefusedRequest(e.code());
                throw e;
            }
            listed = false;
            listFrom = "";
            LOG.info(
                    "{}: watching from {} is no longer possible, listing again: {}",
                    resource,
                    resourceVersion,
                    e.getMessage());
            // Only a server that is well says so, and what follows is a list; but one that says nothing else is left
            // alone.
            goneInARow = progress ? 0 : goneInARow + 1;
            return goneInARow <= 1;
        } finally {
            if (lived(HEALTHY_WATCH) && connected) {
                healthy();
            }
        }
    }

    private void healthy() {
        goneInARow = 0;
        backoff.reset();
        shortWatches.reset();
    }

    /** Breaks and silences of a watch that worked are its normal end; the next request will show whether the server is well. */
    private boolean nextLine(WatchLines lines, boolean progress) throws IOException {
        try {
            return lines.next();
        } catch (IOException e) {
            if (progress || e instanceof SocketTimeoutException || lived(HEALTHY_WATCH)) {
                LOG.debug("{}: watch ended: {}", resource, ClientConfigLoader.describe(e));
                return false;
            }
            throw e;
        }
    }

    /** Statuses that say the request itself is wrong, so that repeating it from the same version may never help. */
    private static boolean isRefusedRequest(int code) {
        return code == 400 || code == 404 || code == 405 || code == 422;
    }

    private void waitForWatchSlot() throws InterruptedException {
        if (!lived(options.minWatchInterval())) {
            sleeper.sleep(options.minWatchInterval());
        }
        watchStarted = clock.instant();
    }

    private boolean lived(Duration atLeast) {
        return !watchStarted.isAfter(clock.instant().minus(atLeast));
    }

    private String watchPath() {
        int seconds = MIN_WATCH_SECONDS + random.nextInt(MIN_WATCH_SECONDS + 1);
        return new QueryPath(resource)
                .add("watch", "true")
                .add("fieldSelector", options.fieldSelector())
                .add("resourceVersion", resourceVersion)
                .add("allowWatchBookmarks", "true")
                .add("timeoutSeconds", Integer.toString(seconds))
                .toString();
    }

    private void handle(WatchEvent event) throws IOException {
        try {
            event.readHead();
        } catch (IOException e) {
            listener.onUnreadable(event.unreadable(ClientConfigLoader.describe(e)));
            return;
        }
        switch (event.type()) {
            case "ADDED", "MODIFIED", "DELETED" -> deliver(event);
            case "BOOKMARK" -> checkProgress(event.head().resourceVersion());
            case "ERROR" -> throw errorEvent(event);
            default -> LOG.warn("{}: unknown watch event {} ignored", resource, event.type());
        }
        if (!event.head().resourceVersion().isEmpty()) {
            resourceVersion = event.head().resourceVersion();
            listFrom = resourceVersion;
            versionHigh.saw(resourceVersion);
        }
    }

    /** A bookmark tells where the server is. One that is behind what it has told before has another history now. */
    private void checkProgress(String version) throws ApiIoException {
        if (versionHigh.isAbove(version)) {
            throw new ApiIoException("watch " + resource + ": the server's versions went back to " + version, GONE);
        }
    }

    private void deliver(WatchEvent event) {
        T object;
        try {
            object = event.decode(decoder);
        } catch (IOException | RuntimeException e) {
            UnreadableObject unreadable = event.unreadable(ClientConfigLoader.describe(e));
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

    /** Whatever an ERROR event says, the watch missed something: list again. */
    private ApiIoException errorEvent(WatchEvent event) throws IOException {
        listed = false;
        WatchEvent.Failure failure = event.failure();
        return new ApiIoException("watch " + resource + ": error event: " + failure.message(), failure.code());
    }

    /** A stream that {@link #close()} can cancel. */
    private ApiStream opened(String path) throws ApiIoException {
        unanswered();
        ApiStream stream = connection.stream(path, options.idleTimeout());
        current = stream;
        if (closed) {
            stream.cancel();
        }
        return stream;
    }

    private void unanswered() {
        if (unansweredSince == null) {
            unansweredSince = clock.instant();
        }
    }

    private void connected() {
        if (!connected && !closed) {
            connected = true;
            everConnected = true;
            pause.connected();
            listener.onConnected();
        }
    }

    private void disconnected(String why) {
        if (connected || !everConnected) {
            everConnected = true;
            if (connected) {
                pause.disconnected();
            }
            connected = false;
            listener.onDisconnected(why);
        } else {
            LOG.debug("{}: {}", resource, why);
        }
    }
}
