package io.policyscheduler.cmd.kube.watch;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiStream;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Lists a collection once, in pages. */
public final class ResourceLister {
    private static final int GONE = 410;

    private final KubeConnection connection;
    private final JsonFactory json;
    private final BiConsumer<String, String> malformed;

    /**
     * @param json with CANONICALIZE_FIELD_NAMES off
     * @param malformed is told the name and the reason of each object that cannot be read and is left out
     */
    public ResourceLister(KubeConnection connection, JsonFactory json, BiConsumer<String, String> malformed) {
        this.connection = connection;
        this.json = json;
        this.malformed = malformed;
    }

    /**
     * The latest state of a collection.
     *
     * @param path of the collection, such as /api/v1/pods
     * @param fieldSelector which objects are wanted; null for all
     * @throws IOException when the server does not answer, or not with a list
     */
    public <T> List<T> list(String path, @Nullable String fieldSelector, ObjectDecoder<T> decoder) throws IOException {
        List<T> items = new ArrayList<>();
        String next = "";
        do {
            try {
                next = page(query(path, fieldSelector).add("limit", pageSize()).add("continue", next), decoder, items);
            } catch (ApiIoException e) {
                if (e.code() != GONE || next.isEmpty()) {
                    throw e;
                }
                // Paging took longer than the server remembers: all in one piece.
                items.clear();
                next = page(query(path, fieldSelector), decoder, items);
            }
        } while (!next.isEmpty());
        return items;
    }

    private static QueryPath query(String path, @Nullable String fieldSelector) {
        return new QueryPath(path).add("fieldSelector", fieldSelector);
    }

    private static String pageSize() {
        return Integer.toString(ReflectorOptions.defaults().pageSize());
    }

    private <T> String page(QueryPath query, ObjectDecoder<T> decoder, List<T> items) throws IOException {
        ListPage<T> page = new ListPage<>(json, decoder, object -> malformed.accept(object.key(), object.reason()));
        try (ApiStream stream =
                connection.stream(query.toString(), ReflectorOptions.defaults().idleTimeout())) {
            page.read(stream.open(), items);
        }
        return page.continueToken();
    }
}
