package io.policyscheduler.cmd.cli;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.audit.AuditCommand;
import io.policyscheduler.cmd.bench.BenchCommand;
import io.policyscheduler.cmd.cluster.ClusterCommand;
import io.policyscheduler.cmd.cluster.DemoCommand;
import io.policyscheduler.cmd.compare.CompareCommand;
import io.policyscheduler.cmd.dump.DumpCommand;
import io.policyscheduler.cmd.explain.ExplainCommand;
import io.policyscheduler.cmd.extender.ExtenderCommand;
import io.policyscheduler.cmd.migrate.MigrateCommand;
import io.policyscheduler.cmd.replay.ReplayCommand;
import io.policyscheduler.cmd.rule.RuleCommand;
import io.policyscheduler.cmd.run.ConfigCommand;
import io.policyscheduler.cmd.run.RunCommand;
import io.policyscheduler.cmd.shadow.ShadowCommand;
import io.policyscheduler.cmd.simulate.SimulateCommand;
import io.policyscheduler.cmd.validate.ValidateCommand;
import io.policyscheduler.cmd.why.WhyCommand;
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
        return new CommandLine(command.get());
    }
}
