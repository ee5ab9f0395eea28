package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import io.policyscheduler.engine.document.SourceNode;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Nodes and pods of cases: Kubernetes objects, of which the usual fields may stand outside of {@code metadata}, {@code spec}
 * and {@code status}, and which get a name, a namespace and room when they do not say it.
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
     * Nodes in the order of the file, named {@code node-1} and so on if they do not say it.
     *
     * @param items null for one node of which nothing is said
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

    /** Pods on nodes; those that do not say on which are on the first one. */
    List<PodInfo> running(List<SourceNode> items, List<Node> nodes) {
        List<PodInfo> pods = new ArrayList<>();
        for (SourceNode item : items) {
            ObjectNode tree = ShortForm.RUNNING.expand(item, problems);
            JsonNode told = tree.remove("count");
            if (told != null && (!told.isIntegralNumber() || told.asInt(-1) < 0 || told.asInt() > MAX_COUNT)) {
                problems.add(item.position(), "count is " + told + ", expected a number from 0 to " + MAX_COUNT);
                continue;
            }
            int count = told == null ? 1 : told.asInt();
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

    /** Objects that are neither nodes nor pods, whole, as Kubernetes has them; in namespace default if they do not say it. */
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
     * The pod to decide about.
     *
     * @param item null for one of which nothing is said
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
                // Its classes are in no case, so that what they would give it is not there either.
                new ObjectCreation(Rules.of(gates), Objects.NONE, null).podAlone(tree);
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

    /** A value as JSON has it. */
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
        // 1e999999999 has no place as an integer, and is none that an object may have.
        boolean integer = value.stripTrailingZeros().scale() <= 0 && value.precision() - value.scale() < MAX_DIGITS;
        return integer ? NODES.numberNode(value.toBigInteger()) : NODES.numberNode(value);
    }
}
