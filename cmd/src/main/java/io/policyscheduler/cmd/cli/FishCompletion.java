package io.policyscheduler.cmd.cli;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The fish completion script of a program: one line for each command and option. */
final class FishCompletion {
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
        String seen =
                path.stream().map(each -> "__fish_seen_subcommand_from " + each).collect(Collectors.joining("; and "));
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
