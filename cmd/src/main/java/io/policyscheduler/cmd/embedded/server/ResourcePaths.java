package io.policyscheduler.cmd.embedded.server;

import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.request.ResourceRequest;
import java.util.List;
import java.util.Optional;

/** Reads {@code /api/v1/...} and {@code /apis/GROUP/VERSION/...} down to the subresource. */
final class ResourcePaths {
    private final ResourceCatalog catalog;

    ResourcePaths(ResourceCatalog catalog) {
        this.catalog = catalog;
    }

    /** What a path means; empty when it is not one of a served resource. */
    Optional<ResourceRequest> find(List<String> path) {
        String first = path.isEmpty() ? "" : path.get(0);
        int start = first.equals("api") ? 2 : first.equals("apis") ? 3 : path.size();
        List<String> rest = path.subList(Math.min(start, path.size()), path.size());
        if (rest.isEmpty()) {
            return Optional.empty();
        }
        String group = start == 2 ? "" : path.get(1);
        String version = path.get(start - 1);
        String namespace = "";
        // /namespaces/NAME and /namespaces/NAME/status mean the namespace itself.
        if (rest.get(0).equals("namespaces") && rest.size() > 2 && !rest.get(2).equals("status")) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        if (rest.size() > 3) {
            return Optional.empty();
        }
        String inNamespace = namespace;
        String name = rest.size() > 1 ? rest.get(1) : "";
        String subresource = rest.size() > 2 ? rest.get(2) : "";
        return catalog.find(group, version, rest.get(0))
                .filter(type -> inNamespace.isEmpty() ? !type.namespaced() || name.isEmpty() : type.namespaced())
                .map(served -> {
                    ResourceType stored = catalog.stored(served);
                    return new ResourceRequest(stored, served, version, inNamespace, name, subresource);
                });
    }
}
