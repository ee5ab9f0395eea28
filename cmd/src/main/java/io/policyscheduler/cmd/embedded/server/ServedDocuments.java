package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.request.Response;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the server tells of itself: version, health, groups and kinds, and their schemas. */
final class ServedDocuments {
    private static final Set<String> HEALTH = Set.of("healthz", "livez", "readyz");
    private static final List<String> OPENAPI_V2 = List.of("openapi", "v2");

    private final ServedApis discovery;
    private final OpenApi openApi;
    private final OpenApiV2 openApiV2;

    ServedDocuments(ServedApis discovery) {
        this.discovery = discovery;
        this.openApi = new OpenApi(discovery);
        this.openApiV2 = new OpenApiV2(openApi, discovery);
    }

    /**
     * The document at a path. Fails with NotFound.
     *
     * @param accept the Accept header
     * @param address of the server, as the client knows it
     */
    Response find(List<String> path, String accept, String address) {
        String first = path.isEmpty() ? "" : path.get(0);
        if (HEALTH.contains(first)) {
            return Response.ok(Json.object().textNode("ok"));
        }
        if (path.equals(OPENAPI_V2)) {
            boolean encoded = accept.contains(SwaggerProtobuf.ACCEPTED);
            return Response.ok(encoded ? BinaryNode.valueOf(openApiV2.encoded()) : openApiV2.document());
        }
        Optional<ObjectNode> found = switch (first) {
            case "version" -> Optional.of(discovery.version());
            case "api" ->
                switch (path.size()) {
                    case 1 -> Optional.of(discovery.coreVersions(address));
                    case 2 -> discovery.resources("", path.get(1));
                    default -> Optional.empty();
                };
            case "apis" ->
                switch (path.size()) {
                    case 1 -> Optional.of(discovery.groups());
                    case 2 -> discovery.group(path.get(1));
                    case 3 -> discovery.resources(path.get(1), path.get(2));
                    default -> Optional.empty();
                };
            case "openapi" -> newer(path);
            default -> Optional.empty();
        };
        return Response.ok(found.orElseThrow(StatusError::noSuchPath));
    }

    private Optional<ObjectNode> newer(List<String> path) {
        if (path.size() < 2 || !path.get(1).equals("v3")) {
            return Optional.empty();
        }
        return path.size() == 2 ? Optional.of(openApi.index()) : openApi.document(path.subList(2, path.size()));
    }
}
