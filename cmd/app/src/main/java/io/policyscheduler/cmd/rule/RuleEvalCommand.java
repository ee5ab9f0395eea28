package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.DumpFiles;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.cmd.sources.SnapshotOptions.TimeConverter;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.PolicyTables;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.ExpressionPart;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartStatistics;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.Syntax;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.TermText;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rule eval}. */
@Command(
        name = "eval",
        description = "Evaluates an expression for a pod of a snapshot, on each node or on one.",
        sortOptions = false,
        customSynopsis = {
            "policy-scheduler rule eval -e EXPR --cluster=FILE... --pod=NAMESPACE/NAME",
            "           [--node=NAME] [--tree] [OPTION...]"
        },
        footer = {
            "",
            "A pod that is bound to a node is first removed from it. --tree shows the value of each part of the",
            "expression. It omits parts that are not evaluated, such as the right side of a false &&. A part inside",
            "of any, all, count, or filter is evaluated for each element of a list. --tree then shows how often it",
            "is true and false.",
            "",
            "-o json prints (tree with --tree only)",
            "  {\"pod\": \"default/web\", \"expression\": \"node.podCount < 5\", \"type\": \"bool\", \"scope\":"
                    + " \"NODE\",",
            "   \"budget\": 200000, \"nodes\": [ {\"node\": \"n1\", \"value\": true, \"failure\": null, \"work\": 0,",
            "      \"tree\": {\"text\": \"node.podCount < 5\", \"line\": 1, \"column\": 1, \"evaluations\": 1,",
            "        \"value\": true, \"failure\": null, \"true\": 1, \"false\": 0,",
            "        \"parts\": [ {\"text\": \"node.podCount\", ...} ]}} ]}",
            "In the tree, \"evaluations\" is the number of evaluations of a part, and \"true\" and \"false\" count"
                    + " their",
            "results. If the results differ, \"value\" is null. The value of a list is its number of elements. If a",
            "rule fails, its value is null, and \"failure\" has the reason. \"work\" is the cost of the evaluation on",
            "this node. Reading a field costs about 1. A rule whose cost exceeds \"budget\" fails."
        })
final class RuleEvalCommand implements Callable<Integer> {
    @Mixin
    private ExpressionOptions expression = new ExpressionOptions();

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            required = true,
            arity = "1..*",
            description = "Snapshot: one or more files with nodes, pods, and other objects.")
    private List<Path> clusterFiles = List.of();

    @Option(
            names = "--pod",
            paramLabel = "NAMESPACE/NAME",
            required = true,
            description = "Pod: NAME, NAMESPACE/NAME, or pod/NAME. A unique prefix of the name is enough.")
    private String podName = "";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod (default: the namespace \"default\", then all other namespaces).")
    private @Nullable String namespace;

    @Option(names = "--node", paramLabel = "NAME", description = "Evaluate only this node (default: all nodes).")
    private @Nullable String nodeName;

    @Option(
            names = "--now",
            paramLabel = "TIME",
            converter = TimeConverter.class,
            description = "Current time for the expression, such as 2026-03-01T22:30:00Z (default: when the command"
                    + " starts).")
    private @Nullable Instant now;

    @Option(
            names = "--table",
            paramLabel = "NAME=FILE",
            description = "Table that the expression reads, CSV, JSON, or YAML. Repeatable.")
    private Map<String, Path> tableFiles = Map.of();

    @Option(
            names = {"--tree", "--trace"},
            description = "Show the value of each part of the expression.")
    private boolean tree;

    @Option(
            names = "--rule-executor",
            paramLabel = "NAME",
            defaultValue = "direct",
            description = "Evaluator: direct or mvel. --tree uses direct (default: ${DEFAULT-VALUE}).")
    private RuleProgram.Executor executor = RuleProgram.Executor.DIRECT;

    @Mixin
    private DumpFiles dumps = new DumpFiles();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        RuleProgram program = expression.compileOrFail(tables());
        ClusterSnapshot snapshot = read(program.readsPodAnnotations());
        ClusterState cluster = snapshot.state();
        PodInfo pod = pod(snapshot, cluster);
        cluster.startCompleteCycle();
        RuleValues values = RuleValues.of(program, executor, pod, nodes(snapshot, cluster), cluster, tree);
        common.output().write(() -> values.print(common.out()), values::json);
        return ExitCode.OK;
    }

    private RuleTables tables() {
        Map<String, TableInput.Text> texts = new TreeMap<>();
        tableFiles.forEach((name, file) ->
                texts.put(name, new TableInput.Text(InputFiles.text(file), file.toString(), file.toString())));
        List<Problem> problems = new ArrayList<>();
        RuleTables tables = PolicyTables.ofTexts(texts, problems);
        if (!problems.isEmpty()) {
            throw new InputException(problems.get(0).line());
        }
        return tables;
    }

    private ClusterSnapshot read(boolean podAnnotations) {
        try (Progress progress = common.progress(SteadyClock.system())) {
            Dump dump = new Dump(
                    FeatureGates.defaults().at(Release.NEWEST).keepingPodAnnotations(podAnnotations),
                    warning -> progress.note("warning: " + warning),
                    objects -> progress.count("objects read", objects, 0));
            dumps.read(clusterFiles, dump);
            return dump.snapshot().at(now == null ? SteadyClock.system().instant() : now);
        }
    }

    private PodInfo pod(ClusterSnapshot snapshot, ClusterState cluster) {
        PodInfo pod = new PodNames(snapshot).pod(podName, namespace);
        if (!pod.nodeName().isEmpty()) {
            cluster.removePod(pod);
        }
        return pod;
    }

    private List<NodeInfo> nodes(ClusterSnapshot snapshot, ClusterState cluster) {
        return nodeName == null
                ? cluster.nodes()
                : List.of(Objects.requireNonNull(cluster.node(new PodNames(snapshot).node(nodeName))));
    }

    /** Prints the parts of an expression and their values on a node, without literals, names, and maps. */
    public static final class RuleTree {
        private static final int WIDTH = 100;
        private static final int GAP = 3;
        private static final String INDENT = "  ";
        private static final String CUT = "...";

        private record Row(int depth, String text, String value) {}

        private RuleTree() {}

        /** A table, at most 100 columns wide unless the values are longer; parts of a term are indented below it. */
        public static void print(String node, PartValue root, PrintWriter out) {
            List<Row> rows = new ArrayList<>();
            collect(root, 0, true, rows);
            int values =
                    rows.stream().mapToInt(row -> row.value().length()).max().orElse(0);
            int width = Math.max(WIDTH / 3, WIDTH - GAP - values);
            TextTable table = new TextTable().text(node).text("VALUE");
            for (Row row : rows) {
                String text = INDENT.repeat(row.depth()) + row.text();
                table.row(text.length() <= width ? text : text.substring(0, width - CUT.length()) + CUT, row.value());
            }
            table.print(out);
        }

        private static void collect(PartValue value, int depth, boolean whole, List<Row> rows) {
            boolean shown = whole || isShown(value.part());
            if (shown) {
                rows.add(new Row(depth, value.part().text(), text(value.statistics())));
            }
            if (!shown || value.statistics().evaluations() > 0) {
                value.parts().forEach(part -> collect(part, shown ? depth + 1 : depth, false, rows));
            }
        }

        private static boolean isShown(ExpressionPart part) {
            Syntax syntax = part.syntax();
            boolean plain = syntax instanceof Syntax.NumberLiteral
                    || syntax instanceof Syntax.StringLiteral
                    || syntax instanceof Syntax.BoolLiteral
                    || syntax instanceof Syntax.NullLiteral
                    || syntax instanceof Syntax.Name;
            Term term = part.term();
            boolean constant = term instanceof Term.Constant && syntax instanceof Syntax.Unary;
            if (plain || term == null || constant) {
                return false;
            }
            RuleType type = term.type();
            return type.isScalar() || type.isText() || type.isMaybeNumber() || type.element() != null;
        }

        /** A summary of all evaluations. */
        static String text(PartStatistics statistics) {
            long times = statistics.evaluations();
            if (times == 0) {
                return "not evaluated";
            }
            if (statistics.same()) {
                return one(statistics) + (times == 1 ? "" : " for all " + times);
            }
            if (statistics.trues() + statistics.falses() > 0) {
                return "true for " + statistics.trues() + " of " + times;
            }
            return times + " values";
        }

        private static String one(PartStatistics statistics) {
            if (statistics.failure() != null) {
                return "failed: " + statistics.failure();
            }
            if (statistics.value() instanceof Integer size) {
                return size + (size == 1 ? " element" : " elements");
            }
            return statistics.value() == null ? "null" : TermText.of(statistics.value());
        }

        /** The result as JSON. */
        public static ObjectNode json(PartValue value) {
            ExpressionPart part = value.part();
            PartStatistics statistics = value.statistics();
            ObjectNode json = JsonNodeFactory.instance
                    .objectNode()
                    .put("text", part.text())
                    .put("line", part.line())
                    .put("column", part.column())
                    .put("evaluations", statistics.evaluations());
            put(json, statistics.same() ? statistics.value() : null);
            json.put("failure", statistics.failure())
                    .put("true", statistics.trues())
                    .put("false", statistics.falses());
            List<PartValue> shown = new ArrayList<>();
            value.parts().forEach(inner -> shown(inner, shown));
            ArrayNode parts = json.putArray("parts");
            shown.forEach(inner -> parts.add(json(inner)));
            return json;
        }

        private static void shown(PartValue value, List<PartValue> into) {
            if (isShown(value.part())) {
                into.add(value);
            } else {
                value.parts().forEach(part -> shown(part, into));
            }
        }

        private static void put(ObjectNode json, @Nullable Object value) {
            if (value instanceof Boolean bool) {
                json.put("value", bool);
            } else if (value instanceof Double number) {
                json.put("value", number);
            } else if (value instanceof Integer size) {
                json.put("value", size);
            } else {
                json.put("value", value == null ? null : String.valueOf(value));
            }
        }
    }

    /**
     * The values of an expression for one pod on several nodes.
     *
     * @param pod namespace/name
     * @param budget maximum work of one evaluation in a cluster of this size
     * @param values one per node, in the requested order
     */
    record RuleValues(RuleProgram program, String pod, long budget, List<OnNode> values) {
        /**
         * The value for one node; {@code bool} and {@code number} are null if the expression has the other type or fails.
         *
         * @param failure the error; null for none
         * @param work counted work of the evaluation
         * @param tree the expression with its parts and their values; null if not requested
         */
        public record OnNode(
                String node,
                @Nullable Boolean bool,
                @Nullable Double number,
                @Nullable String failure,
                long work,
                @Nullable PartValue tree) {
            private String text() {
                if (failure != null) {
                    return "failed: " + failure;
                }
                return number == null ? String.valueOf(bool) : plain(number);
            }
        }

        public RuleValues {
            values = List.copyOf(values);
        }

        /**
         * Evaluates an expression.
         *
         * @param executor executor of the rule
         * @param traced whether the parts are requested
         */
        public static RuleValues of(
                RuleProgram program,
                RuleProgram.Executor executor,
                PodInfo pod,
                List<NodeInfo> nodes,
                ClusterView cluster,
                boolean traced) {
            RuleProgram.Run run = program.start(pod, cluster, executor);
            List<OnNode> values = new ArrayList<>();
            for (NodeInfo node : nodes) {
                PartValue tree = traced ? program.trace(pod, node, cluster) : null;
                try {
                    boolean isBool = program.type() == RuleType.BOOL;
                    values.add(new OnNode(
                            node.name(),
                            isBool ? run.bool(node) : null,
                            isBool ? null : run.number(node),
                            null,
                            run.work(),
                            tree));
                } catch (RuleFailure e) {
                    values.add(new OnNode(node.name(), null, null, e.kind().text(), run.work(), tree));
                }
            }
            return new RuleValues(
                    program, pod.key(), program.budget(cluster.nodes().size()), values);
        }

        private static String plain(double number) {
            return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
        }

        /** One table; with trees, one per node, with the parts of a term indented below it. */
        public void print(PrintWriter out) {
            TextTable table = new TextTable().text("NODE");
            if (program.type() == RuleType.NUMBER) {
                table.number("VALUE");
            } else {
                table.text("VALUE");
            }
            values.forEach(value -> table.row(value.node(), value.text()));
            table.print(out);
            for (OnNode value : values) {
                if (value.tree() != null) {
                    out.println();
                    RuleTree.print(value.node(), value.tree(), out);
                }
            }
        }

        /** The result as JSON. */
        public ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance
                    .objectNode()
                    .put("pod", pod)
                    .put("expression", program.expression())
                    .put("type", program.type().label())
                    .put("scope", program.scope().toString())
                    .put("budget", budget);
            ArrayNode nodes = json.putArray("nodes");
            for (OnNode value : values) {
                ObjectNode node = nodes.addObject().put("node", value.node());
                if (value.number() == null) {
                    node.put("value", value.bool());
                } else {
                    node.put("value", value.number());
                }
                node.put("failure", value.failure()).put("work", value.work());
                if (value.tree() != null) {
                    node.set("tree", RuleTree.json(value.tree()));
                }
            }
            return json;
        }
    }
}
