package io.policyscheduler.cmd.embedded.server;

import io.policyscheduler.cmd.embedded.request.ApiRequest;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** Which kinds of requests for resources the API server was sent, each once, whatever became of them. Thread-safe. */
public final class RequestLog {
    /**
     * A kind of request, in the words of RBAC.
     *
     * @param userAgent who asked
     * @param verb such as {@code list}
     * @param group API group, empty for the core group
     * @param resource plural name, with a slash and the subresource if any
     * @param namespace empty for all namespaces and for kinds outside namespaces
     */
    public record Entry(String userAgent, String verb, String group, String resource, String namespace) {}

    private final Set<Entry> entries = new ConcurrentSkipListSet<>(Comparator.comparing(Entry::userAgent)
            .thenComparing(Entry::group)
            .thenComparing(Entry::resource)
            .thenComparing(Entry::verb)
            .thenComparing(Entry::namespace));

    /** All kinds of requests so far. */
    public Set<Entry> entries() {
        return Set.copyOf(entries);
    }

    void add(String userAgent, ApiRequest request, ResourceRequest target) {
        String resource = target.served().plural() + (target.subresource().isEmpty() ? "" : "/" + target.subresource());
        entries.add(new Entry(userAgent, verb(request, target), target.served().group(), resource, target.namespace()));
    }

    private static String verb(ApiRequest request, ResourceRequest target) {
        boolean one = !target.name().isEmpty();
        return switch (request.method()) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> one ? "delete" : "deletecollection";
            default -> one ? "get" : request.flag("watch") ? "watch" : "list";
        };
    }
}
