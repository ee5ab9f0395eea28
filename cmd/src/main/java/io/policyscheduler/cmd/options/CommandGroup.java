package io.policyscheduler.cmd.options;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has commands. */
public abstract class CommandGroup implements Runnable {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("UnusedVariable") // picocli looks at it
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help and exit.")
    private boolean help;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which " + spec.name() + " command? One of: "
                        + String.join(", ", spec.subcommands().keySet()));
    }
}
