package io.policyscheduler.cmd.cluster;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.ApiDiscovery;
import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.watch.ReflectorList.Query;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.snapshot.Dump.Kind;
import io.policyscheduler.cmd.snapshot.KindReaders;
import io.policyscheduler.cmd.sources.PluginLoader.PluginOptions;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.cmd.sources.Warnings;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ClusterFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lists the objects of a cluster in pages. Each kind is listed at a different moment. */
final class ClusterDump {
    private static final String DENIED = "permission to list them is missing";
    private static final int GONE = 410;
    private static final int FORBIDDEN = 403;
    private static final String UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed";
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final KubeConnection connection;
    private final ApiDiscovery discovery;
    private final int pageSize;

    ClusterDump(KubeConnection connection, ApiDiscovery discovery, int pageSize) {
        this.connection = connection;
        this.discovery = discovery;
        this.pageSize = pageSize;
    }

    /**
     * All objects of a kind.
     *
     * @param objects each with apiVersion and kind, without fields that no scheduler reads
     * @param trouble why the list failed; empty if it succeeded
     */
    record Listing(List<ObjectNode> objects, String trouble) {
        Listing {
            objects = List.copyOf(objects);
        }

        /** Whether listing was forbidden. */
        boolean isDenied() {
            return trouble.equals(DENIED);
        }
    }

    /**
     * Lists a kind.
     *
     * @throws IOException if the server does not respond, or with an error other than a denial
     */
    Listing list(Kind kind) throws IOException {
        Optional<String> version = discovery.groupVersion(kind.group(), kind.plural(), kind.versions());
        if (version.isEmpty()) {
            return new Listing(List.of(), "the API server does not serve them");
        }
        String path = ApiDiscovery.prefix(version.get()) + "/" + kind.plural();
        try {
            return new Listing(pages(kind, version.get(), path, pageSize), "");
        } catch (ApiIoException e) {
            if (e.code() == FORBIDDEN) {
                return new Listing(List.of(), DENIED);
            }
            if (e.code() != GONE) {
                throw e;
            }
            // The continue token has expired: list again without pages.
            return new Listing(pages(kind, version.get(), path, 0), "");
        }
    }

    /** @param limit objects per page; 0 for one page */
    private List<ObjectNode> pages(Kind kind, String version, String path, int limit) throws IOException {
        List<ObjectNode> objects = new ArrayList<>();
        String next = "";
        do {
            Query query = new Query(path)
                    .add("fieldSelector", kind.plural().equals("pods") ? UNFINISHED : "")
                    .add("limit", limit == 0 ? "" : Integer.toString(limit))
                    .add("continue", next);
            ApiResponse response = connection.get(query.toString());
            if (!response.success()) {
                throw new ApiIoException(path + ": " + response.message(), response.code());
            }
            JsonNode page = MAPPER.readTree(response.body());
            page.path("items").forEach(item -> objects.add(slim(item, version, kind.objectKind())));
            next = page.path("metadata").path("continue").asText("");
        } while (!next.isEmpty());
        return objects;
    }

    private static ObjectNode slim(JsonNode item, String apiVersion, String kind) {
        ObjectNode object = MAPPER.createObjectNode();
        object.put("apiVersion", apiVersion).put("kind", kind);
        item.properties().forEach(field -> {
            if (!field.getKey().equals("apiVersion") && !field.getKey().equals("kind")) {
                object.set(field.getKey(), field.getValue());
            }
        });
        Dump.removeServerFields(object);
        return object;
    }

    /** Writes objects as a List, one per line, followed by the kinds that are complete. Must be closed. */
    static final class Writer implements AutoCloseable {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        private final JsonGenerator json;
        private final Set<String> kinds = new LinkedHashSet<>();
        private int written;
        private String serverVersion = "";
        private @Nullable Instant capturedAt;
        private Map<String, Boolean> features = Map.of();

        /** @param zipped whether the output is gzipped */
        Writer(OutputStream out, boolean zipped) throws IOException {
            OutputStream target = zipped ? new GZIPOutputStream(out, 1 << 16) : out;
            json = new JsonFactory(MAPPER).createGenerator(target);
            json.writeStartObject();
            json.writeStringField("kind", "List");
            json.writeStringField("apiVersion", "v1");
            json.writeArrayFieldStart("items");
        }

        void write(List<ObjectNode> objects) throws IOException {
            for (ObjectNode object : objects) {
                json.writeRaw('\n');
                json.writeTree(object);
                written++;
            }
        }

        /**
         * States facts about the cluster at the end of the list.
         *
         * @param version gitVersion of the API server; empty if unknown
         * @param gates feature gates of the API server; empty if unknown
         */
        void facts(String version, Instant captured, Map<String, Boolean> gates) {
            features = gates;
            serverVersion = version;
            capturedAt = captured;
        }

        int written() {
            return written;
        }

        /** @param kind a kind whose objects have all been written, even if there are none */
        void listed(String kind) {
            kinds.add(kind);
        }

        @Override
        public void close() throws IOException {
            json.writeEndArray();
            json.writeArrayFieldStart(ClusterFile.LISTED_KINDS);
            for (String kind : kinds) {
                json.writeString(kind);
            }
            json.writeEndArray();
            if (!serverVersion.isEmpty()) {
                json.writeStringField(ClusterFile.SERVER_VERSION, serverVersion);
            }
            if (capturedAt != null) {
                json.writeStringField(
                        ClusterFile.CAPTURED_AT,
                        capturedAt.truncatedTo(ChronoUnit.SECONDS).toString());
            }
            if (!features.isEmpty()) {
                json.writeObjectFieldStart(ClusterFile.FEATURES);
                for (Map.Entry<String, Boolean> gate : features.entrySet()) {
                    json.writeBooleanField(gate.getKey(), gate.getValue());
                }
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeRaw('\n');
            json.close();
        }
    }

    /** Picocli mixin: the kinds of a dump, which are those that the given schedulers read, or all. */
    static final class Kinds {
        @Spec(Spec.Target.MIXEE)
        private CommandSpec spec;

        @Option(
                names = "--for",
                paramLabel = "SCHEDULER",
                description = "Include only the kinds that this scheduler reads: policy:FILE, configmap:NAMESPACE/NAME,"
                        + " provider:NAME, config:FILE[#PROFILE], or modern. Repeatable (default: all kinds).")
        private List<String> deciders = List.of();

        /**
         * The kinds, in the order in which they are listed.
         *
         * @param ruleFiles rule libraries of the policies
         * @throws io.policyscheduler.cmd.options.InputException if a scheduler is invalid
         */
        List<Kind> find(KubeConnection connection, List<Path> ruleFiles) {
            if (deciders.isEmpty()) {
                return Kind.all();
            }
            PolicyOptions options = PolicyOptions.of(spec, false, "", 1, ruleFiles);
            options.configMapsFrom(ConfigMapEntries.of(connection));
            options.withoutMeasuredValues();
            SchedulerFactory sources = new SchedulerFactory(
                    options,
                    FeatureGates.defaults().at(Release.NEWEST),
                    new PluginOptions(),
                    () -> connection,
                    Warnings.NONE);
            Set<ResourceKind> read = EnumSet.noneOf(ResourceKind.class);
            deciders.forEach(decider -> read.addAll(KindReaders.of(sources.parse(decider))));
            return Kind.neededFor(read);
        }
    }
}
