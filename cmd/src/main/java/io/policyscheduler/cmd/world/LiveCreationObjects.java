package io.policyscheduler.cmd.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What of a running cluster says what becomes of new objects, as it was when it was read. */
public final class LiveCreationObjects implements Objects {
    private static final int FORBIDDEN = 403;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<Kind, List<ObjectNode>> objects;

    private LiveCreationObjects(Map<Kind, List<ObjectNode>> objects) {
        this.objects = Maps.immutableEnumMap(objects);
    }

    /**
     * Lists the few objects. What the server does not have, or does not show, counts as empty.
     *
     * @param warnings is told what the server does not show, a line each
     * @throws IOException when it does not answer
     */
    public static LiveCreationObjects read(KubeConnection connection, Consumer<String> warnings) throws IOException {
        ApiDiscovery discovery = ApiDiscovery.load(connection);
        Map<Kind, List<ObjectNode>> objects = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            ClassResource resource = ClassResource.of(kind);
            Optional<String> path = discovery.path(resource.group(), resource.plural(), resource.versions());
            if (path.isPresent()) {
                objects.put(kind, list(connection, path.get(), resource.plural(), warnings));
            }
        }
        return new LiveCreationObjects(objects);
    }

    private static List<ObjectNode> list(
            KubeConnection connection, String path, String plural, Consumer<String> warnings) throws IOException {
        ApiResponse answer = connection.get(path);
        if (answer.code() == FORBIDDEN) {
            warnings.accept(MissingObjectText.denied(plural));
            return List.of();
        }
        if (!answer.success()) {
            throw new ApiIoException(path + " answered " + answer.code(), answer.code());
        }
        ImmutableList.Builder<ObjectNode> found = ImmutableList.builder();
        for (JsonNode item : MAPPER.readTree(answer.body()).path("items")) {
            if (item instanceof ObjectNode object) {
                found.add(object);
            }
        }
        return found.build();
    }

    @Override
    public List<ObjectNode> all(Kind kind) {
        return objects.getOrDefault(kind, List.of());
    }
}
