package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.HelpOption;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code completion}. */
@Command(
        name = "completion",
        description = "Prints a shell completion script for bash, zsh, or fish.",
        footer = {
            "",
            "For the current shell:",
            "  source <(policy-scheduler completion bash)",
            "  source <(policy-scheduler completion zsh)",
            "  policy-scheduler completion fish | source",
            "",
            "To load the script in every session, write it to a file that the shell reads at startup, for",
            "fish ~/.config/fish/completions/policy-scheduler.fish."
        })
final class CompletionCommand implements Callable<Integer> {
    /** The supported shells. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh, or fish.")
    private Shell shell = Shell.BASH;

    @Mixin
    private final HelpOption help = new HelpOption();

    @Override
    public Integer call() {
        CommandLine program = spec.root().commandLine();
        // The bash script also works in zsh, because it loads bashcompinit.
        String script = shell == Shell.FISH ? new FishCompletion(program).script() : CompletionFile.bash(program);
        spec.commandLine().getOut().print(script);
        return ExitCode.OK;
    }
}
