package io.policyscheduler.cmd.embedded.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The documents that describe the server to clients: version, health, API groups, resource lists, and their schemas. */
final class Discovery {
    private static final List<String> SERVED = List.of("api", "apis", "openapi", "version");
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
    private static final List<String> STATUS_VERBS = List.of("get", "patch", "update");

    private static final Set<String> HEALTH = Set.of("healthz", "livez", "readyz");
    private static final List<String> OPENAPI_V2 = List.of("openapi", "v2");

    private final ResourceCatalog catalog;
    private final OpenApi openApi;

    Discovery(ResourceCatalog catalog) {
        this.catalog = catalog;
        this.openApi = new OpenApi(this);
    }

    /**
     * The document at a path. Fails with NotFound.
     *
     * @param accept the Accept header
     * @param address of the server, as seen by the client
     */
    Response find(List<String> path, String accept, String address) {
        String first = path.isEmpty() ? "" : path.get(0);
        if (HEALTH.contains(first)) {
            return Response.ok(Json.object().textNode("ok"));
        }
        if (first.equals("metrics")) {
            return Response.ok(Json.object().textNode(featureMetrics()));
        }
        if (!SERVED.contains(first)) {
            // The API server responds with what it serves.
            ObjectNode served = Json.object();
            SERVED.forEach(name -> Json.list(served, "paths").add("/" + name));
            return new Response(404, served);
        }
        if (path.equals(OPENAPI_V2)) {
            boolean encoded = accept.contains(OpenApi.PROTOBUF);
            return Response.ok(encoded ? BinaryNode.valueOf(openApi.encodedV2()) : openApi.v2());
        }
        Optional<ObjectNode> found = switch (first) {
            case "version" -> Optional.of(version());
            case "api" ->
                switch (path.size()) {
                    case 1 -> Optional.of(coreVersions(address));
                    case 2 -> resources("", path.get(1));
                    default -> Optional.empty();
                };
            case "apis" ->
                switch (path.size()) {
                    case 1 -> Optional.of(groups());
                    case 2 -> group(path.get(1));
                    case 3 -> resources(path.get(1), path.get(2));
                    default -> Optional.empty();
                };
            case "openapi" -> newer(path);
            default -> Optional.empty();
        };
        return Response.ok(found.orElseThrow(StatusError::pathNotFound));
    }

    /** The feature gates of the fields that this server stores, as in the metrics of kube-apiserver since 1.26. */
    private String featureMetrics() {
        StringBuilder text = new StringBuilder();
        FeatureGates gates = FeatureGates.defaults().at(catalog.release());
        for (NewerField field : NewerField.values()) {
            text.append("kubernetes_feature_enabled{name=\"")
                    .append(field.featureGate())
                    .append("\",stage=\"\"} ")
                    .append(gates.honours(field) ? 1 : 0)
                    .append('\n');
        }
        return text.toString();
    }

    private Optional<ObjectNode> newer(List<String> path) {
        if (path.size() < 2 || !path.get(1).equals("v3")) {
            return Optional.empty();
        }
        return path.size() == 2 ? Optional.of(openApi.index()) : openApi.document(path.subList(2, path.size()));
    }

    ObjectNode version() {
        return Json.object()
                .put("major", "1")
                .put("minor", Integer.toString(catalog.release().minor()))
                .put("gitVersion", catalog.gitVersion())
                .put("gitCommit", "")
                .put("gitTreeState", "clean")
                .put("buildDate", "1970-01-01T00:00:00Z")
                .put("goVersion", "")
                .put("compiler", "")
                .put("platform", "embedded");
    }

    ObjectNode coreVersions(String serverAddress) {
        ObjectNode versions = Json.object().put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        versions.putArray("serverAddressByClientCIDRs")
                .addObject()
                .put("clientCIDR", "0.0.0.0/0")
                .put("serverAddress", serverAddress);
        return versions;
    }

    ObjectNode groups() {
        ObjectNode list = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = list.putArray("groups");
        groupNames().forEach(name -> groups.add(describe(name)));
        return list;
    }

    Optional<ObjectNode> group(String name) {
        if (!groupNames().contains(name)) {
            return Optional.empty();
        }
        ObjectNode group = Json.object().put("kind", "APIGroup").put("apiVersion", "v1");
        group.setAll(describe(name));
        return Optional.of(group);
    }

    private ObjectNode describe(String name) {
        ObjectNode group = Json.object().put("name", name);
        ArrayNode versions = group.putArray("versions");
        List<String> served = versions(name);
        served.forEach(
                v -> versions.addObject().put("groupVersion", name + "/" + v).put("version", v));
        group.putObject("preferredVersion")
                .put("groupVersion", name + "/" + served.get(0))
                .put("version", served.get(0));
        return group;
    }

    /** Every served group and version as {@code api/v1}, {@code apis/apps/v1}. */
    List<String> groupVersionPaths() {
        List<String> paths = new ArrayList<>(List.of("api/v1"));
        for (String group : groupNames()) {
            versions(group).forEach(version -> paths.add("apis/" + group + "/" + version));
        }
        return paths;
    }

    private Set<String> groupNames() {
        Set<String> names = new LinkedHashSet<>();
        catalog.types().forEach(t -> names.add(t.group()));
        names.remove("");
        return names;
    }

    private List<String> versions(String group) {
        Set<String> versions = new LinkedHashSet<>();
        catalog.types().stream().filter(t -> t.group().equals(group)).forEach(t -> versions.addAll(t.versions()));
        return versions.stream().sorted().toList();
    }

    /** The kinds of one group and version; empty if it is not served. */
    List<ResourceType> types(String group, String version) {
        return catalog.types().stream()
                .filter(t -> t.group().equals(group) && t.versions().contains(version))
                .toList();
    }

    Optional<ObjectNode> resources(String group, String version) {
        List<ResourceType> types = types(group, version);
        if (types.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode list = Json.object()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", group.isEmpty() ? version : group + "/" + version);
        ArrayNode resources = list.putArray("resources");
        for (ResourceType type : types) {
            ObjectNode resource = resource(resources, type.plural(), type.namespaced(), type.kind(), VERBS);
            resource.put("singularName", type.singular());
            if (!type.shortNames().isEmpty()) {
                ArrayNode names = resource.putArray("shortNames");
                type.shortNames().forEach(names::add);
            }
            if (type.isInCategoryAll()) {
                resource.putArray("categories").add("all");
            }
            if (type.isPod()) {
                resource(resources, "pods/binding", true, "Binding", List.of("create"));
                resource(resources, "pods/eviction", true, "Eviction", List.of("create"))
                        .put("group", "policy")
                        .put(
                                "version",
                                catalog.named("poddisruptionbudgets.policy")
                                        .versions()
                                        .get(0));
            }
            if (type.hasScale()) {
                resource(resources, type.plural() + "/scale", true, "Scale", STATUS_VERBS)
                        .put("group", "autoscaling")
                        .put("version", "v1");
            }
            if (type.hasStatus()) {
                resource(resources, type.plural() + "/status", type.namespaced(), type.kind(), STATUS_VERBS);
            }
        }
        if (group.isEmpty()) {
            resource(resources, "bindings", true, "Binding", List.of("create"));
        }
        return Optional.of(list);
    }

    private static ObjectNode resource(
            ArrayNode resources, String name, boolean namespaced, String kind, List<String> verbs) {
        ObjectNode resource = resources
                .addObject()
                .put("name", name)
                .put("singularName", "")
                .put("namespaced", namespaced)
                .put("kind", kind);
        ArrayNode array = resource.putArray("verbs");
        verbs.forEach(array::add);
        return resource;
    }
}
