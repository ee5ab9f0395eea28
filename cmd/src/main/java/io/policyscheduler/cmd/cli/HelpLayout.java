package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.report.Terminal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Fits the help to the terminal, and shows examples at its end. Texts of the declarations are laid out for 100 columns. */
final class HelpLayout {
    private static final int USUAL = 100;
    /** As wide as what stands before the first line of a synopsis. */
    private static final String USAGE = " ".repeat("Usage: ".length());

    private static final String INDENT = "    ";
    private static final int GREATEST = 160;
    /** What picocli needs for the options. */
    private static final int LEAST = 60;

    private HelpLayout() {}

    /** How wide the help is; longer lines are hard to read. */
    static int width(Terminal terminal) {
        return terminal.columns() == 0 ? USUAL : Math.min(Math.max(terminal.columns(), LEAST), GREATEST);
    }

    /** Lays out the help of a command and of all below it. */
    static void apply(CommandLine command, int width) {
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
            examples.forEach(line -> footer.add("  " + line.replace("%", "%%")));
        }
        usage.footer(footer.toArray(String[]::new));
        command.getSubcommands().values().forEach(each -> apply(each, width));
    }

    private static boolean isTooWide(String[] lines, int width) {
        return Arrays.stream(lines).anyMatch(line -> line.length() >= width);
    }

    /** In lines that begin below the first word. */
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

    /** Paragraphs filled anew; indented lines are left as they are, because they are code. */
    private static List<String> wrapped(String[] lines, int width) {
        List<String> result = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        for (String line : lines) {
            if (line.isEmpty() || line.startsWith(" ")) {
                fill(paragraph, width, result);
                result.add(line);
            } else {
                paragraph.append(paragraph.isEmpty() ? "" : " ").append(line);
            }
        }
        fill(paragraph, width, result);
        return result;
    }

    private static void fill(StringBuilder paragraph, int width, List<String> result) {
        StringBuilder line = new StringBuilder();
        for (String word : Arrays.asList(paragraph.toString().split(" "))) {
            if (!line.isEmpty() && line.length() + 1 + word.length() >= width) {
                result.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        if (!line.isEmpty()) {
            result.add(line.toString());
        }
        paragraph.setLength(0);
    }
}
