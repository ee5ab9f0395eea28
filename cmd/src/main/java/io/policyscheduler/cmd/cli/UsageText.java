package io.policyscheduler.cmd.cli;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.algorithm.Suggestions;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The one-line message of a usage error: the value, the option, the reason, and a suggestion. */
final class UsageText {
    private static final String OPTION = "(?:Invalid value for option '([^']+)'(?: \\([^)]*\\))?: )";

    /** A message of picocli and its replacement. */
    private record Rewording(Pattern pattern, Function<Matcher, String> text) {
        static Rewording of(String regex, Function<Matcher, String> text) {
            return new Rewording(Pattern.compile(regex), text);
        }
    }

    private static final ImmutableList<Rewording> REWORDINGS = ImmutableList.of(
            Rewording.of(
                    "Missing required argument \\(specify one of these\\): \\((.*)\\)",
                    m -> "one of these is required: " + m.group(1).replace(" | ", ", ")),
            Rewording.of("Missing required parameters?: (.*)", m -> required(m.group(1))),
            Rewording.of("Missing required options?: (.*)", m -> required(m.group(1))),
            Rewording.of(
                    "Missing required parameter for option '([^']+)'.*? \\(([^)]*)\\)",
                    m -> m.group(1) + " requires a value: " + m.group(2)),
            Rewording.of(
                    ".*Expected parameter(?: \\([^)]*\\))? for option '([^']+)' but found '(.*)'",
                    m -> m.group(1) + " requires a value, found " + m.group(2)),
            Rewording.of(
                    "Expected parameter \\d+ \\(of (\\d+) mandatory parameters\\) for .*\\(([^)]*)\\) but found '(.*)'",
                    m -> m.group(1) + " arguments " + m.group(2) + " are required, found " + m.group(3)),
            Rewording.of(
                    "positional parameter at index .*? \\(([^)]*)\\) requires at least (\\d+) values, but .*",
                    m -> m.group(2) + " arguments " + m.group(1) + " are required"),
            Rewording.of(
                    OPTION + "expected one of \\[(.*)\\] \\(case-(?:in)?sensitive\\) but was '(.*)'",
                    m -> m.group(1) + ": " + notOneOf(m.group(3), m.group(2))),
            Rewording.of(
                    OPTION + "'(.*)' is not an? (?:int|long)",
                    m -> m.group(1) + ": '" + m.group(2) + "' is not an integer"),
            Rewording.of(OPTION + "'(.*)' is not a double", m -> m.group(1) + ": '" + m.group(2) + "' is not a number"),
            Rewording.of(
                    OPTION + "'(.*)' is not a boolean",
                    m -> m.group(1) + ": '" + m.group(2) + "' is not true or false"),
            Rewording.of(OPTION + "(.*)", m -> m.group(1) + ": " + m.group(2)),
            Rewording.of(
                    "Value for option option '([^']+)' \\(([^)]*)\\) should be in KEY=VALUE format but was (.*)",
                    m -> m.group(1) + ": '" + m.group(3) + "' is not " + m.group(2)),
            Rewording.of("(.*) are mutually exclusive \\(specify only one\\)", m -> "use only one of " + m.group(1)),
            Rewording.of(
                    "option '([^']+)' .*should be specified only once", m -> m.group(1) + " is set more than once"));

    private UsageText() {}

    private static String required(String names) {
        return names.replace("'", "") + (names.contains(", ") ? " are required" : " is required");
    }

    /** Returns the message of an error in one line. */
    static String of(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            return unmatched(unmatched);
        }
        String message = String.valueOf(e.getMessage())
                .replaceAll("\\s*\\R\\s*", " ")
                .replaceFirst("^Error: ", "")
                .replaceFirst("for positional parameter at index \\S+ \\(([^)]*)\\):", "for option '$1':");
        for (Rewording rewording : REWORDINGS) {
            Matcher matcher = rewording.pattern().matcher(message);
            if (matcher.matches()) {
                return rewording.text().apply(matcher) + swallowed(e.getCommandLine(), message);
            }
        }
        return message;
    }

    /** An option with several values also takes an argument that follows it. */
    private static String swallowed(CommandLine command, String message) {
        OptionSpec files = command.getCommandSpec().findOption("--cluster");
        boolean takesAll = files != null && files.arity().isVariable();
        return takesAll && message.startsWith("Missing required parameter:")
                ? "; put it before --cluster, which takes all files that follow"
                : "";
    }

    private static String notOneOf(String given, String choices) {
        Set<String> names = new LinkedHashSet<>();
        for (String choice : choices.split(", ")) {
            // Enum constants are upper case. Other names keep their case.
            names.add(choice.equals(choice.toUpperCase(Locale.ROOT)) ? lower(choice) : choice);
        }
        return "'" + given + "' is not one of " + String.join(", ", names)
                + didYouMean(Suggestions.nearest(given, names));
    }

    private static String lower(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String unmatched(UnmatchedArgumentException e) {
        String given = e.getUnmatched().get(0);
        CommandLine command = e.getCommandLine();
        if (given.startsWith("-") && given.length() > 1) {
            String flag = given.replaceFirst("=.*", "");
            return "unknown option " + flag + didYouMean(nearOptions(flag, command));
        }
        Set<String> commands = command.getSubcommands().keySet();
        if (!commands.isEmpty()) {
            @Nullable String nearest = Suggestions.nearest(given, commands);
            return "unknown command '" + given + "'"
                    + (nearest == null
                            ? " (the commands are " + String.join(", ", commands) + ")"
                            : didYouMean(nearest));
        }
        boolean isPolicy = command.getCommandSpec().findOption("--policy") != null && isFile(given);
        return "unexpected argument '" + given + "'" + didYouMean(isPolicy ? "--policy " + given : null);
    }

    /** Returns the options that start with a flag, and the most similar one. */
    private static @Nullable String nearOptions(String flag, CommandLine command) {
        List<String> names = command.getCommandSpec().options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::names)
                .flatMap(Arrays::stream)
                .filter(name -> name.startsWith("--"))
                .toList();
        @Nullable String nearest = Suggestions.nearest(flag, names);
        String near = names.stream()
                .filter(name -> (flag.startsWith("--") && name.startsWith(flag)) || name.equals(nearest))
                .collect(Collectors.joining(" or "));
        return near.isEmpty() ? null : near;
    }

    private static boolean isFile(String text) {
        try {
            return Files.isRegularFile(Path.of(text));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private static String didYouMean(@Nullable String suggestion) {
        return suggestion == null ? "" : " (did you mean " + suggestion + "?)";
    }
}
