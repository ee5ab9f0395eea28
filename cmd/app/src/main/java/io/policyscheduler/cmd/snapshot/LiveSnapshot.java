package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.ListPage.Pager;
import io.policyscheduler.cmd.snapshot.Dump.MissingObjectText;
import io.policyscheduler.cmd.snapshot.KindReaders.UnknownFields;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Reads a running cluster once, with the same result as from a dump. Each resource is listed at a different moment. */
public final class LiveSnapshot {
    private LiveSnapshot() {}

    /**
     * Lists all kinds that scheduling reads. A resource that the server does not have is empty.
     *
     * @param warnings receives skipped objects, one line each
     * @param progress receives the number of objects read so far
     * @throws IOException if the server does not respond
     */
    public static ClusterSnapshot read(
            KubeConnection connection, FeatureGates gates, Consumer<String> warnings, IntConsumer progress)
            throws IOException {
        JsonFactory json = ClusterFile.jsonFactory();
        Dump dump = new Dump(gates, warnings, objects -> {});
        ApiDiscovery discovery = ApiDiscovery.load(connection);
        int objects = 0;
        for (WatchedResource resource : WatchedResource.all()) {
            Optional<String> path = discovery.path(
                    resource.group(), resource.resource(), resource.kind().versions());
            if (path.isEmpty()) {
                continue;
            }
            ObjectReader reader =
                    new ObjectReader(gates, false, field -> warnings.accept(UnknownFields.warning(field)));
            Pager lister = new Pager(
                    connection,
                    json,
                    (name, reason) -> warnings.accept(resource.resource() + ": skipped: " + name + ": " + reason));
            for (ClusterObject object : lister.list(
                    path.get(), resource.fieldSelector(), parser -> reader.read(parser, resource.objectKind()))) {
                dump.add(resource.resource(), object);
                objects++;
            }
            progress.accept(objects);
        }
        dump.finish();
        return dump.snapshot()
                .withRelease(Release.ofVersion(discovery.serverVersion()).orElse(Release.NEWEST))
                .withFeatures(ApiDiscovery.featureGates(connection, () -> {}));
    }

    /** The objects of a running cluster that affect new objects. */
    public static final class LiveCreationObjects implements Objects {
        private static final int FORBIDDEN = 403;
        private static final ObjectMapper MAPPER = new ObjectMapper();

        private final Map<Kind, List<ObjectNode>> objects;

        private LiveCreationObjects(Map<Kind, List<ObjectNode>> objects) {
            this.objects = Maps.immutableEnumMap(objects);
        }

        /**
         * Lists these objects. Resources that the server does not have or denies are empty.
         *
         * @param warnings receives denied resources, one line each
         * @throws IOException if the server does not respond
         */
        public static LiveCreationObjects read(KubeConnection connection, Consumer<String> warnings)
                throws IOException {
            ApiDiscovery discovery = ApiDiscovery.load(connection);
            Map<Kind, List<ObjectNode>> objects = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
                Resource resource = Resource.of(kind);
                Optional<String> path = discovery.path(resource.group(), resource.plural(), resource.versions());
                if (path.isPresent()) {
                    objects.put(kind, list(connection, path.get(), resource.plural(), warnings));
                }
            }
            return new LiveCreationObjects(objects);
        }

        private static List<ObjectNode> list(
                KubeConnection connection, String path, String plural, Consumer<String> warnings) throws IOException {
            ApiResponse response = connection.get(path);
            if (response.code() == FORBIDDEN) {
                warnings.accept(MissingObjectText.denied(plural));
                return List.of();
            }
            if (!response.success()) {
                throw new ApiIoException(path + " answered " + response.code(), response.code());
            }
            ImmutableList.Builder<ObjectNode> found = ImmutableList.builder();
            for (JsonNode item : MAPPER.readTree(response.body()).path("items")) {
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

        /**
         * Paths of the objects that affect new objects.
         *
         * @param group API group, empty for the core group
         * @param plural name in paths and rights
         * @param versions that can be read, best first
         */
        public record Resource(String group, String plural, List<String> versions) {
            public Resource {
                versions = List.copyOf(versions);
            }

            /** The entry of a kind. */
            public static Resource of(Objects.Kind kind) {
                List<String> both = List.of("v1", "v1beta1");
                return switch (kind) {
                    case LIMIT_RANGE -> new Resource("", "limitranges", List.of("v1"));
                    case PRIORITY_CLASS -> new Resource("scheduling.k8s.io", "priorityclasses", both);
                    case RUNTIME_CLASS -> new Resource("node.k8s.io", "runtimeclasses", both);
                    case STORAGE_CLASS -> new Resource("storage.k8s.io", "storageclasses", both);
                    case RESOURCE_CLAIM_TEMPLATE ->
                        new Resource("resource.k8s.io", "resourceclaimtemplates", List.of("v1", "v1beta2", "v1beta1"));
                };
            }
        }
    }
}
