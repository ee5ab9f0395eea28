package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.google.common.base.Ascii;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse.Stream;
import io.policyscheduler.cmd.kube.watch.ListLimits.Heap;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.cmd.kube.watch.Reflector.Listener;
import io.policyscheduler.cmd.kube.watch.Reflector.Options;
import io.policyscheduler.cmd.kube.watch.ReflectorState.HighestVersion;
import io.policyscheduler.engine.reader.MessageType;
import io.policyscheduler.engine.reader.ProtobufParser;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists a reflector's resource, with or without pages, and passes the state to the listener. */
public final class ReflectorList<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ReflectorList.class);
    private static final int GONE = 410;

    /** Number of pages with the configured size. */
    private static final int USUAL_PAGES = 4;
    /** Factor for the size of later pages. */
    private static final int LARGER = 10;

    private final ReflectorState position;
    private final JsonFactory json;
    private final Decoder<T> decoder;
    private final Listener<T> listener;
    private final Options options;
    private final WatchCacheListing<T> watchCache;
    /** Whether the continue token has expired, so that the next list has no pages. */
    private boolean pagesExpired;

    ReflectorList(
            ReflectorState position,
            ReflectorRequests requests,
            JsonFactory json,
            Decoder<T> decoder,
            Listener<T> listener,
            Options options,
            Heap heap,
            InstantSource clock) {
        this.position = position;
        this.json = json;
        this.decoder = decoder;
        this.listener = listener;
        this.options = options;
        this.watchCache = new WatchCacheListing<>(position, requests, json, decoder, options, heap, clock);
    }

    void list() throws IOException {
        watchCache.start();
        boolean paged = isPaged();
        boolean tryWatchCache = paged && position.mayUseWatchCache();
        Optional<String> large = tryWatchCache ? watchCache.versionIfLarge() : Optional.empty();
        // The watch cache is tried only once.
        WatchCacheListing.Listed<T> whole = large.flatMap(watchCache::list).orElse(null);
        WatchCacheListing.Listed<T> listed = whole == null ? pages(paged, tryWatchCache && large.isEmpty()) : whole;
        position.arrived(listed.version());
        listener.onReplaced(List.copyOf(listed.items()), List.copyOf(listed.unreadable()), listed.version());
        position.listed(listed.version());
    }

    /**
     * Lists with pages, or without pages if they take too long.
     *
     * @param tryWatchCache whether to use the watch cache if the resource has many pages
     */
    private WatchCacheListing.Listed<T> pages(boolean startPaged, boolean tryWatchCache) throws IOException {
        boolean paged = startPaged;
        List<T> items = new ArrayList<>();
        List<Unreadable> unreadable = new ArrayList<>();
        // If a list without pages takes too long, pages are tried again.
        boolean expiredBefore = pagesExpired;
        pagesExpired = false;
        String continueToken = "";
        String version = "";
        int pages = 0;
        do {
            ListPage<T> page = watchCache.page(unreadable::add);
            String token = continueToken;
            try {
                watchCache.read(listPath(paged, continueToken, pages), page, items);
            } catch (ApiIoException e) {
                if (!rejectsVersion(e)) {
                    throw e;
                }
                // The version of the first page or later: the watch cache has it, and as a whole. The inconsistent
                // continue token
                // of the response is not usable, because no watch can start at the end of such a list.
                position.shown(version);
                if (continueToken.isEmpty()) {
                    pagesExpired = expiredBefore;
                    throw e;
                }
                LOG.info("{}: the continue token of the list has expired, listing without pages", position.path());
                pagesExpired = true;
                items.clear();
                unreadable.clear();
                paged = false;
                watchCache.read(listPath(false, "", pages), page, items);
            }
            watchCache.limits.endPage(token, page.continueToken(), page.objects());
            continueToken = page.continueToken();
            version = page.resourceVersion();
            pages++;
            if (tryWatchCache && pages == watchCache.minPages() && !continueToken.isEmpty()) {
                WatchCacheListing.Listed<T> whole = watchCache.list(version).orElse(null);
                if (whole != null) {
                    return whole;
                }
            }
        } while (!continueToken.isEmpty());
        return new WatchCacheListing.Listed<>(items, unreadable, version);
    }

    /**
     * Whether the server cannot list or watch from a version: it is too old or too new, or no version of this server. The same
     * request will fail again.
     */
    static boolean rejectsVersion(ApiIoException e) {
        String message = Ascii.toLowerCase(String.valueOf(e.getMessage()));
        return e.code() == GONE
                || (e.code() != 0 && (message.contains("resource version") || message.contains("resourceversion")));
    }

    /**
     * With a resourceVersion, a limit means "exactly this version". A list that was too old for a watch would take too long in
     * pages, like one whose continue token expired.
     */
    private boolean isPaged() {
        String from = position.listFrom();
        return (from.isEmpty() || from.equals("0")) && position.consecutiveGone() < 2 && !pagesExpired;
    }

    private String listPath(boolean paged, String continueToken, int pages) {
        int size = pages < USUAL_PAGES ? options.pageSize() : options.pageSize() * LARGER;
        Query query = new Query(position.path()).add("fieldSelector", options.fieldSelector());
        if (continueToken.isEmpty()) {
            query.add("resourceVersion", position.listFrom());
        }
        return query.add("limit", paged ? Integer.toString(size) : "")
                .add("continue", continueToken)
                .toString();
    }

    /**
     * Lists a resource from the watch cache of an API server, without pages and in protobuf, which is cheaper for both sides than
     * pages from etcd. The watch cache can be stale, so that it must have reached a version that etcd returned, unless the
     * listener waits for the watch.
     */
    static final class WatchCacheListing<T> {
        private static final Logger LOG = LoggerFactory.getLogger(WatchCacheListing.class);

        /**
         * From this number of pages on, the watch cache is used even if that takes a while: before v1.31, it reaches a version
         * only with the next change of an object of the resource, if another resource was written last; the server waits 3 s and
         * then returns an error.
         */
        private static final int FEW_PAGES = 4;
        /** The same where trying is free. */
        private static final int FEWEST_PAGES = 2;

        /** Any version of the watch cache. */
        private static final String ANY = "0";

        /** The result of a list. */
        record Listed<T>(List<T> items, List<Unreadable> unreadable, String version) {}

        private final ReflectorState position;
        private final ReflectorRequests requests;
        private final JsonFactory json;
        private final Decoder<T> decoder;
        private final Options options;
        private final Heap heap;
        private final InstantSource clock;
        private @Nullable ProtobufParser parser;
        private ListLimits limits;

        WatchCacheListing(
                ReflectorState position,
                ReflectorRequests requests,
                JsonFactory json,
                Decoder<T> decoder,
                Options options,
                Heap heap,
                InstantSource clock) {
            this.position = position;
            this.requests = requests;
            this.json = json;
            this.decoder = decoder;
            this.options = options;
            this.heap = heap;
            this.clock = clock;
            this.limits = new ListLimits(heap, clock);
            MessageType objects = options.protobuf();
            this.parser = objects == null ? null : new ProtobufParser(objects);
        }

        /** Starts a list, for which the limits apply. */
        void start() {
            limits = new ListLimits(heap, clock);
        }

        ListPage<T> page(Consumer<Unreadable> unreadable) {
            return new ListPage<>(json, decoder, unreadable, limits.longestObject());
        }

        /**
         * Reads the version and the number of objects from etcd, to skip pages that the watch cache can provide.
         *
         * @return the version if there are many objects; empty if there are few, or if the number is unknown
         * @throws IOException if the server does not respond
         */
        Optional<String> versionIfLarge() throws IOException {
            if (parser == null) {
                return Optional.empty();
            }
            ListPage<T> first = page(ignored -> {});
            // All objects, including finished pods: servers do not report the remaining number for selectors.
            read(new Query(position.path()).add("limit", "1").toString(), first, new ArrayList<>());
            boolean isLarge = first.remaining() >= (long) minPages() * options.pageSize();
            return isLarge ? Optional.of(first.resourceVersion()) : Optional.empty();
        }

        /** Minimum number of pages for an attempt to use the watch cache. */
        int minPages() {
            return mayBeStale() ? FEWEST_PAGES : FEW_PAGES;
        }

        /**
         * Lists a state that is not older than a version; or any state, if the listener waits until the watch has reached the
         * version.
         *
         * @return empty if the watch cache does not provide one
         */
        Optional<Listed<T>> list(String version) {
            if (mayBeStale() && HighestVersion.number(version) >= 0) {
                position.requireVersion(version);
                return whole(ANY);
            }
            return parser == null ? Optional.empty() : whole(version);
        }

        /** Whether the next list may be older than etcd. */
        private boolean mayBeStale() {
            return options.behind()
                    && parser != null
                    && position.resourceVersion().isEmpty();
        }

        private Optional<Listed<T>> whole(String version) {
            List<T> items = new ArrayList<>();
            List<Unreadable> unreadable = new ArrayList<>();
            ListPage<T> page = page(unreadable::add);
            try {
                read(path(version), page, items);
            } catch (IOException e) {
                LOG.info(
                        "{}: listing from the watch cache failed, listing in pages: {}",
                        position.path(),
                        ApiIoException.describe(e));
                return Optional.empty();
            }
            return page.continueToken().isEmpty()
                    ? Optional.of(new Listed<>(items, unreadable, page.resourceVersion()))
                    : Optional.empty();
        }

        /**
         * Reads a list or a page, in protobuf if objects and server support it.
         *
         * @throws IOException if there is none; after an invalid protobuf response, the next request uses JSON
         */
        void read(String path, ListPage<T> page, List<T> items) throws IOException {
            ProtobufParser known = parser;
            try (Stream stream = known == null ? requests.stream(path) : requests.protobufStream(path)) {
                InputStream in = limits.limit(requests.answer(stream));
                if (known != null && stream.isProtobuf()) {
                    page.readProtobuf(in, known, items);
                } else {
                    page.read(in, items);
                }
                requests.succeeded();
            } catch (MalformedProtobufException e) {
                LOG.info("{}: {}; using JSON from now on", position.path(), e.getMessage());
                parser = null;
                throw e;
            }
        }

        private String path(String version) {
            return new Query(position.path())
                    .add("fieldSelector", options.fieldSelector())
                    .add("resourceVersion", version)
                    .toString();
        }
    }

    /** Builds a path with a query; empty and null values are omitted. */
    public static final class Query {
        private final StringBuilder text;
        private char separator = '?';

        /** A path without parameters. */
        public Query(String path) {
            text = new StringBuilder(path);
        }

        /** Adds a parameter unless it is null or empty. */
        public Query add(String name, @Nullable String value) {
            if (value != null && !value.isEmpty()) {
                text.append(separator).append(name).append('=');
                text.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
                separator = '&';
            }
            return this;
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }
}
