package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The taints that the node controller keeps on nodes in trouble ({@code pkg/controller/nodelifecycle}). */
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

    /** Whether nobody but the controller may have set a taint of this key. */
    public static boolean isOwn(String key) {
        return key.equals(NOT_READY)
                || key.equals(UNREACHABLE)
                || key.equals(UNSCHEDULABLE)
                || PRESSURES.containsValue(key);
    }

    /** Those that the node should have, by its conditions and {@code spec.unschedulable}. */
    public static List<Taint> of(JsonNode node) {
        Set<Taint> wanted = new LinkedHashSet<>();
        for (JsonNode condition : node.path("status").path("conditions")) {
            String type = Fields.text(condition, "type");
            String status = Fields.text(condition, "status");
            String pressure = PRESSURES.get(type);
            if (type.equals("Ready") && !status.equals("True") && !status.isEmpty()) {
                String key = status.equals("Unknown") ? UNREACHABLE : NOT_READY;
                wanted.add(new Taint(key, NO_SCHEDULE));
                wanted.add(new Taint(key, "NoExecute"));
            } else if (pressure != null && status.equals("True")) {
                wanted.add(new Taint(pressure, NO_SCHEDULE));
            }
        }
        if (node.path("spec").path("unschedulable").asBoolean()) {
            wanted.add(new Taint(UNSCHEDULABLE, NO_SCHEDULE));
        }
        return new ArrayList<>(wanted);
    }

    /** Adds to a node those that it lacks. */
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
}
