package io.policyscheduler.framework.insight.migrate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PolicyArguments;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PredicatePolicy;
import io.policyscheduler.engine.policy.Policy.PriorityPolicy;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.ExtenderPolicy;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import io.policyscheduler.framework.insight.migrate.PolicyEntries.PolicyItem;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The algorithms that continue to run in extenders of this program. NodePreferAvoidPodsPriority gets its own extender: because an
 * extender's scores are normalized over its nodes, its weight of 10,000 would hide the differences between the others.
 */
final class ExtenderAlgorithms {
    static final String FILTER_DIFFERENCES =
            "The scheduler calls it after its own filters and only for the nodes that pass them. The extender uses the pods"
                    + " of its own watch. The scheduler does not call it while it simulates preemption.";
    static final String SCORE_DIFFERENCES =
            "The scheduler adds 10·W·floor(10·(T-min T)/(max T-min T)) to the total of a node. v1.17 adds T = sum of"
                    + " weight·score. W is the sum of the weights in the extender. The maximum is 100·W in both. The best node"
                    + " now always gets the maximum and the worst node 0, unless all nodes are equal.";
    static final String RUN_EXTENDER = "run the extender";
    static final String RUN_EXTENDER_IN_FULL = "Run policy-scheduler extender next to kube-scheduler.";

    private static final String AVOID_PODS = "NodePreferAvoidPodsPriority";
    private static final String AVOID_PODS_SUFFIX = "-avoid-pods";
    private static final int DEFAULT_PORT = 8888;

    private final EffectivePolicy policy;
    private final PolicyEntries items;
    private final Options options;
    private final List<String> predicates = new ArrayList<>();
    private final Map<String, Long> priorities = new LinkedHashMap<>();

    ExtenderAlgorithms(EffectivePolicy policy, PolicyEntries items, Options options) {
        this.policy = policy;
        this.items = items;
        this.options = options;
    }

    void predicate(String key) {
        predicates.add(key);
    }

    void priority(String key, long weight) {
        priorities.put(key, weight);
    }

    /** The entry of {@code extenders} in one line. */
    static String entry(String url, boolean filters, long weight) {
        YamlMap entry = YamlMap.flow().put("urlPrefix", url);
        if (filters) {
            entry.put("filterVerb", "filter");
        }
        if (weight > 0) {
            entry.put("prioritizeVerb", "prioritize").put("weight", weight);
        }
        return YamlWriter.inline(entry.put("nodeCacheCapable", true));
    }

    /** The policies of the extenders. */
    List<ExtenderPolicy> policies() {
        List<ExtenderPolicy> retained = new ArrayList<>();
        for (Group group : groups()) {
            ObjectNode json = new ReducedPolicy(policy, items).json(group.predicates(), group.priorities());
            List<String> names = new ArrayList<>();
            group.predicates().forEach(key -> names.add(PolicyEntries.names(items.predicate(key))));
            group.priorities().keySet().forEach(key -> names.add(PolicyEntries.names(items.priority(key))));
            String command = "policy-scheduler extender --policy " + group.file() + " --port " + port(group.url());
            String entry = entry(group.url(), !group.predicates().isEmpty(), group.weight());
            retained.add(new ExtenderPolicy(
                    group.file(), json.toPrettyString() + "\n", group.url(), entry, command, List.copyOf(names)));
        }
        return retained;
    }

    /** The entries of {@code extenders}. */
    List<YamlMap> entries() {
        List<YamlMap> entries = new ArrayList<>();
        for (Group group : groups()) {
            List<PolicyItem> filters = group.predicates().stream()
                    .flatMap(key -> items.predicate(key).stream())
                    .toList();
            List<PolicyItem> scores = group.priorities().keySet().stream()
                    .flatMap(key -> items.priority(key).stream())
                    .toList();
            YamlMap entry = YamlMap.block()
                    .put("urlPrefix", group.url(), "added: start policy-scheduler extender --policy " + group.file());
            if (!filters.isEmpty()) {
                entry.put("filterVerb", "filter", PolicyEntries.remark(filters));
            }
            if (!scores.isEmpty()) {
                entry.put("prioritizeVerb", "prioritize", PolicyEntries.remark(scores));
                entry.put("weight", group.weight(), "sum of the weights of " + PolicyEntries.names(scores));
            }
            entries.add(entry.put("nodeCacheCapable", true, "added: the extender watches nodes itself"));
        }
        return entries;
    }

    private record Group(String url, String file, List<String> predicates, Map<String, Long> priorities) {
        long weight() {
            return priorities.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    private List<Group> groups() {
        Map<String, Long> others = new LinkedHashMap<>(priorities);
        Long avoid = others.remove(AVOID_PODS);
        List<Group> groups = new ArrayList<>();
        String file = options.extenderPolicyFile();
        if (!predicates.isEmpty() || !others.isEmpty()) {
            groups.add(new Group(options.extenderUrl(), file, predicates, others));
        }
        if (avoid != null) {
            boolean second = !groups.isEmpty();
            groups.add(new Group(
                    second ? nextPort(options.extenderUrl()) : options.extenderUrl(),
                    second ? suffixed(file) : file,
                    List.of(),
                    Map.of(AVOID_PODS, avoid)));
        }
        return groups;
    }

    private static String suffixed(String file) {
        int dot = file.lastIndexOf('.');
        return dot <= file.lastIndexOf('/') + 1
                ? file + AVOID_PODS_SUFFIX
                : file.substring(0, dot) + AVOID_PODS_SUFFIX + file.substring(dot);
    }

    private static int port(String url) {
        int port = URI.create(url).getPort();
        return port < 0 ? DEFAULT_PORT : port;
    }

    private static String nextPort(String url) {
        URI uri = URI.create(url);
        String path = uri.getRawPath() == null ? "" : uri.getRawPath();
        return uri.getScheme() + "://" + uri.getHost() + ":" + (port(url) + 1) + path;
    }

    /** Writes a Policy with some algorithms of another one, in the format that {@code PolicyReader} reads. */
    static final class ReducedPolicy {
        private static final int SCORE_FACTOR = 10;

        private final EffectivePolicy policy;
        private final PolicyEntries items;
        private final Set<String> used = new TreeSet<>();

        ReducedPolicy(EffectivePolicy policy, PolicyEntries items) {
            this.policy = policy;
            this.items = items;
        }

        /** Writes both lists, because a missing list means the defaults. */
        ObjectNode json(List<String> predicates, Map<String, Long> priorities) {
            ObjectNode root =
                    JsonNodeFactory.instance.objectNode().put("kind", "Policy").put("apiVersion", "v1");
            ArrayNode predicateList = root.putArray("predicates");
            predicates.forEach(key -> predicate(predicateList.addObject(), key));
            ArrayNode priorityList = root.putArray("priorities");
            priorities.forEach((key, weight) -> priority(priorityList.addObject(), key, weight));
            rules(root);
            return root;
        }

        private void predicate(ObjectNode entry, String key) {
            PredicatePolicy rule = items.predicateEntries().stream()
                    .filter(given -> given.name().equals(key)
                            && given.argument() != null
                            && given.argument().rule() != null)
                    .findFirst()
                    .orElse(null);
            entry.put("name", items.predicate(key).get(0).name());
            if (rule != null && rule.argument() != null && rule.argument().rule() != null) {
                rule(
                        entry.putObject("argument").putObject("rule"),
                        rule.argument().rule());
            } else if (key.equals(KnownAlgorithms.CHECK_SERVICE_AFFINITY)) {
                ArrayNode labels =
                        entry.putObject("argument").putObject("serviceAffinity").putArray("labels");
                policy.arguments().affinityLabels().forEach(labels::add);
            }
        }

        private void priority(ObjectNode entry, String key, long weight) {
            PriorityPolicy rule = items.priorityEntries().stream()
                    .filter(given -> given.name().equals(key)
                            && given.argument() != null
                            && given.argument().rule() != null)
                    .findFirst()
                    .orElse(null);
            entry.put("name", items.priority(key).get(0).name()).put("weight", weight);
            if (rule != null && rule.argument() != null && rule.argument().rule() != null) {
                rule(
                        entry.putObject("argument").putObject("rule"),
                        rule.argument().rule());
            } else if (key.equals(KnownAlgorithms.REQUESTED_TO_CAPACITY_RATIO)) {
                ratio(entry.putObject("argument").putObject("requestedToCapacityRatioArguments"));
            }
        }

        private void ratio(ObjectNode argument) {
            PolicyArguments arguments = policy.arguments();
            ArrayNode shape = argument.putArray("shape");
            arguments
                    .ratioShape()
                    .forEach(point -> shape.addObject()
                            .put("utilization", point.utilization())
                            .put("score", point.score() / SCORE_FACTOR));
            ArrayNode resources = argument.putArray("resources");
            arguments
                    .ratioResources()
                    .forEach((name, weight) ->
                            resources.addObject().put("name", name).put("weight", weight));
        }

        /** The rules of the file that the entries use; rules of libraries stay in their files. */
        private void rules(ObjectNode root) {
            Policy file = items.file();
            if (file == null || file.rules().stream().noneMatch(rule -> used.contains(rule.name()))) {
                return;
            }
            ArrayNode list = root.putArray("rules");
            for (RuleDefinition definition : file.rules()) {
                if (used.contains(definition.name())) {
                    rule(list.addObject().put("name", definition.name()), definition);
                }
            }
        }

        private void rule(ObjectNode json, RuleDefinition rule) {
            if (!rule.use().isEmpty()) {
                used.add(rule.use());
                json.put("use", rule.use());
            }
            if (!rule.expression().isEmpty()) {
                json.put("expression", rule.expression());
            }
            if (rule.when() != null) {
                json.put("when", rule.when());
            }
            if (!rule.params().isEmpty()) {
                ObjectNode params = json.putObject("params");
                rule.params().forEach((name, value) -> params.putPOJO(name, value));
            }
            if (rule.reason() != null) {
                json.put("reason", rule.reason());
            }
            if (rule.resolvable() != null) {
                json.put("resolvable", rule.resolvable());
            }
            if (rule.normalize() != null) {
                json.put("normalize", rule.normalize());
            }
            if (rule.onError() != null) {
                json.put("onError", rule.onError());
            }
        }
    }
}
