package io.policyscheduler.cmd.options;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has subcommands. */
public abstract class CommandGroup implements Runnable {
    @Spec
    private CommandSpec spec;

    @Mixin
    private final HelpOption help = new HelpOption();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "a command is required: " + String.join(", ", spec.subcommands().keySet()));
    }
}
