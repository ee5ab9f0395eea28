package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.rule.CaseFile.CaseProblems;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Nodes and pods of cases: Kubernetes objects, whose common fields may be outside of {@code metadata}, {@code spec} and
 * {@code status}, and whose name, namespace, and resources have defaults.
 */
final class CaseObjects {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final Map<String, String> ROOM = Map.of("cpu", "8", "memory", "32Gi", "pods", "110");
    private static final int MAX_COUNT = 10_000;
    private static final int MAX_DIGITS = 400;

    private final CaseProblems problems;

    CaseObjects(CaseProblems problems) {
        this.problems = problems;
    }

    /**
     * Nodes in the order of the file; the default names are {@code node-1} and so on.
     *
     * @param items null for one default node
     */
    List<Node> nodes(@Nullable List<SourceNode> items) {
        List<Node> nodes = new ArrayList<>();
        if (items == null) {
            add(nodes, ShortForm.NODE.expand(null, problems), null);
            return List.copyOf(nodes);
        }
        for (SourceNode item : items) {
            add(nodes, ShortForm.NODE.expand(item, problems), item);
        }
        return List.copyOf(nodes);
    }

    private void add(List<Node> nodes, ObjectNode tree, @Nullable SourceNode source) {
        name(tree, "node-" + (nodes.size() + 1));
        ObjectNode status = tree.withObject("/status");
        if (!status.hasNonNull("allocatable")) {
            status.putObject("allocatable");
        }
        if (status.get("allocatable") instanceof ObjectNode allocatable) {
            ROOM.forEach((resource, amount) -> {
                if (!allocatable.hasNonNull(resource)) {
                    allocatable.put(resource, amount);
                }
            });
        }
        if (read(tree, "Node", source) instanceof Node node) {
            boolean again = nodes.stream().anyMatch(other -> other.name().equals(node.name()));
            if (again && source != null) {
                problems.add(source.position(), "node \"" + node.name() + "\" appears twice; rename one");
            } else {
                nodes.add(node);
            }
        }
    }

    /** Pods on nodes; the default is the first node. */
    List<PodInfo> running(List<SourceNode> items, List<Node> nodes) {
        List<PodInfo> pods = new ArrayList<>();
        for (SourceNode item : items) {
            ObjectNode tree = ShortForm.RUNNING.expand(item, problems);
            JsonNode value = tree.remove("count");
            if (value != null && (!value.isIntegralNumber() || value.asInt(-1) < 0 || value.asInt() > MAX_COUNT)) {
                problems.add(item.position(), "count is " + value + ", expected a number from 0 to " + MAX_COUNT);
                continue;
            }
            int count = value == null ? 1 : value.asInt();
            ObjectNode spec = tree.withObject("/spec");
            if (!spec.hasNonNull("nodeName") && !nodes.isEmpty()) {
                spec.put("nodeName", nodes.get(0).name());
            }
            String node = spec.path("nodeName").asText();
            List<String> known = nodes.stream().map(Node::name).toList();
            if (!known.contains(node)) {
                problems.unknown(item.position(), "no node \"" + node + "\" in this case", node, known);
                continue;
            }
            String given = tree.path("metadata").path("name").asText("");
            for (int i = 0; i < count; i++) {
                ObjectNode one = tree.deepCopy();
                String number = "-" + (pods.size() + 1);
                if (given.isEmpty() || count > 1) {
                    one.withObject("/metadata").put("name", (given.isEmpty() ? "running" : given) + number);
                }
                PodInfo pod = pod(one, item, "running" + number);
                if (pod == null) {
                    break;
                }
                pods.add(pod);
            }
        }
        return List.copyOf(pods);
    }

    /** Complete objects that are neither nodes nor pods; the default namespace is {@code default}. */
    List<ClusterObject> others(List<SourceNode> items) {
        List<ClusterObject> others = new ArrayList<>();
        for (SourceNode item : items) {
            String kind = item.kind() == SourceNode.Kind.OBJECT
                    ? tree(item).path("kind").asText()
                    : "";
            ResourceKind known = ResourceKind.ofObjectKind(kind);
            if (known == null || known == ResourceKind.NODES || known == ResourceKind.PODS) {
                problems.add(
                        item.position(),
                        kind.isEmpty()
                                ? "the object has no kind; set one, such as PersistentVolumeClaim"
                                : "objects of kind " + kind
                                        + " are not supported here; put nodes into \"nodes\" and pods into \"pods\";"
                                        + " rules read no other kinds");
                continue;
            }
            ObjectNode tree = (ObjectNode) tree(item);
            if (known.isNamespaced() && !tree.path("metadata").hasNonNull("namespace")) {
                tree.withObject("/metadata").put("namespace", "default");
            }
            ClusterObject read = read(tree, kind, item);
            if (read != null) {
                others.add(read);
            }
        }
        return List.copyOf(others);
    }

    /**
     * The pod of the case.
     *
     * @param item null for a default object
     */
    @Nullable
    PodInfo pod(@Nullable SourceNode item) {
        return pod(ShortForm.POD.expand(item, problems), item, "pod");
    }

    private @Nullable PodInfo pod(ObjectNode tree, @Nullable SourceNode source, String uid) {
        name(tree, "pod");
        ObjectNode metadata = tree.withObject("/metadata");
        if (!metadata.hasNonNull("namespace")) {
            metadata.put("namespace", "default");
        }
        metadata.put("uid", uid);
        return read(tree, "Pod", source) instanceof PodInfo pod ? pod : null;
    }

    private static void name(ObjectNode tree, String name) {
        ObjectNode metadata = tree.withObject("/metadata");
        if (!metadata.hasNonNull("name")) {
            metadata.put("name", name);
        }
    }

    private @Nullable ClusterObject read(ObjectNode tree, String kind, @Nullable SourceNode source) {
        List<String> unknown = new ArrayList<>();
        FeatureGates gates = FeatureGates.defaults().at(Release.NEWEST);
        ObjectReader reader = new ObjectReader(gates, true, unknown::add);
        try {
            ClusterObject object = reader.readTree(kind, tree);
            if (object instanceof PodInfo) {
                // A case has no PriorityClasses or RuntimeClasses, so that their values are missing.
                new ObjectCreation(Rules.of(gates), Objects.NONE, null).defaultPod(tree);
                object = reader.readTree(kind, tree);
            }
            if (source != null) {
                unknown.forEach(path -> problems.add(
                        source.position(), "no release up to " + Release.NEWEST + " has the field " + path));
            }
            return object;
        } catch (IOException e) {
            if (source == null) {
                throw new IllegalStateException("the default " + kind + " cannot be read", e);
            }
            problems.add(source.position(), String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** A value as in JSON. */
    static JsonNode tree(SourceNode value) {
        return switch (value.kind()) {
            case NULL -> NullNode.instance;
            case BOOL -> NODES.booleanNode(Boolean.parseBoolean(value.text()));
            case NUMBER -> number(new BigDecimal(value.text()));
            case STRING -> NODES.textNode(value.text());
            case ARRAY -> {
                ArrayNode list = NODES.arrayNode();
                value.items().forEach(item -> list.add(tree(item)));
                yield list;
            }
            case OBJECT -> {
                ObjectNode object = NODES.objectNode();
                value.members().forEach(member -> object.set(member.key(), tree(member.value())));
                yield object;
            }
        };
    }

    private static JsonNode number(BigDecimal value) {
        // 1e999999999 does not fit into an integer and is not a valid value.
        boolean integer = value.stripTrailingZeros().scale() <= 0 && value.precision() - value.scale() < MAX_DIGITS;
        return integer ? NODES.numberNode(value.toBigInteger()) : NODES.numberNode(value);
    }

    /** The fields of nodes and pods, and those that may be outside of their section. */
    enum ShortForm {
        NODE(
                "a node",
                "name labels annotations creationTimestamp",
                "taints unschedulable",
                "allocatable images conditions",
                "",
                "configSource externalID podCIDR podCIDRs providerID taints unschedulable",
                "addresses allocatable capacity conditions config daemonEndpoints declaredFeatures features images nodeInfo"
                        + " phase runtimeHandlers volumesAttached volumesInUse"),
        POD("a pod", Fields.POD_METADATA, Fields.POD_SPEC, "", "requests", "", ""),
        RUNNING("a pod on a node", Fields.POD_METADATA, Fields.POD_SPEC, "", "requests count", "", "");

        /** Fields of all pods. */
        private static final class Fields {
            static final String POD_METADATA =
                    "name namespace labels annotations creationTimestamp ownerReferences deletionTimestamp";
            static final String POD_SPEC =
                    "affinity containers hostNetwork initContainers nodeName nodeSelector overhead"
                            + " priority priorityClassName schedulerName serviceAccountName tolerations topologySpreadConstraints volumes";
            static final String METADATA = "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp"
                    + " finalizers generateName generation labels managedFields name namespace ownerReferences"
                    + " resourceVersion selfLink uid";
        }

        private final String what;
        private final List<String> metadata;
        private final List<String> spec;
        private final List<String> status;
        private final List<String> keys;
        /** All fields of the sections; empty if the reader of the object finds unknown ones. */
        private final List<String> wholeSpec;

        private final List<String> wholeStatus;

        ShortForm(
                String what,
                String metadata,
                String spec,
                String status,
                String own,
                String wholeSpec,
                String wholeStatus) {
            this.what = what;
            this.metadata = words(metadata);
            this.spec = words(spec);
            this.status = words(status);
            this.wholeSpec = words(wholeSpec);
            this.wholeStatus = words(wholeStatus);
            this.keys = ImmutableList.<String>builder()
                    .addAll(this.metadata)
                    .addAll(this.spec)
                    .addAll(this.status)
                    .addAll(words(own))
                    .add("apiVersion", "kind", "metadata", "spec", "status")
                    .build();
        }

        private static List<String> words(String text) {
            return text.isEmpty() ? List.of() : List.of(text.split(" "));
        }

        /**
         * The complete object; {@code count} stays outside of its sections.
         *
         * @param source null for a default object
         */
        ObjectNode expand(@Nullable SourceNode source, CaseProblems problems) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            if (source == null) {
                return object;
            }
            CaseObject given = new CaseObject(source, what, keys, problems);
            section("metadata", words(Fields.METADATA), given, object, problems);
            section("spec", wholeSpec, given, object, problems);
            section("status", wholeStatus, given, object, problems);
            for (String key : given.keys()) {
                SourceNode value = given.any(key);
                String section = metadata.contains(key)
                        ? "metadata"
                        : spec.contains(key) ? "spec" : status.contains(key) ? "status" : "";
                if (value == null) {
                    continue;
                }
                if (key.equals("count")) {
                    object.set(key, CaseObjects.tree(value));
                } else if (key.equals("requests")) {
                    requests(value, object, problems);
                } else if (!section.isEmpty()) {
                    put(object.withObject("/" + section), key, value, section, problems);
                }
            }
            return object;
        }

        private static void section(
                String name, List<String> known, CaseObject given, ObjectNode object, CaseProblems problems) {
            SourceNode section = given.any(name);
            if (section == null) {
                return;
            }
            if (section.kind() != SourceNode.Kind.OBJECT) {
                problems.add(section.position(), name + " is " + CaseObject.shown(section) + ", expected an object");
                return;
            }
            if (!known.isEmpty()) {
                new CaseObject(section, name, known, problems);
            }
            object.set(name, CaseObjects.tree(section));
        }

        private static void put(ObjectNode into, String key, SourceNode value, String section, CaseProblems problems) {
            if (into.has(key)) {
                problems.add(value.position(), key + " is set twice, here and in " + section + "; remove one");
            }
            into.set(key, CaseObjects.tree(value));
        }

        private static void requests(SourceNode value, ObjectNode object, CaseProblems problems) {
            ObjectNode spec = object.withObject("/spec");
            if (spec.has("containers")) {
                problems.add(value.position(), "requests creates a container; remove it or containers");
                return;
            }
            ObjectNode container = spec.putArray("containers").addObject().put("name", "container");
            container.putObject("resources").set("requests", CaseObjects.tree(value));
        }
    }

    /** An object of a case file. Unknown keys and values of a wrong type are reported as problems, and count as missing. */
    static final class CaseObject {
        private final Map<String, SourceNode> members = new LinkedHashMap<>();
        private final SourcePosition position;
        private final CaseProblems problems;

        /**
         * @param what the object in messages: {@code a case}
         * @param keys allowed keys
         */
        CaseObject(SourceNode node, String what, List<String> keys, CaseProblems problems) {
            this.position = node.position();
            this.problems = problems;
            if (node.kind() != SourceNode.Kind.OBJECT) {
                problems.add(position, what + " must be an object, not " + shown(node));
            }
            for (SourceNode.Member member : node.members()) {
                if (!keys.contains(member.key())) {
                    problems.unknown(
                            member.keyPosition(),
                            "unknown key \"" + member.key() + "\"; " + what + " has " + String.join(", ", keys),
                            member.key(),
                            keys);
                } else if (members.putIfAbsent(member.key(), member.value()) != null) {
                    problems.add(member.keyPosition(), "the key \"" + member.key() + "\" appears twice; remove one");
                }
            }
        }

        SourcePosition position() {
            return position;
        }

        /** The place of a value; of the object if the value is missing. */
        SourcePosition position(String key) {
            SourceNode value = members.get(key);
            return value == null ? position : value.position();
        }

        /** The keys, in the order of the file. */
        List<String> keys() {
            return List.copyOf(members.keySet());
        }

        boolean has(String key) {
            return any(key) != null;
        }

        /** A value of any type; null when it is missing or null. */
        @Nullable
        SourceNode any(String key) {
            SourceNode value = members.get(key);
            return value == null || value.kind() == SourceNode.Kind.NULL ? null : value;
        }

        /** A string; null if absent. */
        @Nullable
        String string(String key) {
            SourceNode value = typed(key, SourceNode.Kind.STRING, "a string; put it in quotes");
            return value == null ? null : value.text();
        }

        /** The items of a list; null if absent. */
        @Nullable
        List<SourceNode> list(String key) {
            SourceNode value = typed(key, SourceNode.Kind.ARRAY, "a list");
            return value == null ? null : value.items();
        }

        /** The values of {@code params}; empty if absent. */
        Map<String, Object> params(String key) {
            SourceNode value = typed(key, SourceNode.Kind.OBJECT, "an object");
            Map<String, Object> params = new LinkedHashMap<>();
            if (value != null) {
                for (SourceNode.Member member : value.members()) {
                    Object param = param(member.value());
                    if (param != null) {
                        params.put(member.key(), param);
                    }
                }
            }
            return Collections.unmodifiableMap(params);
        }

        /** An object without changes; null if absent. */
        @Nullable
        SourceNode objectNode(String key) {
            return typed(key, SourceNode.Kind.OBJECT, "an object");
        }

        private @Nullable Object param(SourceNode value) {
            return switch (value.kind()) {
                case BOOL -> Boolean.valueOf(value.text());
                case NUMBER -> {
                    double number = Double.parseDouble(value.text());
                    if (Double.isInfinite(number)) {
                        problems.add(
                                value.position(), value.text() + " is out of range; numbers are 64-bit floating point");
                    }
                    yield number;
                }
                case STRING -> value.text();
                case ARRAY -> {
                    List<Object> items = new ArrayList<>();
                    for (SourceNode item : value.items()) {
                        Object param = param(item);
                        if (param != null) {
                            items.add(param);
                        }
                    }
                    yield items;
                }
                case NULL, OBJECT -> {
                    problems.add(
                            value.position(),
                            "a parameter must be a bool, a number, a string, or a list, not " + shown(value));
                    yield null;
                }
            };
        }

        private @Nullable SourceNode typed(String key, SourceNode.Kind kind, String expected) {
            SourceNode value = any(key);
            if (value != null && value.kind() != kind) {
                problems.add(value.position(), key + " is " + shown(value) + ", expected " + expected);
                return null;
            }
            return value;
        }

        /** A value in messages. */
        static String shown(SourceNode value) {
            return switch (value.kind()) {
                case NULL -> "null";
                case BOOL, NUMBER -> value.text();
                case STRING -> "\"" + value.text() + "\"";
                case ARRAY -> "a list";
                case OBJECT -> "an object";
            };
        }
    }
}
