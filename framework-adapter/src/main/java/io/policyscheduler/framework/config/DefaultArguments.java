package io.policyscheduler.framework.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.framework.config.setting.ConfigVersion;

/** The values that plugin arguments have when a file leaves them out. Mirrors {@code defaults.go} of each version. */
final class DefaultArguments {
    private static final int BIND_TIMEOUT_SECONDS = 600;

    private DefaultArguments() {}

    /** The arguments of a plugin about which the file says nothing; an empty object if it has none. */
    public static ObjectNode of(ConfigVersion version, String plugin) {
        ObjectNode args = JsonNodeFactory.instance.objectNode();
        fill(version, plugin, args);
        return args;
    }

    /** Adds what is missing, in place. */
    static void fill(ConfigVersion version, String plugin, ObjectNode args) {
        if (!ArgumentShapes.of(version).has(plugin)) {
            return;
        }
        switch (plugin) {
            case PluginNames.NODE_RESOURCES_FIT -> fit(version, args);
            case PluginNames.NODE_RESOURCES_BALANCED -> {
                resources(args);
                weights(args);
            }
            case PluginNames.NODE_RESOURCES_LEAST,
                    PluginNames.NODE_RESOURCES_MOST,
                    PluginNames.REQUESTED_TO_CAPACITY_RATIO -> resources(args);
            case PluginNames.INTER_POD_AFFINITY -> interPodAffinity(version, args);
            case PluginNames.POD_TOPOLOGY_SPREAD -> topologySpread(version, args);
            case PluginNames.VOLUME_BINDING -> number(args, "bindTimeoutSeconds", BIND_TIMEOUT_SECONDS);
            case PluginNames.DEFAULT_PREEMPTION -> {
                number(args, "minCandidateNodesPercentage", 10);
                number(args, "minCandidateNodesAbsolute", 100);
            }
            case PluginNames.DYNAMIC_RESOURCES -> {
                if (!args.has("filterTimeout")) {
                    args.put("filterTimeout", "10s");
                }
            }
            default -> {
                // NodeAffinity, NodeLabel and ServiceAffinity: nothing is added to what the file says.
            }
        }
    }

    private static void fit(ConfigVersion version, ObjectNode args) {
        list(args, "ignoredResources");
        if (!version.atLeast(ConfigVersion.V1BETA1)) {
            return;
        }
        list(args, "ignoredResourceGroups");
        if (!(args.get("scoringStrategy") instanceof ObjectNode)) {
            args.putObject("scoringStrategy").put("type", "LeastAllocated");
        }
        if (args.get("scoringStrategy") instanceof ObjectNode strategy) {
            resources(strategy);
            weights(strategy);
        }
    }

    private static void interPodAffinity(ConfigVersion version, ObjectNode args) {
        number(args, "hardPodAffinityWeight", 1);
        if (version.atLeast(ConfigVersion.V1BETA2) && !args.has("ignorePreferredTermsOfExistingPods")) {
            args.put("ignorePreferredTermsOfExistingPods", false);
        }
    }

    private static void topologySpread(ConfigVersion version, ObjectNode args) {
        list(args, "defaultConstraints");
        boolean missing = args.path("defaultingType").asText("").isEmpty();
        if (missing && version.atLeast(ConfigVersion.V1BETA1)) {
            boolean guess = version == ConfigVersion.V1BETA1
                    && !args.path("defaultConstraints").isEmpty();
            args.put("defaultingType", guess ? "List" : "System");
        }
    }

    private static void resources(ObjectNode parent) {
        if (parent.path("resources").isEmpty()) {
            ArrayNode resources = parent.putArray("resources");
            resources.addObject().put("name", "cpu").put("weight", 1L);
            resources.addObject().put("name", "memory").put("weight", 1L);
        }
    }

    private static void weights(ObjectNode parent) {
        for (JsonNode resource : parent.path("resources")) {
            if (resource.path("weight").asLong(0) == 0) {
                ((ObjectNode) resource).put("weight", 1L);
            }
        }
    }

    private static void number(ObjectNode args, String field, int value) {
        if (!args.has(field)) {
            args.put(field, value);
        }
    }

    private static void list(ObjectNode args, String field) {
        if (!args.has(field)) {
            args.putArray(field);
        }
    }
}
