package io.policyscheduler.cmd.kube.connection;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The groups, versions, and resources of an API server. Groups and versions are read once, the resources of a version on first use. Not
 * thread-safe.
 */
public final class ApiDiscovery {
    private static final Pattern FEATURE =
            Pattern.compile("(?m)^kubernetes_feature_enabled\\{.*?name=\"([^\"]+)\".*?\\}\\s+(\\S+)");
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;

    private final KubeConnection connection;
    private final String serverVersion;
    private final Set<String> groupVersions;
    private final Map<String, Set<String>> resources = new HashMap<>();

    private ApiDiscovery(KubeConnection connection, String serverVersion, Set<String> groupVersions) {
        this.connection = connection;
        this.serverVersion = serverVersion;
        this.groupVersions = Collections.unmodifiableSet(groupVersions);
    }

    /**
     * Requests /version, /api, and /apis.
     *
     * @throws ApiIoException if /api or /apis has no usable response; a missing /version is "unknown"
     */
    public static ApiDiscovery load(KubeConnection connection) throws ApiIoException {
        String name = version(connection);
        Set<String> groupVersions = new LinkedHashSet<>();
        for (JsonNode core : required(connection, "/api").path("versions")) {
            groupVersions.add(core.asText());
        }
        for (JsonNode group : required(connection, "/apis").path("groups")) {
            for (JsonNode served : group.path("versions")) {
                groupVersions.add(served.path("groupVersion").asText());
            }
        }
        return new ApiDiscovery(connection, name, groupVersions);
    }

    /**
     * Returns the release of the server; the newest supported one if the server denies access to it.
     *
     * @throws ApiIoException if it does not respond, or with an error, which does not contain its release
     */
    public static Release release(KubeConnection connection) throws ApiIoException {
        ApiResponse response = connection.get("/version");
        if (response.code() == UNAUTHORIZED || response.code() == FORBIDDEN) {
            return Release.NEWEST;
        }
        String version = usable("/version", response).path("gitVersion").asText();
        return Release.ofVersion(version).orElse(Release.NEWEST);
    }

    private static String version(KubeConnection connection) throws ApiIoException {
        ApiResponse version = connection.get("/version");
        return version.success() ? json("/version", version).path("gitVersion").asText("unknown") : "unknown";
    }

    /** The server's gitVersion, such as v1.17.17, or "unknown". */
    public String serverVersion() {
        return serverVersion;
    }

    /** All served versions, such as "v1" (core) and "policy/v1", in the server's order. */
    public Set<String> groupVersions() {
        return groupVersions;
    }

    /**
     * The first of the given versions that serves a resource.
     *
     * @param group API group, empty for core
     * @param resource plural name, such as poddisruptionbudgets
     * @param versions in order of preference, such as v1, v1beta1
     * @return the group version, such as "policy/v1" or (core) "v1"; empty when no given version serves the resource
     */
    public Optional<String> groupVersion(String group, String resource, List<String> versions) throws ApiIoException {
        for (String version : versions) {
            String candidate = group.isEmpty() ? version : group + "/" + version;
            if (groupVersions.contains(candidate) && resourcesOf(candidate).contains(resource)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /** As {@link #groupVersion}, but the URL path of the collection, such as /apis/policy/v1/poddisruptionbudgets. */
    public Optional<String> path(String group, String resource, List<String> versions) throws ApiIoException {
        return groupVersion(group, resource, versions).map(version -> prefix(version) + "/" + resource);
    }

    /**
     * The group version of the Eviction object according to the server's list of core resources; else according to its policy
     * versions.
     */
    public String evictionVersion() throws ApiIoException {
        for (JsonNode resource : required(connection, "/api/v1").path("resources")) {
            String group = resource.path("group").asText();
            String version = resource.path("version").asText();
            if (resource.path("name").asText().equals("pods/eviction") && !group.isEmpty() && !version.isEmpty()) {
                return group + "/" + version;
            }
        }
        return groupVersions.contains("policy/v1") ? "policy/v1" : "policy/v1beta1";
    }

    /** The URL path below which a group version is served: /api/v1, /apis/policy/v1. */
    public static String prefix(String groupVersion) {
        return (groupVersion.contains("/") ? "/apis/" : "/api/") + groupVersion;
    }

    private Set<String> resourcesOf(String groupVersion) throws ApiIoException {
        Set<String> known = resources.get(groupVersion);
        if (known != null) {
            return known;
        }
        String path = prefix(groupVersion);
        ApiResponse response = connection.get(path);
        Set<String> names = new LinkedHashSet<>();
        // Also for a 404: the server serves this version, so that the response comes from a proxy.
        for (JsonNode resource : usable(path, response).path("resources")) {
            names.add(resource.path("name").asText());
        }
        resources.put(groupVersion, names);
        return names;
    }

    private static JsonNode required(KubeConnection connection, String path) throws ApiIoException {
        return usable(path, connection.get(path));
    }

    private static JsonNode usable(String path, ApiResponse response) throws ApiIoException {
        if (!response.success()) {
            throw new ApiIoException("GET " + path + ": " + response, response.code());
        }
        return json(path, response);
    }

    private static JsonNode json(String path, ApiResponse response) throws ApiIoException {
        try {
            return response.json();
        } catch (IOException e) {
            throw new ApiIoException("GET " + path + ": the response is not JSON", e);
        }
    }

    /**
     * The feature gates of the API server, which it has among its metrics since 1.26 ({@code kubernetes_feature_enabled}).
     *
     * @param denied is run if reading the metrics is forbidden
     * @return by name; empty if the server does not provide them
     */
    public static Map<String, Boolean> featureGates(KubeConnection connection, Runnable denied) throws ApiIoException {
        ApiResponse apiResponse = connection.get("/metrics");
        if (apiResponse.code() == FORBIDDEN || apiResponse.code() == UNAUTHORIZED) {
            denied.run();
        }
        Map<String, Boolean> gates = new TreeMap<>();
        if (apiResponse.success()) {
            Matcher matcher = FEATURE.matcher(new String(apiResponse.body(), StandardCharsets.UTF_8));
            while (matcher.find()) {
                gates.put(matcher.group(1), matcher.group(2).startsWith("1"));
            }
        }
        return gates;
    }
}
