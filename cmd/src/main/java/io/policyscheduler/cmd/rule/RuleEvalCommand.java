package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.sources.DumpFiles;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.PodNames;
import io.policyscheduler.cmd.sources.TimeConverter;
import io.policyscheduler.cmd.threads.SteadyClock;
import io.policyscheduler.cmd.world.Dump;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.policy.table.PolicyTables;
import io.policyscheduler.engine.policy.table.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.framework.insight.compare.World;
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
            "A pod that is bound to a node is first removed from it. --tree shows the value of each part of",
            "the expression. Parts that are not evaluated, such as the right side of a false &&, are left",
            "out. The values for the elements of a list are summarized.",
            "",
            "-o json prints (tree with --tree only)",
            "  {\"pod\": \"default/web\", \"expression\": \"node.podCount < 5\", \"type\": \"bool\", \"scope\": \"NODE\",",
            "   \"budget\": 200000, \"nodes\": [ {\"node\": \"n1\", \"value\": true, \"failure\": null, \"work\": 0,",
            "      \"tree\": {\"text\": \"node.podCount < 5\", \"line\": 1, \"column\": 1, \"evaluations\": 1, \"value\": true,",
            "        \"failure\": null, \"true\": 1, \"false\": 0, \"parts\": [ {\"text\": \"node.podCount\", ...} ]}} ]}",
            "\"value\" is null if the evaluations differ. \"true\" and \"false\" count them. The value of a list is",
            "its number of elements. If a rule fails, its value is null and \"failure\" has the reason. \"work\"",
            "is the cost of the evaluation for the sizes of the objects, in units of one member access. Above",
            "\"budget\" the rule fails."
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
            description = "Namespace of the pod (default: default, then all others).")
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
        World world = read(program.readsPodAnnotations());
        ClusterState cluster = world.state();
        PodInfo pod = pod(world, cluster);
        cluster.startCycle();
        RuleValues values = RuleValues.of(program, executor, pod, nodes(world, cluster), cluster, tree);
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

    private World read(boolean podAnnotations) {
        try (Progress progress = common.progress(SteadyClock.system())) {
            Dump dump = new Dump(
                    FeatureGates.defaults().at(Release.NEWEST).keepingPodAnnotations(podAnnotations),
                    warning -> progress.note("warning: " + warning),
                    objects -> progress.count("objects read", objects, 0));
            dumps.read(clusterFiles, dump);
            return dump.world().at(now == null ? SteadyClock.system().instant() : now);
        }
    }

    private PodInfo pod(World world, ClusterState cluster) {
        PodInfo pod = new PodNames(world).pod(podName, namespace);
        if (!pod.nodeName().isEmpty()) {
            cluster.removePod(pod);
        }
        return pod;
    }

    private List<NodeInfo> nodes(World world, ClusterState cluster) {
        return nodeName == null
                ? cluster.nodes()
                : List.of(Objects.requireNonNull(cluster.node(new PodNames(world).node(nodeName))));
    }
}
