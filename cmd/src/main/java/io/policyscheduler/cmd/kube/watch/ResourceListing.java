package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists a reflector's resource, in pages or in one piece, and tells the listener the whole state. */
final class ResourceListing<T> {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceListing.class);
    private static final int GONE = 410;

    /** Pages of the usual size. */
    private static final int USUAL_PAGES = 4;
    /** How much larger the pages are that follow. */
    private static final int LARGER = 10;

    private final ReflectorPosition position;
    private final ReflectorRequests requests;
    private final JsonFactory json;
    private final ObjectDecoder<T> decoder;
    private final ReflectorListener<T> listener;
    private final ReflectorOptions options;
    private final MemoryListing<T> memory;
    /** Whether paging took longer than the server remembers, so that the next list is tried in one piece. */
    private boolean pagesExpired;

    ResourceListing(
            ReflectorPosition position,
            ReflectorRequests requests,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorListener<T> listener,
            ReflectorOptions options) {
        this.position = position;
        this.requests = requests;
        this.json = json;
        this.decoder = decoder;
        this.listener = listener;
        this.options = options;
        this.memory = new MemoryListing<>(position, requests, json, decoder, options);
    }

    void list() throws IOException {
        boolean paged = isPaged();
        boolean memoryMayDo = paged && position.trustsMemory();
        Optional<String> large = memoryMayDo ? memory.versionOfLarge() : Optional.empty();
        // Memory is tried once only.
        MemoryListing.Listed<T> whole = large.flatMap(memory::list).orElse(null);
        MemoryListing.Listed<T> listed = whole == null ? pages(paged, memoryMayDo && large.isEmpty()) : whole;
        position.arrived(listed.version());
        listener.onReplaced(List.copyOf(listed.items()), List.copyOf(listed.unreadable()), listed.version());
        position.listed(listed.version());
    }

    /**
     * In pages, or in one piece where they take too long.
     *
     * @param memoryMayDo whether memory is tried where the server turns out to have many pages
     */
    private MemoryListing.Listed<T> pages(boolean wanted, boolean memoryMayDo) throws IOException {
        boolean paged = wanted;
        List<T> items = new ArrayList<>();
        List<UnreadableObject> unreadable = new ArrayList<>();
        // If it takes too long in one piece, pages are tried again.
        boolean expiredBefore = pagesExpired;
        pagesExpired = false;
        String continueToken = "";
        String version = "";
        int pages = 0;
        do {
            ListPage<T> page = new ListPage<>(json, decoder, unreadable::add);
            try {
                memory.read(listPath(paged, continueToken, pages), page, items);
            } catch (ApiIoException e) {
                boolean expired =
                        e.code() == GONE || String.valueOf(e.getMessage()).contains("resource version");
                if (e.code() == 0 || !expired) {
                    throw e;
                }
                // What the first page showed or later: servers have that in memory, and as a whole. The inconsistent
                // token that the answer offers would not do, for no watch could begin where such a list ends.
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
                memory.read(listPath(false, "", pages), page, items);
            }
            continueToken = page.continueToken();
            version = page.resourceVersion();
            pages++;
            if (memoryMayDo && pages == memory.worthwhilePages() && !continueToken.isEmpty()) {
                MemoryListing.Listed<T> whole = memory.list(version).orElse(null);
                if (whole != null) {
                    return whole;
                }
            }
        } while (!continueToken.isEmpty());
        return new MemoryListing.Listed<>(items, unreadable, version);
    }

    /**
     * With a resourceVersion of its own a limit would mean "exactly this version" to the server. A list whose end was too old for a
     * watch to begin takes too long in pages, as does one whose pages have expired.
     */
    private boolean isPaged() {
        String from = position.listFrom();
        return (from.isEmpty() || from.equals("0")) && position.goneInARow() < 2 && !pagesExpired;
    }

    private String listPath(boolean paged, String continueToken, int pages) {
        int size = pages < USUAL_PAGES ? options.pageSize() : options.pageSize() * LARGER;
        QueryPath query = new QueryPath(position.path()).add("fieldSelector", options.fieldSelector());
        if (continueToken.isEmpty()) {
            query.add("resourceVersion", position.listFrom());
        }
        return query.add("limit", paged ? Integer.toString(size) : "")
                .add("continue", continueToken)
                .toString();
    }
}
