package io.policyscheduler.cmd.cli;

import com.google.common.collect.ImmutableListMultimap;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.bench.BenchCommand;
import io.policyscheduler.cmd.cli.HelpLayout.HelpCommand;
import io.policyscheduler.cmd.cluster.ClusterCommand;
import io.policyscheduler.cmd.cluster.DemoCommand;
import io.policyscheduler.cmd.cluster.DumpCommand;
import io.policyscheduler.cmd.compare.CompareCommand;
import io.policyscheduler.cmd.compare.ShadowCommand;
import io.policyscheduler.cmd.explain.ExplainCommand;
import io.policyscheduler.cmd.explain.WhyCommand;
import io.policyscheduler.cmd.extender.ExtenderCommand;
import io.policyscheduler.cmd.lab.LabCommand;
import io.policyscheduler.cmd.migrate.MigrateCommand;
import io.policyscheduler.cmd.migrate.PreflightCommand;
import io.policyscheduler.cmd.replay.ReplayCommand;
import io.policyscheduler.cmd.rule.RuleCommand;
import io.policyscheduler.cmd.run.ConfigCommand;
import io.policyscheduler.cmd.run.LabReplayCommand;
import io.policyscheduler.cmd.run.RunCommand;
import io.policyscheduler.cmd.simulate.AuditCommand;
import io.policyscheduler.cmd.simulate.SimulateCommand;
import io.policyscheduler.cmd.validate.ValidateCommand;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;

/** The commands of the program in the order of the help. */
final class Commands {
    private static final ImmutableMap<String, Supplier<Object>> ALL = ImmutableMap.<String, Supplier<Object>>builder()
            .put("demo", DemoCommand::new)
            .put("run", RunCommand::new)
            .put("validate", ValidateCommand::new)
            .put("simulate", SimulateCommand::new)
            .put("explain", ExplainCommand::new)
            .put("why", WhyCommand::new)
            .put("compare", CompareCommand::new)
            .put("shadow", ShadowCommand::new)
            .put("audit", AuditCommand::new)
            .put("dump", DumpCommand::new)
            .put("lab", LabCommand::new)
            .put("preflight", PreflightCommand::new)
            .put("migrate", MigrateCommand::new)
            .put("replay", ReplayCommand::new)
            .put("extender", ExtenderCommand::new)
            .put("cluster", ClusterCommand::new)
            .put("bench", BenchCommand::new)
            .put("config", ConfigCommand::new)
            .put("rule", RuleCommand::new)
            .put("help", HelpCommand::new)
            .put("version", VersionCommand::new)
            .put("completion", CompletionCommand::new)
            .buildOrThrow();

    private static final Set<String> TELL_OF_ALL = Set.of("help", "completion");

    private Commands() {}

    /** Returns the program with all commands. */
    static CommandLine of(Main main) {
        CommandLine program = new CommandLine(main);
        ALL.forEach((name, command) -> program.addSubcommand(name, made(command)));
        return program;
    }

    /**
     * Returns the program with the commands that a command line needs. Reading the annotations of all commands takes longer than most
     * commands run. {@code help} and {@code completion} need all commands.
     */
    static CommandLine of(Main main, String[] args) {
        String first = args.length == 0 ? "" : args[0];
        Supplier<Object> command = TELL_OF_ALL.contains(first) ? null : ALL.get(first);
        if (command == null) {
            return of(main);
        }
        return new CommandLine(main).addSubcommand(first, made(command));
    }

    /** Creates a command line of its own, so that the flags without annotations are added. */
    private static CommandLine made(Supplier<Object> command) {
        Object made = command.get();
        CommandLine line = new CommandLine(made);
        // Replays what run has recorded, with the flags of run, and is next to the other uses of recordings.
        return made instanceof LabCommand ? line.addSubcommand("replay", new LabReplayCommand()) : line;
    }

    /** The example command lines of the help. */
    static final class Examples {
        private static final ImmutableListMultimap<String, String> BY_COMMAND =
                ImmutableListMultimap.<String, String>builder()
                        .putAll(
                                "",
                                "policy-scheduler demo",
                                "policy-scheduler validate --explain policy.json",
                                "policy-scheduler simulate --policy policy.json --cluster dump.json",
                                "source <(policy-scheduler completion bash)")
                        .putAll("demo", "policy-scheduler demo", "policy-scheduler demo -o json")
                        .putAll(
                                "run",
                                "policy-scheduler run --policy-config-file policy.json --scheduler-name"
                                        + " policy-scheduler",
                                "policy-scheduler run --config scheduler.yaml --leader-elect")
                        .putAll(
                                "validate",
                                "policy-scheduler validate policy.json",
                                "policy-scheduler validate --explain policy.json",
                                "policy-scheduler validate scheduler.yaml -o json")
                        .putAll(
                                "simulate",
                                "policy-scheduler simulate --policy policy.json --cluster dump.json",
                                "policy-scheduler simulate --policy policy.json --live -n shop -l app=web",
                                "policy-scheduler simulate --policy policy.json --cluster dump.json --drain node-3",
                                "policy-scheduler simulate --policy policy.json --cluster dump.json --podspec pod.yaml")
                        .putAll(
                                "explain",
                                "policy-scheduler explain web-1 --policy policy.json --cluster dump.json",
                                "policy-scheduler explain -n shop pod/web-1 --in-order --policy policy.json --cluster"
                                        + " dump.json",
                                "policy-scheduler explain web-1 --node node-3 --live --scheduler modern")
                        .putAll("why", "policy-scheduler why -n shop web-1")
                        .putAll(
                                "compare",
                                "policy-scheduler compare policy.json modern --cluster dump.json",
                                "policy-scheduler compare policy.json scheduler.yaml --live --replay-bound --html"
                                        + " report.html")
                        .putAll("shadow", "policy-scheduler shadow policy.json --duration 1h --report report.json")
                        .putAll(
                                "audit",
                                "policy-scheduler audit --policy policy.json --live",
                                "policy-scheduler audit --policy policy.json --live --evict --max-evictions-per-node 1",
                                "policy-scheduler audit --policy policy.json --live -n shop --evict --dry-run=false"
                                        + " --rate 10/min")
                        .putAll(
                                "dump",
                                "policy-scheduler dump > dump.json.gz",
                                "policy-scheduler dump --context prod --output-file prod.json.gz --strict")
                        .putAll(
                                "lab",
                                "policy-scheduler lab run modern --cluster dump.json --arrivals pods.csv",
                                "policy-scheduler lab compare policy.json modern --cluster dump.json --arrivals"
                                        + " pods.csv")
                        .putAll(
                                "lab run",
                                "policy-scheduler lab run modern --cluster dump.json --arrivals pods.csv --out result")
                        .putAll("lab at", "policy-scheduler lab at 3h12m modern --trace week --output-file moment.json")
                        .putAll("lab test", "policy-scheduler lab test limits.yaml --trace week --runs 10")
                        .putAll("lab record", "policy-scheduler lab record --out week --duration 168h")
                        .putAll("lab replay", "policy-scheduler lab replay day")
                        .putAll("lab shadow", "policy-scheduler lab shadow modern --trace week")
                        .putAll("lab show", "policy-scheduler lab show week")
                        .putAll(
                                "lab sweep",
                                "policy-scheduler lab sweep sweep.yaml --out result",
                                "policy-scheduler lab sweep sweep.yaml --out first --shard 1/4")
                        .putAll("lab merge", "policy-scheduler lab merge first second third fourth --out result")
                        .putAll("lab tune", "policy-scheduler lab tune tune.yaml --trace week --budget 200 --out tuned")
                        .putAll(
                                "lab import",
                                "policy-scheduler lab import csv pods.csv nodes.csv --mapping mapping.yaml --out trace",
                                "policy-scheduler lab import audit audit-1.log audit.log --out day")
                        .putAll("lab export", "policy-scheduler lab export kss week --out record.jsonl")
                        .putAll(
                                "lab compare",
                                "policy-scheduler lab compare policy.json modern --cluster dump.json --arrivals"
                                        + " pods.csv")
                        .putAll(
                                "preflight",
                                "policy-scheduler preflight policy.json --cluster dump.json --target "
                                        + Release.NEWEST_TEXT)
                        .putAll(
                                "migrate",
                                "policy-scheduler migrate policy.json > scheduler.yaml",
                                "policy-scheduler migrate policy.json --verify dump.json --fail-under 90%")
                        .putAll("replay", "policy-scheduler replay recording.gz")
                        .putAll("extender", "policy-scheduler extender --policy policy.json --port 8888")
                        .putAll(
                                "cluster",
                                "policy-scheduler cluster --load cluster.yaml workload.yaml --write-kubeconfig"
                                        + " /tmp/kubeconfig")
                        .putAll(
                                "bench",
                                "policy-scheduler bench --nodes 1000 --pods 5000",
                                "policy-scheduler bench --scale --scheduler modern")
                        .putAll("bench sync", "policy-scheduler bench sync --nodes 5000 --pods 20000 --runs 3")
                        .putAll("bench live", "policy-scheduler bench live --nodes 1000 --pending 5000")
                        .putAll("config", "policy-scheduler config show --config scheduler.yaml")
                        .putAll(
                                "config show",
                                "policy-scheduler config show --config scheduler.yaml",
                                "policy-scheduler config show -o yaml")
                        .putAll(
                                "rule",
                                "policy-scheduler rule check -e \"pod.hasLabel('app')\"",
                                "policy-scheduler rule docs")
                        .putAll(
                                "rule check",
                                "policy-scheduler rule check -e \"pod.hasLabel('app')\"",
                                "policy-scheduler rule check policy.json")
                        .putAll("rule lint", "policy-scheduler rule lint policy.json --strict")
                        .putAll("rule explain", "policy-scheduler rule explain -e \"node.podCount < 5\"")
                        .putAll(
                                "rule eval",
                                "policy-scheduler rule eval -e \"node.podCount < 5\" --cluster dump.json --pod"
                                        + " shop/web-1")
                        .putAll("rule test", "policy-scheduler rule test cases.yaml")
                        .putAll("rule docs", "policy-scheduler rule docs")
                        .putAll("rule bench", "policy-scheduler rule bench -e \"node.podCount < 5\"")
                        .putAll("help", "policy-scheduler help simulate", "policy-scheduler help rule check")
                        .putAll("version", "policy-scheduler version", "policy-scheduler version -o json")
                        .putAll(
                                "completion",
                                "source <(policy-scheduler completion bash)",
                                "policy-scheduler completion fish > ~/.config/fish/completions/policy-scheduler.fish")
                        .build();

        private Examples() {}

        /**
         * Those of a command.
         *
         * @param command without the name of the program, such as {@code rule check}; empty for the program
         */
        static List<String> of(String command) {
            return BY_COMMAND.get(command);
        }
    }
}
