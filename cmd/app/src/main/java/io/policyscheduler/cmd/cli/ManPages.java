package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.cli.VersionCommand.Provider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help;

/**
 * The manual pages of the archive: the help of each command with the headings of man(7). The lines are those of the help.
 */
public final class ManPages {
    private static final int WIDTH = 100;
    private static final int SECTION = 1;

    private final String version;

    ManPages(String version) {
        this.version = version;
    }

    /** Writes the pages of all commands to the directory that the only argument names. Creates the directory if it is missing. */
    public static void main(String[] args) throws IOException {
        if (args.length != 1) {
            throw new IllegalArgumentException("which folder?");
        }
        Path folder = Path.of(args[0]);
        Files.createDirectories(folder);
        CommandLine program = Main.commandLine()
                .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
                .setUsageHelpWidth(WIDTH);
        ManPages pages = new ManPages(new Provider().getVersion()[0]);
        for (Map.Entry<String, String> page : pages.of(program).entrySet()) {
            Files.writeString(folder.resolve(page.getKey()), page.getValue());
        }
    }

    /** Returns the pages of a command and its subcommands by file name. */
    Map<String, String> of(CommandLine command) {
        Map<String, String> pages = new TreeMap<>();
        String name = name(command);
        pages.put(name + "." + SECTION, page(command, name));
        command.getSubcommands().values().forEach(each -> pages.putAll(of(each)));
        return pages;
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    private String page(CommandLine command, String name) {
        Help help = command.getHelp();
        StringBuilder page = new StringBuilder();
        page.append(String.format(
                Locale.ROOT,
                ".TH \"%s\" \"%d\" \"\" \"%s\"%n",
                name.toUpperCase(Locale.ROOT),
                SECTION,
                escape(version)));
        section(
                page,
                "NAME",
                name + " - " + help.description().strip().lines().findFirst().orElse(name),
                false);
        section(page, "SYNOPSIS", help.synopsis(0), true);
        section(page, "DESCRIPTION", help.description(), true);
        section(page, "ARGUMENTS", help.parameterList(), true);
        section(page, "OPTIONS", help.optionList(), true);
        section(page, "COMMANDS", help.commandList(), true);
        section(page, "NOTES", help.footer(), true);
        section(page, "SEE ALSO", related(command), false);
        return page.toString();
    }

    private static String related(CommandLine command) {
        List<String> names = new ArrayList<>();
        if (command.getParent() != null) {
            names.add(name(command.getParent()));
        }
        command.getSubcommands().values().forEach(each -> names.add(name(each)));
        return String.join("(" + SECTION + "), ", names) + "(" + SECTION + ")";
    }

    /** Adds a section, unless the text is empty. */
    private static void section(StringBuilder page, String heading, String text, boolean asItStands) {
        List<String> lines =
                text.stripTrailing().lines().dropWhile(String::isBlank).toList();
        if (lines.isEmpty()) {
            return;
        }
        page.append(".SH ").append(heading).append('\n');
        page.append(asItStands ? ".nf\n" : "");
        lines.forEach(line -> page.append(escape(line)).append('\n'));
        page.append(asItStands ? ".fi\n" : "");
    }

    /** Escapes a line for roff. */
    private static String escape(String line) {
        String escaped = line.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("^", "\\(ha")
                .replace("~", "\\(ti");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
