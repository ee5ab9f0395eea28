package io.policyscheduler.cmd.validate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.PluginList;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.KnownAlgorithms;
import io.policyscheduler.engine.cluster.VisibleText;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.EffectivePolicy.PluginTranslation;
import io.policyscheduler.engine.policy.ExtenderConfig;
import io.policyscheduler.engine.policy.Origin;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;

/** The report of an accepted policy: predicates, priorities, extenders, settings, and warnings. */
final class PolicyReport {
    private static final String NONE = "-";
    /** A narrower terminal has no space for all plugins of a predicate and for the full origin. */
    private static final int WIDE = 130;

    /**
     * One predicate or priority.
     *
     * @param plugins framework plugins in order; empty if it remains a function
     * @param weight of a priority, 0 for a predicate
     * @param scope the objects that its result depends on; {@code -} if it never runs
     */
    private record Line(String name, List<String> plugins, long weight, String scope, Origin origin) {}

    private final EffectivePolicy policy;
    private final PluginTranslation translation;
    private final List<Line> predicates = new ArrayList<>();
    private final List<Line> priorities = new ArrayList<>();

    /** @param registry the algorithms that the resolver used */
    public PolicyReport(EffectivePolicy policy, AlgorithmRegistry registry) {
        this.policy = policy;
        this.translation = PluginTranslation.of(policy);
        AlgorithmConfig config = policy.algorithmConfig(name -> "");
        List<String> order = new ArrayList<>(policy.evaluationOrder());
        policy.predicateKeys().stream().filter(key -> !order.contains(key)).forEach(order::add);
        for (String name : order) {
            boolean runs = policy.evaluationOrder().contains(name);
            String scope = runs ? lower(policy.predicate(name, registry, config).scope()) : NONE;
            Origin origin = origin(policy.predicates(), name);
            predicates.add(new Line(name, KnownAlgorithms.filterPlugins(name), 0, scope, origin));
        }
        policy.priorities().forEach((name, weight) -> {
            String plugin = KnownAlgorithms.scorePlugin(name);
            String scope = lower(policy.priority(name, registry, config).scope());
            Origin origin = origin(policy.priorityOrigins(), name);
            priorities.add(new Line(name, plugin.isEmpty() ? List.of() : List.of(plugin), weight, scope, origin));
        });
    }

    private static Origin origin(SortedMap<String, Origin> origins, String name) {
        return Objects.requireNonNull(origins.get(name), name);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Prints the report for people.
     *
     * @param explain adds scopes, origins, arguments and settings
     */
    public void print(PrintWriter out, boolean explain) {
        printLines(out, "PREDICATE", predicates, false, explain);
        if (explain) {
            out.println(
                    "(SCOPE node: the result for a node depends on the pod and on this node. SCOPE cluster: it also depends"
                            + " on other objects.)");
        }
        if (explain && predicates.stream().anyMatch(line -> isForNewerField(line.origin()))) {
            out.println("(mandatory since 1.N: added on clusters of release 1.N and later, for a field of newer pods)");
        }
        printLines(out, "PRIORITY", priorities, true, explain);
        printExtenders(out);
        if (explain) {
            TextTable table = new TextTable().text("SETTING").text("VALUE");
            settings().forEach(table::row);
            translation.pluginConfig().forEach((plugin, arguments) -> table.row(plugin + " arguments", arguments));
            out.println();
            table.print(out);
            new NewerFieldTable(policy).print(out);
            out.println();
            plugins().table().print(out);
            out.println(
                    "(preFilter and preScore list every predicate and priority, even if the plugin of kube-scheduler lacks this extension point.)");
        }
        if (!policy.warnings().isEmpty()) {
            out.println();
            policy.warnings().forEach(warning -> out.println(warning.line(policy.source())));
        }
    }

    private static boolean isForNewerField(Origin origin) {
        return origin.kind() == Origin.Kind.MANDATORY && !origin.detail().isEmpty();
    }

    /** The plugins by extension point. */
    PluginList plugins() {
        return ProfileSettings.ofPolicy("", policy, 0).source().plugins();
    }

    private String plugins(Line line, boolean narrow) {
        List<String> plugins = line.plugins();
        if (line.name().equals(KnownAlgorithms.DYNAMIC_RESOURCES)) {
            return policy.allocatesClaims()
                    ? KnownAlgorithms.DYNAMIC_RESOURCES
                    : "DynamicResources (rejects pods with claims)";
        }
        if (line.name().equals(KnownAlgorithms.NODE_DECLARED_FEATURES)) {
            return KnownAlgorithms.NODE_DECLARED_FEATURES;
        }
        if (plugins.isEmpty()) {
            return NONE;
        }
        return narrow && plugins.size() > 1
                ? plugins.get(0) + " and " + (plugins.size() - 1) + " more"
                : String.join(", ", plugins);
    }

    private void printLines(PrintWriter out, String title, List<Line> lines, boolean weights, boolean explain) {
        if (lines.isEmpty()) {
            return;
        }
        boolean narrow = out instanceof TerminalWriter terminal && terminal.columns() > 0 && terminal.columns() < WIDE;
        TextTable table = new TextTable().text(title);
        if (weights) {
            table.number("WEIGHT");
        }
        table.text(weights ? "PLUGIN" : "PLUGINS");
        if (explain) {
            table.text("SCOPE").text("ORIGIN");
        }
        for (Line line : lines) {
            List<Object> cells = new ArrayList<>(List.of(line.name()));
            if (weights) {
                cells.add(line.weight());
            }
            cells.add(plugins(line, narrow));
            if (explain) {
                cells.add(line.scope());
                cells.add(
                        narrow
                                ? line.origin().describe().replaceFirst(": .*", "")
                                : line.origin().describe());
            }
            table.row(cells.toArray());
        }
        out.println();
        table.print(out);
    }

    private void printExtenders(PrintWriter out) {
        TextTable table = new TextTable()
                .text("EXTENDER")
                .text("VERBS")
                .number("WEIGHT")
                .text("IGNORABLE")
                .text("RESOURCES");
        for (ExtenderConfig extender : policy.extenders()) {
            StringJoiner resources = new StringJoiner(", ").setEmptyValue("all pods");
            extender.managedResources().forEach(resource -> resources.add(resource.name()));
            table.row(
                    extender.urlPrefix().isEmpty() ? NONE : VisibleText.withoutPasswords(extender.urlPrefix()),
                    verbs(extender).isEmpty()
                            ? NONE
                            : String.join(", ", verbs(extender).keySet()),
                    extender.weight(),
                    extender.ignorable() ? "yes" : "no",
                    resources);
        }
        if (!table.isEmpty()) {
            out.println();
            table.print(out);
        }
    }

    private static Map<String, String> verbs(ExtenderConfig extender) {
        Map<String, String> verbs = new LinkedHashMap<>();
        verbs.put("filter", extender.filterVerb());
        verbs.put("prioritize", extender.prioritizeVerb());
        verbs.put("preempt", extender.preemptVerb());
        verbs.put("bind", extender.bindVerb());
        verbs.values().removeIf(String::isEmpty);
        return verbs;
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("hardPodAffinitySymmetricWeight", policy.hardPodAffinityWeight());
        settings.put("alwaysCheckAllPredicates", policy.alwaysCheckAllPredicates());
        settings.put("strict v1.17", policy.strictV117());
        settings.put("release of the cluster", policy.gates().release());
        if (!policy.gates().toString().isEmpty()) {
            settings.put("feature gates", policy.gates());
        }
        if (!policy.ignoredExtendedResources().isEmpty()) {
            settings.put("resources that only extenders count", String.join(", ", policy.ignoredExtendedResources()));
        }
        return settings;
    }

    /** The report as JSON. */
    public ObjectNode json() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        ArrayNode predicateNodes = node.putArray("predicates");
        for (Line line : predicates) {
            ObjectNode one = predicateNodes.addObject().put("name", line.name());
            line.plugins().forEach(one.putArray("plugins")::add);
            where(one, line);
        }
        ArrayNode priorityNodes = node.putArray("priorities");
        for (Line line : priorities) {
            ObjectNode one = priorityNodes.addObject().put("name", line.name()).put("weight", line.weight());
            one.put("plugin", line.plugins().isEmpty() ? null : line.plugins().get(0));
            where(one, line);
        }
        node.set("pluginConfig", new ObjectMapper().valueToTree(translation.pluginConfig()));
        ArrayNode extenders = node.putArray("extenders");
        for (ExtenderConfig extender : policy.extenders()) {
            ObjectNode one = extenders.addObject().put("urlPrefix", VisibleText.withoutPasswords(extender.urlPrefix()));
            ObjectNode verbs = one.putObject("verbs");
            verbs(extender).forEach(verbs::put);
            one.put("weight", extender.weight()).put("ignorable", extender.ignorable());
            ArrayNode resources = one.putArray("managedResources");
            extender.managedResources().forEach(resource -> resources.add(resource.name()));
        }
        node.put("hardPodAffinitySymmetricWeight", policy.hardPodAffinityWeight());
        node.put("alwaysCheckAllPredicates", policy.alwaysCheckAllPredicates());
        node.put("release", policy.gates().release().toString());
        new NewerFieldTable(policy).addTo(node.putArray("newerFields"));
        ArrayNode warnings = node.putArray("warnings");
        for (Warning warning : policy.warnings()) {
            ObjectNode one = warnings.addObject().put("code", warning.code()).put("message", warning.message());
            position(one, warning.position());
        }
        return node;
    }

    private static void where(ObjectNode node, Line line) {
        node.put("scope", line.scope()).put("origin", line.origin().describe());
    }

    private static void position(ObjectNode node, SourcePosition position) {
        node.put("line", position.line()).put("column", position.column());
    }

    /** A summary: {@code 6 predicates and 2 mandatory ones, 8 priorities, 1 extender, 2 warnings}. */
    public String summary() {
        return policy.predicateCounts() + ", "
                + count(priorities.size(), "priority", "priorities") + ", "
                + count(policy.extenders().size(), "extender", "extenders") + ", "
                + count(policy.warnings().size(), "warning", "warnings");
    }

    private static String count(int n, String one, String many) {
        return n + " " + (n == 1 ? one : many);
    }

    /** The effects of fields that are newer than v1.17, as far as the release of the cluster has them. */
    static final class NewerFieldTable {
        private final EffectivePolicy policy;

        NewerFieldTable(EffectivePolicy policy) {
            this.policy = policy;
        }

        private List<NewerField> served() {
            FeatureGates gates = policy.gates();
            return Arrays.stream(NewerField.values())
                    .filter(field -> gates.ignoring(Set.of()).honours(field))
                    .toList();
        }

        /** Prints the table; nothing for a cluster of v1.17. */
        void print(PrintWriter out) {
            TextTable table = new TextTable().text("NEWER FIELD").text("EFFECT");
            for (NewerField field : served()) {
                table.row(field.key(), effect(field));
            }
            if (!table.isEmpty()) {
                out.println();
                table.print(out);
            }
        }

        void addTo(ArrayNode json) {
            for (NewerField field : served()) {
                json.addObject()
                        .put("name", field.key())
                        .put("path", field.path())
                        .put("effect", effect(field));
            }
        }

        /** Without the predicate DynamicResources, a policy rejects pods with resource claims. */
        private boolean rejectsClaims(NewerField field) {
            return field == NewerField.RESOURCE_CLAIMS && !policy.allocatesClaims();
        }

        private String effect(NewerField field) {
            if (!policy.gates().honours(field)) {
                return "ignored (--ignore-newer-fields)";
            }
            String since = " " + field.since(policy.gates().release());
            return switch (field.effect()) {
                case REQUESTS -> "counted in requests" + since;
                case MANDATORY ->
                    rejectsClaims(field)
                            ? "pods with claims are rejected" + since + "; list " + field.algorithm()
                                    + " to allocate claims"
                            : "honored by the mandatory " + field.algorithm() + since;
                case WAITS -> "honored" + since + ": pods wait until their gates are removed";
                case PREEMPTION -> "limits preemption" + since;
                case GROWN ->
                    policy.predicates().containsKey(field.algorithm())
                            ? "honored by " + field.algorithm() + since
                            : "ignored: the policy has no " + field.algorithm();
            };
        }
    }
}
