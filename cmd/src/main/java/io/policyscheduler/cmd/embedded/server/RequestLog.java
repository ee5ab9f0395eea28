package io.policyscheduler.cmd.embedded.server;

import io.policyscheduler.cmd.embedded.access.AccessDecision;
import io.policyscheduler.cmd.embedded.access.ApiUser;
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
     * @param userAgent which program asked
     * @param user as whom
     * @param verb such as {@code list}
     * @param group API group, empty for the core group
     * @param resource plural name, with a slash and the subresource if any
     * @param namespace empty for all namespaces and for kinds outside namespaces
     * @param allowed whether they may
     * @param reason which binding allows it; empty where roles do not count
     */
    public record Entry(
            String userAgent,
            String user,
            String verb,
            String group,
            String resource,
            String namespace,
            boolean allowed,
            String reason) {}

    private final Set<Entry> entries = new ConcurrentSkipListSet<>(Comparator.comparing(Entry::userAgent)
            .thenComparing(Entry::user)
            .thenComparing(Entry::group)
            .thenComparing(Entry::resource)
            .thenComparing(Entry::verb)
            .thenComparing(Entry::namespace)
            .thenComparing(Entry::allowed)
            .thenComparing(Entry::reason));

    /** All kinds of requests so far. */
    public Set<Entry> entries() {
        return Set.copyOf(entries);
    }

    void add(String userAgent, ApiUser user, ApiRequest request, ResourceRequest target, AccessDecision decision) {
        String resource = target.served().plural() + (target.subresource().isEmpty() ? "" : "/" + target.subresource());
        entries.add(new Entry(
                userAgent,
                user.name(),
                verb(request, target),
                target.served().group(),
                resource,
                target.namespace(),
                decision.allowed(),
                decision.reason()));
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
