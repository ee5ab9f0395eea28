package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.Commands.Examples;
import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.IllegalFormatException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

class HelpTest {
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    private static Stream<String> commands() {
        return below(Main.commandLine()).map(command -> command.getCommandSpec().qualifiedName(" "));
    }

    private static Stream<CommandLine> below(CommandLine command) {
        return Stream.concat(
                Stream.of(command), command.getSubcommands().values().stream().flatMap(HelpTest::below));
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line);
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        }
        return words;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandHasExamplesThatItTakes(String name) {
        String command = name.replaceFirst("^policy-scheduler ?", "");
        List<String> examples = Examples.of(command);

        assertFalse(examples.isEmpty(), name);
        for (String example : examples) {
            String line = example.replaceFirst("^source <\\((.*)\\)$", "$1").replaceFirst(" > .*", "");
            List<String> words = words(line);
            assertEquals("policy-scheduler", words.get(0), example);
            Main.commandLine()
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .parseArgs(words.subList(1, words.size()).toArray(String[]::new));
        }
        String[] help =
                Stream.concat(words(command).stream(), Stream.of("--help")).toArray(String[]::new);
        assertTrue(CommandRun.of(help).out().contains("\nExamples:\n  " + examples.get(0) + "\n"), name);
    }

    @ParameterizedTest
    @CsvSource({"simulate", "rule check", "config show"})
    void helpIsTheHelpOfTheCommand(String command) {
        CommandRun run = CommandRun.of(("help " + command).split(" "));

        assertEquals(CommandRun.of((command + " --help").split(" ")), run);
        assertTrue(run.out().startsWith("Usage: policy-scheduler " + command), run.out());
    }

    @Test
    void helpOfACommandThatIsNotThere() {
        assertEquals(
                new CommandRun(
                        2,
                        "",
                        "error: unknown command 'simulte' (did you mean simulate?)\nsee policy-scheduler --help\n"),
                CommandRun.of("help", "simulte"));
    }

    @Test
    void theSummariesOfCommandsAreWhole() {
        for (CommandLine command : Main.commandLine().getSubcommands().values()) {
            String first = command.getCommandSpec().usageMessage().description()[0];
            assertTrue(first.endsWith("."), first);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, '', 100",
        "80, '', 80",
        "40, '', 60",
        "300, '', 160",
        "0, 80, 80",
        "120, 80, 80",
        "90, wide, 90",
        "90, 0, 90"
    })
    void theHelpIsAsWideAsTheTerminalOrColumns(int columns, String variable, int width) {
        assertEquals(width, HelpLayout.width(new Terminal(columns, false), Map.of("COLUMNS", variable)));
        CommandLine program = Main.commandLine().setUsageHelpWidth(width);
        HelpLayout.apply(program, width);

        for (CommandLine command : program.getSubcommands().values()) {
            boolean isCode = false;
            for (String line : command.getCommandSpec().usageMessage().footer()) {
                isCode = line.startsWith(" ") || (isCode && line.startsWith("-A ")) || line.endsWith("\\");
                // Picocli breaks longer lines anywhere.
                assertTrue(isCode || line.length() < width, line);
            }
        }
        Objects.requireNonNull(program.getSubcommands().get("explain"))
                .getUsageMessage()
                .lines()
                .filter(line -> !line.startsWith("  "))
                .forEach(line -> assertTrue(line.length() <= width, line));
    }

    /** Picocli formats these texts. For a single percent sign, it prints a warning and the text without a value. */
    @Test
    void everyTextOfTheHelpIsAFormat() {
        List<String> broken = new ArrayList<>();
        below(Main.commandLine()).map(CommandLine::getCommandSpec).forEach(command -> {
            CommandLine.Model.UsageMessageSpec usage = command.usageMessage();
            List<String> texts = new ArrayList<>();
            Stream.of(usage.header(), usage.description(), usage.footer(), usage.customSynopsis())
                    .forEach(lines -> texts.addAll(List.of(lines)));
            command.args().forEach(argument -> texts.addAll(descriptions(argument)));
            texts.stream().filter(text -> !isFormat(text)).forEach(text -> broken.add(command.name() + ": " + text));
        });
        assertEquals(List.of(), broken);
        assertFalse(isFormat("60 % for the search"));
    }

    /** The texts of the annotation: those of the specification are already formatted. */
    private static List<String> descriptions(CommandLine.Model.ArgSpec argument) {
        if (!(argument.userObject() instanceof AnnotatedElement element)) {
            return List.of();
        }
        CommandLine.Option option = element.getAnnotation(CommandLine.Option.class);
        CommandLine.Parameters parameters = element.getAnnotation(CommandLine.Parameters.class);
        return option != null
                ? List.of(option.description())
                : parameters != null ? List.of(parameters.description()) : List.of();
    }

    private static boolean isFormat(String text) {
        try {
            return text.isEmpty() || !String.format(Locale.ROOT, text).isEmpty();
        } catch (IllegalFormatException e) {
            return false;
        }
    }

    @Test
    void theVersionIsTold() {
        String option = CommandRun.of("--version").out();

        assertTrue(CommandRun.of("version").out().startsWith(option), option);
        assertTrue(
                CommandRun.of("version", "-o", "json").out().contains("\"version\": \"" + option.strip() + "\""),
                option);
    }

    @ParameterizedTest
    @CsvSource({
        "bash, complete -F _complete_policy-scheduler",
        "zsh, bashcompinit",
        "fish, complete -c policy-scheduler -n '__fish_seen_subcommand_from simulate' -l policy -r -d 'Policy file'"
    })
    void shellsComplete(String shell, String part) {
        CommandRun run = CommandRun.of("completion", shell);

        assertEquals(0, run.code());
        assertTrue(run.out().contains(part.substring(0, Math.min(part.length(), 60))), run.out());
    }

    @Test
    void otherShellsAreRefused() {
        CommandRun run = CommandRun.of("completion", "csh");

        assertEquals(2, run.code());
        assertTrue(run.err().contains("'csh'"), run.err());
    }
}
