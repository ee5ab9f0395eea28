package io.policyscheduler.cmd.snapshot;

import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An API resource that the scheduler lists and watches.
 *
 * @param kind kind of the objects
 * @param fieldSelector selects objects; null for all
 */
public record WatchedResource(ResourceKind kind, @Nullable String fieldSelector) {
    private static final String UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed";

    /** All resources that an algorithm or the queue reads. */
    public static List<WatchedResource> all() {
        return Arrays.stream(ResourceKind.values()).map(WatchedResource::of).toList();
    }

    /** The resource of a kind. */
    public static WatchedResource of(ResourceKind kind) {
        return new WatchedResource(kind, kind == ResourceKind.PODS ? UNFINISHED : null);
    }

    /** {@code kind} of its objects. */
    public String objectKind() {
        return kind.objectKind();
    }

    /** API group, empty for the core group. */
    public String group() {
        return kind.group();
    }

    /** Plural name in the path. */
    public String resource() {
        return kind.plural();
    }

    /** Whether all Kubernetes servers have it. */
    private boolean isEverywhere() {
        return group().isEmpty() || group().equals("apps");
    }

    /**
     * The URL path of the collection.
     *
     * @return empty if the server does not have it
     * @throws ApiIoException if the server does not respond, or denies what every server has
     */
    public Optional<String> path(ApiDiscovery discovery) throws ApiIoException {
        Optional<String> path = discovery.path(kind.group(), kind.plural(), kind.versions());
        if (path.isEmpty() && isEverywhere()) {
            throw new ApiIoException("the API server does not serve " + resource(), 0);
        }
        return path;
    }
}
