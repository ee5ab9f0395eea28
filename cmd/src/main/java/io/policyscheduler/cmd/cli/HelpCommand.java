package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HelpOption;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code help}. */
@Command(name = "help", description = "Shows the help of a command. Without arguments, lists all commands.")
final class HelpCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Command, such as simulate or rule check.")
    private List<String> names = List.of();

    @Mixin
    private final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        for (String name : names) {
            CommandLine next = command.getSubcommands().get(name);
            if (next == null) {
                throw new UnmatchedArgumentException(command, List.of(name));
            }
            command = next;
        }
        command.usage(spec.commandLine().getOut());
        return ExitCode.OK;
    }
}
