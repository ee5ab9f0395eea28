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

/** Says what is wrong with a command line in one line: the value, the option, the reason, and what was probably meant. */
final class UsageText {
    private static final String OPTION = "(?:Invalid value for option '([^']+)'(?: \\([^)]*\\))?: )";

    /** A text of the parser, and what is said instead. */
    private record Rewording(Pattern pattern, Function<Matcher, String> text) {
        static Rewording of(String regex, Function<Matcher, String> text) {
            return new Rewording(Pattern.compile(regex), text);
        }
    }

    private static final ImmutableList<Rewording> REWORDINGS = ImmutableList.of(
            Rewording.of(
                    "Missing required argument \\(specify one of these\\): \\((.*)\\)",
                    m -> "one of these is needed: " + m.group(1).replace(" | ", ", ")),
            Rewording.of(
                    "Missing required parameters?: (.*)",
                    m -> "which " + m.group(1).replace("'", "").replace(", ", " and ") + "?"),
            Rewording.of(
                    "Missing required options?: (.*)",
                    m -> m.group(1).replace("'", "") + (m.group(1).contains(", ") ? " are needed" : " is needed")),
            Rewording.of(
                    "Missing required parameter for option '([^']+)'.*? \\(([^)]*)\\)",
                    m -> m.group(1) + " needs a value: " + m.group(2)),
            Rewording.of(
                    ".*Expected parameter(?: \\([^)]*\\))? for option '([^']+)' but found '(.*)'",
                    m -> m.group(1) + " needs a value, found " + m.group(2)),
            Rewording.of(
                    "Expected parameter \\d+ \\(of (\\d+) mandatory parameters\\) for .*\\(([^)]*)\\) but found '(.*)'",
                    m -> "which " + m.group(2) + "? " + m.group(1) + " are needed, found " + m.group(3)),
            Rewording.of(
                    "positional parameter at index .*? \\(([^)]*)\\) requires at least (\\d+) values, but .*",
                    m -> "which " + m.group(1) + "? " + m.group(2) + " are needed"),
            Rewording.of(
                    OPTION + "expected one of \\[(.*)\\] \\(case-(?:in)?sensitive\\) but was '(.*)'",
                    m -> m.group(1) + ": " + notOneOf(m.group(3), m.group(2))),
            Rewording.of(
                    OPTION + "'(.*)' is not an? (?:int|long)",
                    m -> m.group(1) + ": '" + m.group(2) + "' is not a whole number"),
            Rewording.of(OPTION + "'(.*)' is not a double", m -> m.group(1) + ": '" + m.group(2) + "' is not a number"),
            Rewording.of(
                    OPTION + "'(.*)' is not a boolean",
                    m -> m.group(1) + ": '" + m.group(2) + "' is not true or false"),
            Rewording.of(OPTION + "(.*)", m -> m.group(1) + ": " + m.group(2)),
            Rewording.of(
                    "Value for option option '([^']+)' \\(([^)]*)\\) should be in KEY=VALUE format but was (.*)",
                    m -> m.group(1) + ": '" + m.group(3) + "' is not " + m.group(2)),
            Rewording.of("(.*) are mutually exclusive \\(specify only one\\)", m -> "give only one of " + m.group(1)),
            Rewording.of(
                    "option '([^']+)' .*should be specified only once", m -> m.group(1) + " is given more than once"));

    private UsageText() {}

    /** The error in one line. */
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

    /** An option of several files takes what was meant as an argument. */
    private static String swallowed(CommandLine command, String message) {
        OptionSpec files = command.getCommandSpec().findOption("--cluster");
        boolean takesAll = files != null && files.arity().isVariable();
        return takesAll && message.startsWith("Missing required parameter:")
                ? " Give it before --cluster, which takes all that follows it"
                : "";
    }

    private static String notOneOf(String given, String choices) {
        Set<String> names = new LinkedHashSet<>();
        for (String choice : choices.split(", ")) {
            // Constants are written in capitals; names that somebody chose are as they are.
            names.add(choice.equals(choice.toUpperCase(Locale.ROOT)) ? lower(choice) : choice);
        }
        return "'" + given + "' is none of " + String.join(", ", names) + didYouMean(Suggestions.nearest(given, names));
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
            return "no command '" + given + "'"
                    + (nearest == null ? " (there are " + String.join(", ", commands) + ")" : didYouMean(nearest));
        }
        boolean isPolicy = command.getCommandSpec().findOption("--policy") != null && isFile(given);
        return "unexpected argument '" + given + "'" + didYouMean(isPolicy ? "--policy " + given : null);
    }

    /** Those that a flag cut short can have meant, or the nearest. */
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
