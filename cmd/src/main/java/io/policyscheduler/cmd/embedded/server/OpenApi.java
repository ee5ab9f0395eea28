package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.request.ProtobufSchemas;
import java.util.List;
import java.util.Optional;

/**
 * As much of /openapi/v3 as kubectl reads: for each kind, a PATCH operation that knows the {@code fieldValidation} parameter, which
 * tells kubectl that the server does the validation, and its schema for {@code kubectl explain}.
 */
final class OpenApi {
    private final ServedApis discovery;

    OpenApi(ServedApis discovery) {
        this.discovery = discovery;
    }

    ObjectNode index() {
        ObjectNode index = Json.object();
        ObjectNode paths = index.putObject("paths");
        for (String path : discovery.groupVersionPaths()) {
            paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=0");
        }
        return index;
    }

    /** The document of the group and version at {@code api/v1} or {@code apis/GROUP/VERSION}. */
    Optional<ObjectNode> document(List<String> segments) {
        boolean core = segments.size() == 2 && segments.get(0).equals("api");
        boolean named = segments.size() == 3 && segments.get(0).equals("apis");
        if (!core && !named) {
            return Optional.empty();
        }
        String group = core ? "" : segments.get(1);
        String version = segments.get(segments.size() - 1);
        List<ResourceType> types = discovery.types(group, version);
        if (types.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode document = Json.object().put("openapi", "3.0.0");
        document.putObject("info").put("title", "Kubernetes").put("version", "embedded");
        ObjectNode paths = document.putObject("paths");
        ObjectNode schemas = Json.object();
        String prefix = "/" + String.join("/", segments);
        for (ResourceType type : types) {
            String scope = type.namespaced() ? "/namespaces/{namespace}/" : "/";
            ObjectNode operations = paths.putObject(prefix + scope + type.plural() + "/{name}");
            ObjectNode patch = operations.putObject("patch");
            patch.putArray("parameters")
                    .addObject()
                    .put("name", "fieldValidation")
                    .put("in", "query")
                    .putObject("schema")
                    .put("type", "string");
            patch.putObject("responses");
            ObjectNode kind = patch.putObject("x-kubernetes-group-version-kind")
                    .put("group", group)
                    .put("kind", type.kind())
                    .put("version", version);
            ObjectNode get = operations.putObject("get");
            get.putObject("responses");
            get.set("x-kubernetes-group-version-kind", kind);
            ProtobufSchemas.add(schemas, type, version);
        }
        document.putObject("components").set("schemas", schemas);
        return Optional.of(document);
    }
}
