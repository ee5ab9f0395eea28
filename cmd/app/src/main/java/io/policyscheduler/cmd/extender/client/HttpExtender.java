package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.policyscheduler.cmd.extender.client.ExtenderClients.ExtenderClientSource;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.ExtenderConfig.ManagedResource;
import io.policyscheduler.framework.cycle.Extender;
import io.policyscheduler.framework.cycle.Extender.ExtenderException;
import io.policyscheduler.framework.cycle.Extender.FilterResponse;
import io.policyscheduler.framework.cycle.Extender.HostScore;
import io.policyscheduler.framework.cycle.Extender.MetaVictims;
import io.policyscheduler.framework.cycle.Extenders;
import io.policyscheduler.framework.cycle.Extenders.PreemptRules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/** An extender of a policy, called over HTTP. Thread-safe. Mirrors {@code pkg/scheduler/core/extender.go}. */
public final class HttpExtender implements Extender {
    private final ExtenderConfig config;
    private final Set<String> managed;
    private final ExtenderRequest requests;
    private final ExtenderEndpoint endpoint;
    private final boolean errorsAreFormats;

    /**
     * An extender.
     *
     * @param http a client with the extender's timeout and TLS, see {@link ExtenderClients}
     * @param errorsAreFormats show an extender's {@code Error} as v1.17 did, which used it as a printf format
     */
    public HttpExtender(ExtenderConfig config, RawObjects objects, OkHttpClient http, boolean errorsAreFormats) {
        this.config = config;
        this.managed =
                config.managedResources().stream().map(ManagedResource::name).collect(Collectors.toUnmodifiableSet());
        this.requests = new ExtenderRequest(objects, config.nodeCacheCapable());
        this.endpoint = new ExtenderEndpoint(http, config.urlPrefix());
        this.errorsAreFormats = errorsAreFormats;
    }

    @Override
    public String name() {
        return VisibleText.withoutPasswords(config.urlPrefix());
    }

    @Override
    public boolean isIgnorable() {
        return config.ignorable();
    }

    @Override
    public boolean isInterested(PodInfo pod) {
        return managed.isEmpty() || pod.resources().named().stream().anyMatch(managed::contains);
    }

    @Override
    public boolean supportsFilter() {
        return !config.filterVerb().isEmpty();
    }

    @Override
    public FilterResponse filter(PodInfo pod, List<String> nodes) throws ExtenderException {
        ExtenderAnswer answer = new ExtenderAnswer(
                endpoint.ask(config.filterVerb(), requests.nodes(pod, nodes)), "v1.ExtenderFilterResult");
        refuse(answer);
        List<String> kept = config.nodeCacheCapable() ? answer.nodeNames() : null;
        if (kept == null) {
            kept = answer.nodes();
        }
        return new FilterResponse(
                kept == null ? List.of() : kept,
                answer.failedNodes("FailedNodes"),
                answer.failedNodes("FailedAndUnresolvableNodes"));
    }

    @Override
    public boolean sendsWholeNodes() {
        return !config.nodeCacheCapable();
    }

    @Override
    public boolean supportsPrioritize() {
        return !config.prioritizeVerb().isEmpty();
    }

    @Override
    public long weight() {
        return config.weight();
    }

    @Override
    public List<HostScore> prioritize(PodInfo pod, List<String> nodes) throws ExtenderException {
        return ExtenderAnswer.scores(endpoint.ask(config.prioritizeVerb(), requests.nodes(pod, nodes)));
    }

    @Override
    public boolean supportsPreemption() {
        return !config.preemptVerb().isEmpty();
    }

    @Override
    public Map<String, MetaVictims> preempt(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
            throws ExtenderException {
        return new ExtenderAnswer(
                        endpoint.ask(config.preemptVerb(), requests.victims(pod, candidates, rules)),
                        "v1.ExtenderPreemptionResult")
                .victims();
    }

    @Override
    public boolean isBinder() {
        return !config.bindVerb().isEmpty();
    }

    @Override
    public void bind(PodInfo pod, String node) throws ExtenderException {
        refuse(new ExtenderAnswer(
                endpoint.order(config.bindVerb(), requests.binding(pod, node)), "v1.ExtenderBindingResult"));
    }

    private void refuse(ExtenderAnswer answer) throws ExtenderException {
        String error = answer.error();
        if (!error.isEmpty()) {
            throw ExtenderException.rejected(errorsAreFormats ? GoFormat.withoutArguments(error) : error);
        }
    }

    /** Reads responses as Go's encoding/json does: case-insensitive keys, null for absent values, whole numbers only. */
    static final class ExtenderAnswer {
        /** The limit of an event's note. */
        private static final int MAX_REASON = 1024;

        private final JsonNode root;

        /** @param type Go type for messages */
        ExtenderAnswer(JsonNode root, String type) throws ExtenderException {
            if (!root.isNull() && !root.isObject()) {
                throw mismatch(root, "value", type);
            }
            this.root = root;
        }

        /** The text of {@code Error}; empty if absent. */
        String error() throws ExtenderException {
            return shown(text(field(root, "Error"), "struct field Error"));
        }

        /**
         * Returns a reason as conditions and events show it: on one line, without control characters, and of limited length, because
         * every object that contains it goes to the API server.
         */
        private static String shown(String reason) {
            return VisibleText.line(reason.length() <= MAX_REASON ? reason : reason.substring(0, MAX_REASON) + "…");
        }

        /** {@code NodeNames}; null if absent or null. */
        @Nullable
        List<String> nodeNames() throws ExtenderException {
            JsonNode names = field(root, "NodeNames");
            if (names.isNull()) {
                return null;
            }
            List<String> list = new ArrayList<>(names.size());
            for (JsonNode name : array(names, "struct field NodeNames", "[]string")) {
                list.add(text(name, "struct field NodeNames"));
            }
            return list;
        }

        /** Names of the node objects in {@code Nodes}; null if absent or null. */
        @Nullable
        List<String> nodes() throws ExtenderException {
            JsonNode nodes = field(root, "Nodes");
            if (nodes.isNull()) {
                return null;
            }
            object(nodes, "struct field Nodes", "v1.NodeList");
            List<String> list = new ArrayList<>();
            for (JsonNode node : array(field(nodes, "items"), "struct field NodeList.items", "[]v1.Node")) {
                list.add(text(field(field(node, "metadata"), "name"), "struct field ObjectMeta.name"));
            }
            return list;
        }

        /** {@code FailedNodes}, or {@code FailedAndUnresolvableNodes} of current releases. */
        SortedMap<String, String> failedNodes(String name) throws ExtenderException {
            SortedMap<String, String> failed = new TreeMap<>();
            for (Map.Entry<String, JsonNode> entry :
                    object(field(root, name), "struct field " + name, "v1.FailedNodesMap")) {
                failed.put(entry.getKey(), shown(text(entry.getValue(), "struct field " + name)));
            }
            return failed;
        }

        /** {@code NodeNameToMetaVictims}. */
        SortedMap<String, MetaVictims> victims() throws ExtenderException {
            SortedMap<String, MetaVictims> victims = new TreeMap<>();
            String name = "struct field NodeNameToMetaVictims";
            for (Map.Entry<String, JsonNode> entry :
                    object(field(root, "NodeNameToMetaVictims"), name, "map[string]*v1.MetaVictims")) {
                // v1.17 panics on a null here.
                if (!entry.getValue().isObject()) {
                    throw mismatch(entry.getValue(), name, "v1.MetaVictims");
                }
                List<String> uids = new ArrayList<>();
                for (JsonNode pod : array(field(entry.getValue(), "Pods"), "struct field Pods", "[]*v1.MetaPod")) {
                    uids.add(text(field(pod, "UID"), "struct field UID"));
                }
                victims.put(entry.getKey(), new MetaVictims(uids, violations(entry.getValue())));
            }
            return victims;
        }

        private static int violations(JsonNode victims) throws ExtenderException {
            JsonNode count = field(victims, "NumPDBViolations");
            boolean whole = count.isIntegralNumber() && count.canConvertToLong();
            if (!whole && !count.isNull()) {
                throw mismatch(count, "struct field MetaVictims.NumPDBViolations", "int64");
            }
            return (int) Math.min(Integer.MAX_VALUE, Math.max(Integer.MIN_VALUE, count.longValue()));
        }

        /** A list of scores, which is the complete response. */
        static List<HostScore> scores(JsonNode root) throws ExtenderException {
            List<HostScore> scores = new ArrayList<>();
            for (JsonNode entry : array(root, "value", "v1.HostPriorityList")) {
                object(entry, "value", "v1.HostPriority");
                JsonNode score = field(entry, "Score");
                boolean whole = score.isIntegralNumber() && score.canConvertToLong();
                if (!whole && !score.isNull()) {
                    throw mismatch(score, "struct field HostPriority.Score", "int64");
                }
                scores.add(
                        new HostScore(text(field(entry, "Host"), "struct field HostPriority.Host"), score.longValue()));
            }
            return scores;
        }

        private static JsonNode field(JsonNode object, String name) {
            JsonNode exact = object.get(name);
            if (exact != null) {
                return exact;
            }
            for (Map.Entry<String, JsonNode> entry : object.properties()) {
                if (entry.getKey().equalsIgnoreCase(name)) {
                    return entry.getValue();
                }
            }
            return NullNode.getInstance();
        }

        private static String text(JsonNode node, String where) throws ExtenderException {
            if (!node.isNull() && !node.isTextual()) {
                throw mismatch(node, where, "string");
            }
            return node.isNull() ? "" : node.textValue();
        }

        private static Iterable<JsonNode> array(JsonNode node, String where, String type) throws ExtenderException {
            if (!node.isNull() && !node.isArray()) {
                throw mismatch(node, where, type);
            }
            return node;
        }

        private static Iterable<Map.Entry<String, JsonNode>> object(JsonNode node, String where, String type)
                throws ExtenderException {
            if (!node.isNull() && !node.isObject()) {
                throw mismatch(node, where, type);
            }
            return node.properties();
        }

        private static ExtenderException mismatch(JsonNode node, String where, String type) {
            String kind = switch (node.getNodeType()) {
                case BOOLEAN -> "bool";
                case NUMBER -> "number " + node.asText();
                default -> node.getNodeType().name().toLowerCase(Locale.ROOT);
            };
            return ExtenderException.broken(
                    "json: cannot unmarshal " + kind + " into Go " + where + " of type " + type);
        }
    }

    /**
     * The bodies of requests. Keys are Go field names, and absent values are null. Mirrors
     * {@code pkg/scheduler/apis/extender/v1/types.go}.
     */
    static final class ExtenderRequest {
        private interface Content {
            void write(JsonGenerator json) throws IOException;
        }

        private final RawObjects objects;
        private final boolean namesOnly;
        private final JsonFactory factory = new JsonFactory();

        /** @param namesOnly send node names ({@code nodeCacheCapable}) and UIDs of victims instead of objects */
        ExtenderRequest(RawObjects objects, boolean namesOnly) {
            this.objects = objects;
            this.namesOnly = namesOnly;
        }

        byte[] nodes(PodInfo pod, List<String> nodes) throws ExtenderException {
            return body(json -> {
                json.writeFieldName("Pod");
                json.writeRawValue(objects.pod(pod));
                if (namesOnly) {
                    json.writeNullField("Nodes");
                    json.writeArrayFieldStart("NodeNames");
                    for (String node : nodes) {
                        json.writeString(node);
                    }
                    json.writeEndArray();
                } else {
                    json.writeObjectFieldStart("Nodes");
                    json.writeObjectFieldStart("metadata");
                    json.writeEndObject();
                    json.writeArrayFieldStart("items");
                    for (String node : nodes) {
                        json.writeRawValue(objects.node(node));
                    }
                    json.writeEndArray();
                    json.writeEndObject();
                    json.writeNullField("NodeNames");
                }
            });
        }

        byte[] victims(PodInfo pod, SortedMap<String, Victims> candidates, PreemptRules rules)
                throws ExtenderException {
            return body(json -> {
                json.writeFieldName("Pod");
                json.writeRawValue(objects.pod(pod));
                if (namesOnly) {
                    json.writeNullField("NodeNameToVictims");
                }
                json.writeObjectFieldStart(namesOnly ? "NodeNameToMetaVictims" : "NodeNameToVictims");
                for (Map.Entry<String, Victims> candidate : candidates.entrySet()) {
                    json.writeObjectFieldStart(candidate.getKey());
                    writeVictims(json, candidate.getValue(), !namesOnly || rules.countsInShortForm());
                    json.writeEndObject();
                }
                json.writeEndObject();
                if (!namesOnly) {
                    json.writeNullField("NodeNameToMetaVictims");
                }
            });
        }

        private void writeVictims(JsonGenerator json, Victims victims, boolean counts) throws IOException {
            json.writeArrayFieldStart("Pods");
            for (PodInfo victim : victims.pods()) {
                if (namesOnly) {
                    json.writeStartObject();
                    json.writeStringField("UID", victim.uid());
                    json.writeEndObject();
                } else {
                    json.writeRawValue(objects.pod(victim));
                }
            }
            json.writeEndArray();
            json.writeNumberField("NumPDBViolations", counts ? victims.budgetViolations() : 0);
        }

        byte[] binding(PodInfo pod, String node) throws ExtenderException {
            return body(json -> {
                json.writeStringField("PodName", pod.name());
                json.writeStringField("PodNamespace", pod.namespace());
                json.writeStringField("PodUID", pod.uid());
                json.writeStringField("Node", node);
            });
        }

        private byte[] body(Content content) throws ExtenderException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (JsonGenerator json = factory.createGenerator(bytes)) {
                json.writeStartObject();
                content.write(json);
                json.writeEndObject();
            } catch (IOException e) {
                throw ExtenderException.rejected(String.valueOf(e.getMessage()));
            }
            return bytes.toByteArray();
        }
    }

    /** The result of Go's {@code Sprintf} for a text that is passed as a format by mistake. */
    static final class GoFormat {
        private GoFormat() {}

        /** The text as a format without arguments: {@code 50% no} becomes {@code 50%!n(MISSING)o}. */
        static String withoutArguments(String format) {
            StringBuilder text = new StringBuilder(format.length());
            int i = 0;
            while (i < format.length()) {
                char c = format.charAt(i++);
                if (c != '%') {
                    text.append(c);
                    continue;
                }
                while (i < format.length() && isModifier(format.charAt(i))) {
                    i++;
                }
                if (i == format.length()) {
                    text.append("%!(NOVERB)");
                    break;
                }
                int verb = format.codePointAt(i);
                i += Character.charCount(verb);
                if (verb == '%') {
                    text.append('%');
                } else {
                    text.append("%!").appendCodePoint(verb).append("(MISSING)");
                }
            }
            return text.toString();
        }

        /** Flags, width and precision. */
        private static boolean isModifier(char c) {
            return "+-# .".indexOf(c) >= 0 || (c >= '0' && c <= '9');
        }
    }

    /** The extenders of a policy. */
    public static final class HttpExtenders {
        private HttpExtenders() {}

        /** The same without a wrapper. */
        public static Extenders of(
                List<ExtenderConfig> configs,
                boolean strictV117,
                RawObjects objects,
                ExtenderClientSource clients,
                Executor executor,
                Consumer<String> notScored)
                throws IOException {
            return of(configs, strictV117, objects, clients, executor, notScored, extender -> extender);
        }

        /**
         * These extenders.
         *
         * @param strictV117 reproduce the errors of v1.17 in the protocol
         * @param executor runs the concurrent prioritize calls of several extenders
         * @param notScored receives the name of an extender whose scores are not available
         * @param wrapper wraps each extender, in order
         * @throws IOException if TLS files cannot be used
         */
        public static Extenders of(
                List<ExtenderConfig> configs,
                boolean strictV117,
                RawObjects objects,
                ExtenderClientSource clients,
                Executor executor,
                Consumer<String> notScored,
                UnaryOperator<Extender> wrapper)
                throws IOException {
            List<Extender> extenders = new ArrayList<>();
            for (ExtenderConfig config : configs) {
                extenders.add(wrapper.apply(
                        new HttpExtender(config, objects, clients.client(config, strictV117), strictV117)));
            }
            return extenders.isEmpty() ? Extenders.NONE : new Extenders(extenders, executor, notScored);
        }

        /** Whether an extender receives complete node objects. */
        public static boolean needNodeObjects(List<ExtenderConfig> configs) {
            return configs.stream()
                    .anyMatch(config -> !config.nodeCacheCapable()
                            && !(config.filterVerb().isEmpty()
                                    && config.prioritizeVerb().isEmpty()));
        }
    }
}
