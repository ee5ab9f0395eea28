package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The taints that the node controller manages by node conditions ({@code pkg/controller/nodelifecycle}). */
public final class NodeTaints {
    private static final String PREFIX = "node.kubernetes.io/";
    private static final String NO_SCHEDULE = "NoSchedule";
    private static final String NOT_READY = PREFIX + "not-ready";
    private static final String UNREACHABLE = PREFIX + "unreachable";
    private static final String UNSCHEDULABLE = PREFIX + "unschedulable";
    /** By the type of the condition. */
    private static final Map<String, String> PRESSURES = new TreeMap<>(Map.of(
            "MemoryPressure",
            PREFIX + "memory-pressure",
            "DiskPressure",
            PREFIX + "disk-pressure",
            "PIDPressure",
            PREFIX + "pid-pressure",
            "NetworkUnavailable",
            PREFIX + "network-unavailable"));

    private NodeTaints() {}

    /**
     * A taint without a value.
     *
     * @param key such as {@code node.kubernetes.io/not-ready}
     * @param effect NoSchedule or NoExecute
     */
    public record Taint(String key, String effect) {}

    /** Whether only the controller sets taints with this key. */
    public static boolean isOwn(String key) {
        return key.equals(NOT_READY)
                || key.equals(UNREACHABLE)
                || key.equals(UNSCHEDULABLE)
                || PRESSURES.containsValue(key);
    }

    /** The taints for the conditions and {@code spec.unschedulable} of a node. */
    public static List<Taint> of(JsonNode node) {
        Set<Taint> conditions = new LinkedHashSet<>();
        for (JsonNode condition : node.path("status").path("conditions")) {
            String type = Fields.text(condition, "type");
            String status = Fields.text(condition, "status");
            String pressure = PRESSURES.get(type);
            if (type.equals("Ready") && !status.equals("True") && !status.isEmpty()) {
                String key = status.equals("Unknown") ? UNREACHABLE : NOT_READY;
                conditions.add(new Taint(key, NO_SCHEDULE));
                conditions.add(new Taint(key, "NoExecute"));
            } else if (pressure != null && status.equals("True")) {
                conditions.add(new Taint(pressure, NO_SCHEDULE));
            }
        }
        if (node.path("spec").path("unschedulable").asBoolean()) {
            conditions.add(new Taint(UNSCHEDULABLE, NO_SCHEDULE));
        }
        return new ArrayList<>(conditions);
    }

    /** Adds missing taints to a node. */
    static void add(ObjectNode node) {
        for (Taint taint : of(node)) {
            JsonNode taints = node.path("spec").path("taints");
            boolean there = false;
            for (JsonNode present : taints) {
                there |= Fields.text(present, "key").equals(taint.key())
                        && Fields.text(present, "effect").equals(taint.effect());
            }
            if (!there) {
                Fields.list(Fields.child(node, "spec"), "taints")
                        .addObject()
                        .put("key", taint.key())
                        .put("effect", taint.effect());
            }
        }
    }

    private static final List<String> AUTOMATIC =
            List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");
    private static final String NO_EXECUTE = "NoExecute";
    private static final int SECONDS = 300;

    /**
     * Adds the default tolerations, which keep pods on a failed node for five minutes
     * ({@code plugin/pkg/admission/defaulttolerationseconds}).
     */
    static void addAutomatic(ObjectNode spec) {
        for (String key : AUTOMATIC) {
            if (!isTolerated(spec.path("tolerations"), key)) {
                Fields.list(spec, "tolerations")
                        .addObject()
                        .put("key", key)
                        .put("operator", "Exists")
                        .put("effect", NO_EXECUTE)
                        .put("tolerationSeconds", SECONDS);
            }
        }
    }

    private static boolean isTolerated(JsonNode tolerations, String key) {
        for (JsonNode toleration : tolerations) {
            String effect = Fields.text(toleration, "effect");
            String tolerated = Fields.text(toleration, "key");
            if ((tolerated.equals(key) || tolerated.isEmpty()) && (effect.isEmpty() || effect.equals(NO_EXECUTE))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The pod's own tolerations, then those of its RuntimeClass, without those that another one covers
     * ({@code pkg/util/tolerations}).
     */
    static void mergeTolerations(ObjectNode spec, JsonNode more) {
        List<JsonNode> all = new ArrayList<>();
        spec.path("tolerations").forEach(all::add);
        more.forEach(all::add);
        List<JsonNode> retained = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            JsonNode one = all.get(i);
            boolean covered = retained.stream().anyMatch(other -> covers(other, one));
            for (int j = i + 1; j < all.size() && !covered; j++) {
                covered = !all.get(j).equals(one) && covers(all.get(j), one);
            }
            if (!covered) {
                retained.add(one);
            }
        }
        ArrayNode merged = spec.putArray("tolerations");
        retained.forEach(toleration -> merged.add(toleration.deepCopy()));
    }

    private static boolean covers(JsonNode wide, JsonNode narrow) {
        if (wide.equals(narrow)) {
            return true;
        }
        String key = Fields.text(wide, "key");
        String effect = Fields.text(wide, "effect");
        if ((!key.isEmpty() && !key.equals(Fields.text(narrow, "key")))
                || (!effect.isEmpty() && !effect.equals(Fields.text(narrow, "effect")))) {
            return false;
        }
        JsonNode seconds = wide.path("tolerationSeconds");
        JsonNode other = narrow.path("tolerationSeconds");
        if (effect.equals(NO_EXECUTE)
                && seconds.isNumber()
                && (!other.isNumber() || other.asLong() > seconds.asLong())) {
            return false;
        }
        return operator(wide).equals("Exists")
                || (operator(narrow).equals("Equal")
                        && Fields.text(wide, "value").equals(Fields.text(narrow, "value")));
    }

    private static String operator(JsonNode toleration) {
        String operator = Fields.text(toleration, "operator");
        return operator.isEmpty() ? "Equal" : operator;
    }
}
