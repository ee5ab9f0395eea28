package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Compares the outcomes of predicates as functions and as plugins, except for the differences that v1.17 has, too. */
final class ExecutorComparison {
    /** In v1.17, plugins fail without the shared metadata, and functions continue without it. */
    private static final String METADATA_ERROR = "convert to predicates.Metadata error";

    /** Parts of GeneralPredicates. A policy that also names one of them gets its reasons twice from functions and once from plugins. */
    private static final Set<String> PARTS_OF_GENERAL =
            Set.of("HostName", "MatchNodeSelector", "PodFitsHostPorts", "PodFitsResources");

    private static final int SHOWN = 400;

    private final boolean checksAll;
    private final List<String> differences = new ArrayList<>();
    private boolean repeatsReasons;

    /** @param checksAll the policy sets alwaysCheckAllPredicates, so that both executors report all reasons */
    ExecutorComparison(boolean checksAll) {
        this.checksAll = checksAll;
    }

    /** Returns the differences between two outcomes of one scenario; empty if they agree. */
    List<String> differences(JsonNode legacy, JsonNode framework) {
        String refusedLegacy = legacy.path("configError").asText();
        String refusedFramework = framework.path("configError").asText();
        // Labels that are both required and forbidden prevent only the framework from starting.
        if (!refusedFramework.isEmpty() && refusedLegacy.isEmpty()) {
            check("configError", true, refusedFramework.contains("detecting at least one label"));
            return differences;
        }
        check("configError", refusedLegacy, refusedFramework);
        Set<String> predicates = texts(legacy.path("predicates"));
        repeatsReasons = predicates.contains(KnownAlgorithms.GENERAL_PREDICATES)
                && !Collections.disjoint(predicates, PARTS_OF_GENERAL);
        for (int i = 0; i < legacy.path("pods").size(); i++) {
            JsonNode left = legacy.path("pods").path(i);
            JsonNode right = framework.path("pods").path(i);
            if (right.path("error").asText().contains(METADATA_ERROR)) {
                // After the first different placement, the snapshots hold different pods.
                break;
            }
            pod(left, right);
            if (!differences.isEmpty()) {
                break;
            }
        }
        return differences;
    }

    private void pod(JsonNode legacy, JsonNode framework) {
        String name = legacy.path("pod").asText();
        boolean errorLegacy = legacy.has("error") && !legacy.has("preemption");
        boolean errorFramework = framework.has("error") && !framework.has("preemption");
        if (errorLegacy || errorFramework) {
            boolean same = errorLegacy
                    && errorFramework
                    && framework
                            .path("error")
                            .asText()
                            .endsWith(legacy.path("error").asText());
            check(
                    name + " error",
                    legacy.path("error").asText(),
                    same ? legacy.path("error").asText() : framework.toString());
            return;
        }
        check(name + " feasible", legacy.path("feasible"), framework.path("feasible"));
        failures(name, legacy.path("failures"), framework.path("failures"));
        if (legacy.has("bound")) {
            scores(name, legacy, framework);
        } else {
            preemption(name, legacy.path("preemption"), framework.path("preemption"));
        }
    }

    private void failures(String name, JsonNode legacy, JsonNode framework) {
        check(name + " failing nodes", names(legacy), names(framework));
        if (checksAll && !repeatsReasons) {
            check(name + " failures", legacy, framework);
            return;
        }
        for (Map.Entry<String, JsonNode> failure : framework.properties()) {
            JsonNode functions = legacy.path(failure.getKey());
            if (checksAll) {
                check(
                        name + " reasons",
                        texts(functions.path("reasons")),
                        texts(failure.getValue().path("reasons")));
                continue;
            }
            Set<String> reasons = texts(functions.path("reasons"));
            JsonNode plugin = failure.getValue();
            String where = name + " on " + failure.getKey();
            check(where + ", reasons of the plugin", 1, plugin.path("reasons").size());
            if (!reasons.containsAll(texts(plugin.path("reasons")))) {
                check(where, functions, plugin);
            }
            if (plugin.path("unresolvable").asBoolean()) {
                check(
                        where + " unresolvable",
                        true,
                        functions.path("unresolvable").asBoolean());
            }
        }
    }

    private void scores(String name, JsonNode legacy, JsonNode framework) {
        check(
                name + " number of scores",
                legacy.path("scores").size(),
                framework.path("scores").size());
        for (Map.Entry<String, JsonNode> scores : legacy.path("scores").properties()) {
            String made = KnownAlgorithms.scorePlugin(scores.getKey());
            String plugin = made.isEmpty() ? scores.getKey() : made;
            check(
                    name + " scores of " + plugin,
                    scores.getValue(),
                    framework.path("scores").path(plugin));
            check(
                    name + " weight of " + plugin,
                    legacy.path("weights").path(scores.getKey()),
                    framework.path("weights").path(plugin));
        }
        if (!legacy.path("scores").isEmpty()) {
            check(name + " totals", legacy.path("totals"), framework.path("totals"));
        }
        check(name + " best", legacy.path("best"), framework.path("best"));
        check(name + " bound", legacy.path("bound"), framework.path("bound"));
    }

    private void preemption(String name, JsonNode legacy, JsonNode framework) {
        check(name + " eligible", legacy.path("eligible"), framework.path("eligible"));
        Set<String> both = texts(legacy.path("potentialNodes"));
        // Functions report more reasons and can therefore only exclude more nodes.
        check(
                name + " potential nodes",
                true,
                texts(framework.path("potentialNodes")).containsAll(both));
        for (String node : both) {
            check(
                    name + " victims on " + node,
                    legacy.path("candidates").path(node),
                    framework.path("candidates").path(node));
        }
    }

    private void check(String what, Object legacy, Object framework) {
        if (!Objects.equals(legacy, framework)) {
            differences.add(what + ": functions " + shown(legacy) + ", plugins " + shown(framework));
        }
    }

    private static String shown(Object value) {
        String text = value.toString();
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    private static Set<String> texts(JsonNode array) {
        Set<String> texts = new HashSet<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static Set<String> names(JsonNode object) {
        Set<String> names = new HashSet<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
