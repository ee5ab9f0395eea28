package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiStream;
import io.policyscheduler.engine.reader.protobuf.MalformedProtobufException;
import io.policyscheduler.engine.reader.protobuf.MessageType;
import io.policyscheduler.engine.reader.protobuf.ProtobufParser;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists a resource from what an API server holds in memory (its watch cache), in one piece and in protobuf: cheaper for both sides
 * than pages from its storage. Memory may lag behind, so that it has to have reached a version that storage has shown, unless the
 * listener waits for the watch to get there.
 */
final class MemoryListing<T> {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryListing.class);

    /**
     * From so many pages on memory is tried where that may take a while: in a server before v1.31 it reaches a version by the next change
     * of an object of the resource, if something else was written last; it waits 3 s for that, and then refuses.
     */
    private static final int FEW_PAGES = 4;
    /** The same where trying is free. */
    private static final int FEWEST_PAGES = 2;

    /** Whatever is in memory. */
    private static final String ANY = "0";

    /** What was listed. */
    record Listed<T>(List<T> items, List<UnreadableObject> unreadable, String version) {}

    private final ReflectorPosition position;
    private final ReflectorRequests requests;
    private final JsonFactory json;
    private final ObjectDecoder<T> decoder;
    private final ReflectorOptions options;
    private @Nullable ProtobufParser parser;

    MemoryListing(
            ReflectorPosition position,
            ReflectorRequests requests,
            JsonFactory json,
            ObjectDecoder<T> decoder,
            ReflectorOptions options) {
        this.position = position;
        this.requests = requests;
        this.json = json;
        this.decoder = decoder;
        this.options = options;
        MessageType objects = options.protobuf();
        this.parser = objects == null ? null : new ProtobufParser(objects);
    }

    /**
     * Asks storage for its version and how much it holds, so that no page is read of what may come from memory.
     *
     * @return the version where there is much; empty where there is little, or nobody says how much
     * @throws IOException when there is no answer
     */
    Optional<String> versionOfLarge() throws IOException {
        if (parser == null) {
            return Optional.empty();
        }
        ListPage<T> first = new ListPage<>(json, decoder, unheard -> {});
        // All of them, finished pods as well: of objects met by a selector servers do not tell how many remain.
        read(new QueryPath(position.path()).add("limit", "1").toString(), first, new ArrayList<>());
        boolean isLarge = first.remaining() >= (long) worthwhilePages() * options.pageSize();
        return isLarge ? Optional.of(first.resourceVersion()) : Optional.empty();
    }

    /** A list that has more pages than this is worth an attempt to have it from memory. */
    int worthwhilePages() {
        return mayBeBehind() ? FEWEST_PAGES : FEW_PAGES;
    }

    /**
     * Lists a state that is not older than a version; or any, if the listener knows to wait until the watch has reached it.
     *
     * @return empty where there is none to be had from memory, whatever the reason
     */
    Optional<Listed<T>> list(String version) {
        if (mayBeBehind() && VersionHigh.number(version) >= 0) {
            position.owes(version);
            return whole(ANY);
        }
        return parser == null ? Optional.empty() : whole(version);
    }

    /** Whether the next list may be older than what storage shows. */
    private boolean mayBeBehind() {
        return options.behind() && parser != null && position.resourceVersion().isEmpty();
    }

    private Optional<Listed<T>> whole(String version) {
        List<T> items = new ArrayList<>();
        List<UnreadableObject> unreadable = new ArrayList<>();
        ListPage<T> page = new ListPage<>(json, decoder, unreadable::add);
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
     * Reads a list or a page of one, in protobuf where objects and server know it.
     *
     * @throws IOException when there is none; after an answer in protobuf that cannot be read the next is in JSON
     */
    void read(String path, ListPage<T> page, List<T> items) throws IOException {
        ProtobufParser known = parser;
        try (ApiStream stream = known == null ? requests.stream(path) : requests.protobufStream(path)) {
            InputStream in = requests.answer(stream);
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
        return new QueryPath(position.path())
                .add("fieldSelector", options.fieldSelector())
                .add("resourceVersion", version)
                .toString();
    }
}
