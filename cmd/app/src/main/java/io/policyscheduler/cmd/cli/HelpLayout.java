package io.policyscheduler.cmd.cli;

import com.google.common.primitives.Ints;
import io.policyscheduler.cmd.cli.Commands.Examples;
import io.policyscheduler.cmd.options.CommonOptions.HelpOption;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.report.TerminalWriter.Terminal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Fits the help to the terminal and appends examples. The annotations have lines for 100 columns. */
final class HelpLayout {
    private static final int USUAL = 100;
    /** As wide as the label of the first usage line. */
    private static final String USAGE = " ".repeat("Usage: ".length());

    private static final String INDENT = "    ";
    private static final int GREATEST = 160;
    /** Minimum width of the option table of picocli. */
    private static final int LEAST = 60;

    private HelpLayout() {}

    /**
     * Returns the width of the help. {@code COLUMNS} overrides the width of the terminal, as in other command line tools. Long lines
     * are hard to read, so the width has a maximum.
     */
    static int width(Terminal terminal, Map<String, String> environment) {
        Integer columns = Ints.tryParse(environment.getOrDefault("COLUMNS", ""));
        int requested = columns == null || columns <= 0 ? terminal.columns() : columns;
        return requested == 0 ? USUAL : Math.min(Math.max(requested, LEAST), GREATEST);
    }

    /** Lays out the help of a command and of all below it. */
    static void apply(CommandLine command, int width) {
        command.setHelpFactory(WordWrapHelp::new);
        UsageMessageSpec usage = command.getCommandSpec().usageMessage();
        if (width < USUAL && usage.customSynopsis().length > 0) {
            usage.customSynopsis(synopsis(usage.customSynopsis(), width));
        }
        List<String> footer = new ArrayList<>(
                isTooWide(usage.footer(), width) ? wrapped(usage.footer(), width) : List.of(usage.footer()));
        List<String> examples =
                Examples.of(command.getCommandSpec().qualifiedName(" ").replaceFirst("^policy-scheduler ?", ""));
        if (!examples.isEmpty()) {
            footer.addAll(List.of("", "Examples:"));
            examples.forEach(line -> example(line.replace("%", "%%"), width, footer));
        }
        usage.footer(footer.toArray(String[]::new));
        command.getSubcommands().values().forEach(each -> apply(each, width));
    }

    private static boolean isTooWide(String[] lines, int width) {
        return Arrays.stream(lines).anyMatch(line -> line.length() >= width);
    }

    /** Breaks the usage line. The following lines are indented. */
    private static String[] synopsis(String[] lines, int width) {
        StringBuilder whole = new StringBuilder();
        for (String line : lines) {
            whole.append(whole.isEmpty() ? "" : " ").append(line.strip());
        }
        List<String> filled = new ArrayList<>();
        fill(whole, width - USAGE.length() - INDENT.length(), filled);
        for (int i = 1; i < filled.size(); i++) {
            filled.set(i, USAGE + INDENT + filled.get(i));
        }
        return filled.toArray(String[]::new);
    }

    /** Refills paragraphs. Indented lines and the lines that continue them after a backslash are code and stay as they are. */
    private static List<String> wrapped(String[] lines, int width) {
        List<String> result = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        for (String line : lines) {
            boolean continues = !result.isEmpty()
                    && paragraph.isEmpty()
                    && result.get(result.size() - 1).endsWith("\\");
            if (line.isEmpty() || line.startsWith(" ") || continues) {
                fill(paragraph, width, result);
                code(line, width, result);
            } else {
                paragraph.append(paragraph.isEmpty() ? "" : " ").append(line);
            }
        }
        fill(paragraph, width, result);
        return result;
    }

    private static void fill(StringBuilder paragraph, int width, List<String> result) {
        result.addAll(lines(paragraph.toString(), width));
        paragraph.setLength(0);
    }

    /** Adds a line of code. A line that is too long continues with a larger indentation. */
    private static void code(String line, int width, List<String> result) {
        String text = line.stripLeading();
        if (line.length() < width || text.length() == line.length() || line.endsWith("\\")) {
            result.add(line);
            return;
        }
        String indent = " ".repeat(line.length() - text.length());
        List<String> parts = lines(text, width - indent.length() - INDENT.length());
        result.add(indent + parts.get(0));
        parts.stream().skip(1).map(part -> indent + INDENT + part).forEach(result::add);
    }

    /** Breaks a text at spaces into lines that are shorter than the width. */
    static List<String> lines(String text, int width) {
        List<String> result = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : Arrays.asList(text.split(" "))) {
            if (!line.isEmpty() && line.length() + 1 + word.length() >= width) {
                result.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (!line.isEmpty()) {
            result.add(line.toString());
        }
        return result;
    }

    /** An example that is too long for one line continues before an option. */
    private static void example(String command, int width, List<String> result) {
        String line = "  ";
        for (String part : Arrays.asList(command.split(" (?=--?[a-z])"))) {
            if (!line.isBlank() && line.length() + 1 + part.length() + " \\".length() >= width) {
                result.add(line + " \\");
                line = "      ";
            }
            line += (line.isBlank() ? "" : " ") + part;
        }
        result.add(line);
    }

    /** The command {@code help}. */
    @Command(name = "help", description = "Shows the help of a command. Without arguments, lists all commands.")
    static final class HelpCommand implements Callable<Integer> {
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

    /** Help whose descriptions break only at spaces. Picocli also breaks values such as {@code policy:FILE} and {@code v1.17}. */
    static final class WordWrapHelp extends Help {
        private static final String COMMAND_GAP = "  ";

        WordWrapHelp(CommandSpec command, ColorScheme colors) {
            super(command, colors);
        }

        @Override
        public Layout createDefaultLayout(
                List<OptionSpec> options, List<PositionalParamSpec> parameters, ColorScheme colors) {
            return new WordLayout(
                    colors,
                    super.createDefaultLayout(options, parameters, colors).textTable(),
                    createDefaultOptionRenderer(),
                    createDefaultParameterRenderer());
        }

        @Override
        public String commandList(Map<String, Help> subcommands) {
            int longest =
                    subcommands.keySet().stream().mapToInt(String::length).max().orElse(0);
            int indent = COMMAND_GAP.length() + longest + COMMAND_GAP.length();
            StringBuilder list = new StringBuilder();
            subcommands.forEach((name, command) -> {
                String text =
                        String.join(" ", command.commandSpec().usageMessage().description());
                List<String> lines = lines(text, commandSpec().usageMessage().width() - indent - COMMAND_GAP.length());
                list.append(COMMAND_GAP)
                        .append(colorScheme().commandText(name))
                        .append(" ".repeat(longest - name.length()))
                        .append(COMMAND_GAP)
                        .append(lines.get(0))
                        .append(System.lineSeparator());
                lines.stream()
                        .skip(1)
                        .forEach(line -> list.append(" ".repeat(indent))
                                .append(COMMAND_GAP)
                                .append(line)
                                .append(System.lineSeparator()));
            });
            return list.toString();
        }

        private static final class WordLayout extends Layout {
            WordLayout(ColorScheme colors, TextTable table, IOptionRenderer options, IParameterRenderer parameters) {
                super(colors, table, options, parameters);
            }

            @Override
            public void layout(ArgSpec argument, Text[][] rows) {
                List<Text[]> wrapped = new ArrayList<>();
                for (Text[] row : rows) {
                    wrap(row, wrapped);
                }
                super.layout(argument, wrapped.toArray(Text[][]::new));
            }

            private void wrap(Text[] row, List<Text[]> wrapped) {
                int last = row.length - 1;
                Column column = table.columns()[last];
                int width = column.width - column.indent;
                List<String> lines = HelpLayout.lines(row[last].toString(), width);
                for (int i = 0; i < Math.max(lines.size(), 1); i++) {
                    Text[] cells = row.clone();
                    if (i > 0) {
                        Arrays.fill(cells, colorScheme.text(""));
                    }
                    cells[last] = lines.isEmpty() ? row[last] : colorScheme.text(lines.get(i));
                    wrapped.add(cells);
                }
            }
        }
    }
}
