package io.policyscheduler.cmd.extender.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.policyscheduler.framework.extender.ExtenderException;
import io.policyscheduler.framework.extender.HostScore;
import io.policyscheduler.framework.extender.MetaVictims;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads answers as Go's encoding/json does: keys in any case, null for nothing, whole numbers only. */
final class ExtenderAnswer {
    private final JsonNode root;

    /** @param type Go type for messages */
    ExtenderAnswer(JsonNode root, String type) throws ExtenderException {
        if (!root.isNull() && !root.isObject()) {
            throw mismatch(root, "value", type);
        }
        this.root = root;
    }

    /** The text under {@code Error}; empty when there is none. */
    String error() throws ExtenderException {
        return text(field(root, "Error"), "struct field Error");
    }

    /** {@code NodeNames}; null when absent or null. */
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

    /** Names of the node objects under {@code Nodes}; null when absent or null. */
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
            failed.put(entry.getKey(), text(entry.getValue(), "struct field " + name));
        }
        return failed;
    }

    /** {@code NodeNameToMetaVictims}. */
    SortedMap<String, MetaVictims> victims() throws ExtenderException {
        SortedMap<String, MetaVictims> victims = new TreeMap<>();
        String name = "struct field NodeNameToMetaVictims";
        for (Map.Entry<String, JsonNode> entry :
                object(field(root, "NodeNameToMetaVictims"), name, "map[string]*v1.MetaVictims")) {
            // v1.17 crashes over a null here.
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

    /** A list of scores, which is the whole answer. */
    static List<HostScore> scores(JsonNode root) throws ExtenderException {
        List<HostScore> scores = new ArrayList<>();
        for (JsonNode entry : array(root, "value", "v1.HostPriorityList")) {
            object(entry, "value", "v1.HostPriority");
            JsonNode score = field(entry, "Score");
            boolean whole = score.isIntegralNumber() && score.canConvertToLong();
            if (!whole && !score.isNull()) {
                throw mismatch(score, "struct field HostPriority.Score", "int64");
            }
            scores.add(new HostScore(text(field(entry, "Host"), "struct field HostPriority.Host"), score.longValue()));
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
        return ExtenderException.broken("json: cannot unmarshal " + kind + " into Go " + where + " of type " + type);
    }
}
