package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.net.HostAndPort;
import com.google.common.net.InetAddresses;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.page.LivePage.PageAddition;
import io.policyscheduler.cmd.page.PageFiles;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The playground below {@code /playground/}: its files, and its actions, each a POST of JSON (or of a dump) with a JSON response.
 * A failed action responds with {@code {"errors": [{"message", "line"}]}} and status 200, so that browsers do not log it as an
 * error. Only pages of this server can use it; see {@link SameOrigin}. One thread runs all actions; it ends when it is idle.
 * Thread-safe.
 */
public final class Playground implements PageAddition, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Playground.class);
    private static final String NAME = "playground";
    private static final String FOLDER = "/" + NAME + "/";
    private static final String JSON = "application/json";
    private static final int MOST_BYTES = 32 << 20;
    private static final int MOST_WAITING = 16;
    private static final Duration RUN = Duration.ofSeconds(1);

    private final PageFiles files = PageFiles.of(
            FOLDER,
            Playground.class,
            List.of(
                    "playground.js",
                    "objects.js",
                    "examples.js",
                    "fields.js",
                    "scheduling.js",
                    "deciders.js",
                    "whole.js",
                    "api.js",
                    "playground.css"));
    private final ThreadPoolExecutor worker;
    private final FeatureGates gates;
    private final PlaygroundDecisions log;

    // Touched by the worker only.
    private final EmbeddedControlPlane cluster;
    private final FieldSchemas schemas;
    private final ObjectEditor desk;
    private final ClusterContents contents;
    private final PlaygroundScheduler turns;
    private SelectedSchedulers chosen;

    /**
     * The playground of a cluster, which the caller closes.
     *
     * @param cluster with only the objects that each cluster has
     * @param gates of the cluster's release
     */
    public Playground(EmbeddedControlPlane cluster, FeatureGates gates, Clock clock) {
        this.gates = gates;
        this.log = new PlaygroundDecisions(clock);
        this.cluster = cluster;
        this.schemas = new FieldSchemas(cluster);
        this.desk = new ObjectEditor(cluster, schemas);
        this.contents = new ClusterContents(cluster);
        this.turns = new PlaygroundScheduler(cluster, gates, log, clock);
        this.chosen = SelectedSchedulers.standard(gates);
        this.worker = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(MOST_WAITING),
                new ThreadFactoryBuilder().setNameFormat(NAME).setDaemon(true).build());
        worker.allowCoreThreadTimeOut(true);
    }

    /** Saves the current state of the cluster as the target of a reset; before the page is served. */
    public void loaded() {
        contents.mark();
    }

    /** Sets the listener for decisions. */
    public void setListener(SchedulerListener listener) {
        log.setListener(listener);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Limits limits() {
        return Limits.withBodies(MOST_BYTES, 2L * MOST_BYTES);
    }

    @Override
    public boolean answer(Exchange exchange) {
        if (!exchange.path().startsWith(FOLDER)) {
            return false;
        }
        if (exchange.method().equals("GET") || exchange.method().equals("HEAD")) {
            return files.answer(exchange);
        }
        if (!exchange.method().equals("POST")) {
            exchange.responseHeader("Allow", "GET, HEAD, POST");
            exchange.answer(405, "use GET or POST\n");
            return true;
        }
        String rejection = SameOrigin.refusal(exchange);
        if (!rejection.isEmpty()) {
            exchange.answer(403, "only this page can send requests: " + rejection + "\n");
            return true;
        }
        try {
            worker.execute(() -> work(exchange));
        } catch (RejectedExecutionException e) {
            LOG.debug("too many requests, or closed", e);
            exchange.answer(503, "too many requests\n");
        }
        return true;
    }

    private void work(Exchange exchange) {
        exchange.responseHeader("X-Content-Type-Options", "nosniff");
        try {
            String what = exchange.path().substring(FOLDER.length());
            // A dump is not wrapped in JSON, because the JSON reader limits the length of a text.
            JsonNode answer = what.equals("import") ? bringIn(exchange.body()) : act(what, Json.parse(exchange.body()));
            exchange.answer(200, JSON, Json.bytes(answer));
        } catch (PlaygroundException e) {
            exchange.answer(200, JSON, Json.bytes(e.json()));
        } catch (IOException e) {
            exchange.answer(400, "the body is not JSON\n");
        } catch (RuntimeException e) {
            LOG.error("the playground failed with {}", exchange.path(), e);
            exchange.answer(500, "internal error; see the log\n");
        }
    }

    private JsonNode act(String what, JsonNode asked) {
        return switch (what) {
            case "state" -> state(text(asked, "resource"), text(asked, "part"));
            case "object" -> object().put("yaml", desk.yaml(text(asked, "resource"), key(asked)));
            case "create" -> desk.create(text(asked, "text"));
            case "replace" -> desk.replace(text(asked, "text"));
            case "delete" -> {
                desk.delete(text(asked, "resource"), key(asked));
                yield object();
            }
            case "fields" -> {
                List<String> path = new ArrayList<>();
                asked.path("path").forEach(step -> path.add(step.asText()));
                yield schemas.fields(text(asked, "apiVersion"), text(asked, "kind"), path);
            }
            case "deciders" -> {
                chosen = SelectedSchedulers.read(asked.path("deciders"), gates);
                yield chosen.json();
            }
            case "look" -> turns.look(text(asked, "pod"), chosen);
            case "step" -> turns.step(chosen);
            case "run" -> turns.run(chosen, RUN);
            case "export" -> object().put("yaml", contents.export());
            case "reset" -> {
                contents.reset(asked.path("toImport").asBoolean());
                log.forget();
                yield object();
            }
            default -> throw PlaygroundException.of("the playground has no path \"" + what + "\"");
        };
    }

    private ObjectNode bringIn(byte[] dump) {
        ObjectNode result = new DumpImport(cluster, contents).run(dump);
        contents.mark();
        return result;
    }

    /** The state of the view, with the objects of one kind. */
    private ObjectNode state(String resource, String part) {
        ObjectNode json = object();
        json.set("table", desk.table(resource, part));
        json.set("kinds", desk.kinds());
        json.set("queue", turns.queue());
        json.setAll(chosen.json());
        return json;
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static String text(JsonNode asked, String name) {
        return asked.path(name).asText();
    }

    private static ObjectKey key(JsonNode asked) {
        return new ObjectKey(text(asked, "namespace"), text(asked, "name"));
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }

    /**
     * Distinguishes requests of this page from those that another site sends through the browser of a user. Any page in that
     * browser can reach a loopback port, so that writes require the origin of this server.
     */
    static final class SameOrigin {
        /** For this header, browsers send a CORS preflight request first, which this server rejects. */
        static final String HEADER = "X-Requested-With";

        static final String VALUE = "policy-scheduler";

        private SameOrigin() {}

        /** Why a request is refused; empty when it is not. */
        static String refusal(Exchange exchange) {
            String host = exchange.header("Host");
            if (!isLoopback(host)) {
                // A name of another site that leads here: DNS rebinding.
                return "the page is only available on the loopback address, not on \"" + host + "\"";
            }
            if (!exchange.header(HEADER).equals(VALUE)) {
                return "without the header " + HEADER + ": " + VALUE;
            }
            String site = exchange.header("Sec-Fetch-Site");
            if (!site.isEmpty() && !site.equals("same-origin")) {
                return "sent by another site";
            }
            String origin = exchange.header("Origin");
            if (!origin.isEmpty() && !authority(origin).equals(host)) {
                return "sent by \"" + origin + "\"";
            }
            return "";
        }

        private static boolean isLoopback(String host) {
            try {
                String name = HostAndPort.fromString(host).getHost();
                return name.equals("localhost")
                        || (InetAddresses.isInetAddress(name)
                                && InetAddresses.forString(name).isLoopbackAddress());
            } catch (IllegalArgumentException e) {
                return false;
            }
        }

        private static String authority(String origin) {
            try {
                String authority = URI.create(origin).getAuthority();
                return authority == null ? "" : authority;
            } catch (IllegalArgumentException e) {
                return "";
            }
        }
    }

    /** A request that cannot be executed; the message has the reasons. */
    static final class PlaygroundException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient List<Reason> reasons;

        /**
         * One reason.
         *
         * @param line of the text that was sent, from 1; 0 when unknown
         */
        record Reason(String message, int line) {}

        PlaygroundException(List<Reason> reasons) {
            super(reasons.isEmpty() ? "" : reasons.get(0).message());
            this.reasons = List.copyOf(reasons);
        }

        /** A reason without a line. */
        static PlaygroundException of(String message) {
            return new PlaygroundException(List.of(new Reason(message, 0)));
        }

        /** {@code {"errors": [{"message", "line"}]}}; the line is null when unknown. */
        ObjectNode json() {
            return JsonNodeFactory.instance.objectNode().set("errors", json(reasons));
        }

        /** {@code [{"message", "line"}]}. */
        static ArrayNode json(List<Reason> reasons) {
            ArrayNode json = JsonNodeFactory.instance.arrayNode();
            for (Reason reason : reasons) {
                ObjectNode one = json.addObject().put("message", reason.message());
                if (reason.line() > 0) {
                    one.put("line", reason.line());
                } else {
                    one.putNull("line");
                }
            }
            return json;
        }
    }

    /** Imports the output of {@code kubectl get -o yaml} or {@code -o json} into the embedded cluster and reports the result. */
    private static final class DumpImport {
        private static final int MOST_EXAMPLES = 3;

        private final EmbeddedControlPlane cluster;
        private final ClusterContents contents;
        private final Map<String, Integer> created = new TreeMap<>();
        private final Map<ImportNote, List<String>> leftOut = new TreeMap<>();
        private final Map<ImportNote, List<String>> changed = new TreeMap<>();
        private final Set<String> owners = new HashSet<>();

        private record ImportNote(String kind, String text) implements Comparable<ImportNote> {
            @Override
            public int compareTo(ImportNote other) {
                return Comparator.comparing(ImportNote::kind)
                        .thenComparing(ImportNote::text)
                        .compare(this, other);
            }
        }

        /** One import. */
        DumpImport(EmbeddedControlPlane cluster, ClusterContents contents) {
            this.cluster = cluster;
            this.contents = contents;
        }

        /**
         * Creates the objects with their UIDs, times, and status. Objects that cannot be created are skipped.
         *
         * @return {@code {"created": {KIND: COUNT}, "leftOut": [{"kind", "count", "why", "examples"}], "changed": [the same]}}
         * @throws PlaygroundException when the text is no dump
         */
        ObjectNode run(byte[] dump) {
            List<JsonNode> items = new ArrayList<>();
            try {
                ManifestFiles.read("dump", dump)
                        .forEach(document -> items.addAll(EmbeddedControlPlane.items(document)));
            } catch (InputException | IllegalArgumentException e) {
                throw PlaygroundException.of(String.valueOf(e.getMessage()));
            }
            if (items.isEmpty()) {
                throw PlaygroundException.of("the dump has no objects");
            }
            items.forEach(item -> owners.add(uid(item)));
            for (ResourceType type : cluster.catalog().types()) {
                cluster.list(type.qualifiedName()).forEach(object -> owners.add(uid(object)));
            }
            owners.remove("");
            // Controllers would adopt or replace objects while the import is incomplete.
            cluster.withoutControllers(() -> items.forEach(this::add));
            ObjectNode json = Json.object();
            ObjectNode counts = json.putObject("created");
            created.forEach(counts::put);
            remarks(json.putArray("leftOut"), leftOut);
            remarks(json.putArray("changed"), changed);
            return json;
        }

        private static String uid(JsonNode object) {
            return Json.text(object, "metadata", "uid");
        }

        private void add(JsonNode item) {
            String kind = Json.text(item, "kind");
            ObjectKey key = ObjectKey.of(item);
            String name = key.namespace().isEmpty() ? key.name() : key.namespace() + "/" + key.name();
            Optional<ResourceType> served = cluster.catalog().ofManifest(Json.text(item, "apiVersion"), kind);
            if (served.isEmpty()) {
                remark(leftOut, kind.isEmpty() ? "object" : kind, "the cluster does not serve this kind", name);
                return;
            }
            ResourceType type = cluster.catalog().stored(served.get());
            if (type.plural().equals("events")) {
                remark(leftOut, kind, "events are not imported", name);
            } else if (contents.isOfEveryCluster(type, key)) {
                remark(leftOut, kind, "the cluster already has this object", name);
            } else {
                load(item, kind, name);
            }
        }

        private void load(JsonNode item, String kind, String name) {
            ObjectNode object = item.deepCopy();
            JsonNode references = object.path("metadata").path("ownerReferences");
            boolean orphan = !references.isEmpty();
            for (JsonNode reference : references) {
                orphan &= !owners.contains(reference.path("uid").asText());
            }
            if (orphan) {
                Json.child(object, "metadata").remove("ownerReferences");
            }
            try {
                cluster.load(object);
                created.merge(kind, 1, Integer::sum);
                if (orphan) {
                    remark(
                            changed,
                            kind,
                            "imported without ownerReferences, because the owner does not exist and the garbage collector"
                                    + " would delete the object",
                            name);
                }
            } catch (StatusError e) {
                remark(
                        leftOut,
                        kind,
                        e.reason().equals("AlreadyExists")
                                ? "an object with this name exists"
                                : String.valueOf(e.getMessage()),
                        name);
            }
        }

        private static void remark(Map<ImportNote, List<String>> all, String kind, String text, String name) {
            all.computeIfAbsent(new ImportNote(kind, text), remark -> new ArrayList<>())
                    .add(name);
        }

        private static void remarks(ArrayNode json, Map<ImportNote, List<String>> all) {
            all.forEach((remark, names) -> {
                ObjectNode one = json.addObject().put("kind", remark.kind()).put("count", names.size());
                one.put("why", remark.text());
                names.stream().limit(MOST_EXAMPLES).forEach(one.putArray("examples")::add);
            });
        }
    }
}
