package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.CommonOptions.HelpOption;
import io.policyscheduler.cmd.options.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
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

    /** Writes the bash completion script of the archive, which {@code completion bash} also prints. */
    public static final class CompletionFile {
        private CompletionFile() {}

        /** Writes the script to the file that the only argument names. */
        public static void main(String[] args) throws IOException {
            if (args.length != 1) {
                throw new IllegalArgumentException("which file?");
            }
            Files.writeString(Path.of(args[0]), bash(Main.commandLine()));
        }

        /** @param program with all of its commands */
        static String bash(CommandLine program) {
            return AutoComplete.bash(program.getCommandName(), program);
        }
    }

    /** The fish completion script of a program: one line for each command and option. */
    static final class FishCompletion {
        private final CommandLine program;
        private final String name;
        private final StringBuilder script = new StringBuilder();

        FishCompletion(CommandLine program) {
            this.program = program;
            this.name = program.getCommandName();
        }

        String script() {
            script.append("# Completion of ").append(name).append(" for fish.\n");
            commands(program, List.of());
            return script.toString();
        }

        private void commands(CommandLine command, List<String> path) {
            String here = condition(command, path);
            command.getSubcommands().forEach((sub, line) -> entry(here, "-f -a " + sub, summary(line)));
            command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> entry(here, names(option), text(option.description())));
            command.getSubcommands()
                    .forEach((sub, line) -> commands(
                            line, Stream.concat(path.stream(), Stream.of(sub)).toList()));
        }

        private static String condition(CommandLine command, List<String> path) {
            String seen = path.stream()
                    .map(each -> "__fish_seen_subcommand_from " + each)
                    .collect(Collectors.joining("; and "));
            String none = command.getSubcommands().isEmpty()
                    ? ""
                    : "not __fish_seen_subcommand_from "
                            + String.join(" ", command.getSubcommands().keySet());
            return Stream.of(seen, none).filter(each -> !each.isEmpty()).collect(Collectors.joining("; and "));
        }

        private static String names(OptionSpec option) {
            String names = Arrays.stream(option.names())
                    .map(each -> each.startsWith("--") ? "-l " + each.substring(2) : "-s " + each.substring(1))
                    .collect(Collectors.joining(" "));
            return option.arity().max() == 0 ? names : names + " -r";
        }

        private void entry(String condition, String what, String text) {
            script.append("complete -c ").append(name);
            if (!condition.isEmpty()) {
                script.append(" -n '").append(condition).append('\'');
            }
            script.append(' ').append(what).append(" -d '").append(text).append("'\n");
        }

        private static String summary(CommandLine command) {
            return text(command.getCommandSpec().usageMessage().description());
        }

        /** Returns the first sentence as a fish string. */
        private static String text(String[] description) {
            String whole = String.join(" ", description)
                    .replace("%n", " ")
                    .replace("%%", "%")
                    .replaceAll("\\s+", " ");
            String sentence = whole.replaceFirst("(?<=[a-z)])[.;:] .*", "").replaceFirst("\\.$", "");
            return sentence.replace("\\", "\\\\").replace("'", "\\'");
        }
    }
}
