package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.CommonOptions.Group;
import io.policyscheduler.cmd.run.SettingCatalog;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.SettingFlag;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The generated part of the pages in {@code docs/commands}. The examples below it are written by hand. */
final class CommandPages {
    /** The line of a page at which the generated part ends. */
    static final String END = "<!-- Generated from the help of the command. Edit only below this line. -->";

    private static final Pattern DEFAULT = Pattern.compile(" \\(default: ([^()]*)\\)");
    private static final int WIDTH = 100;
    private static final List<String> EVERYWHERE = List.of("--help", "--debug");

    private CommandPages() {}

    static CommandLine program() {
        return Main.commandLine()
                .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
                .setUsageHelpWidth(WIDTH);
    }

    /** Returns the generated part of each page by file name: one page for each command, and an index. */
    static Map<String, String> all() {
        Map<String, String> pages = new LinkedHashMap<>();
        CommandLine program = program();
        pages.put("README.md", index(program));
        program.getSubcommands().values().forEach(command -> {
            if (!isGroup(command)) {
                pages.put(file(command), page(command));
            }
            command.getSubcommands().values().forEach(each -> pages.put(file(each), page(each)));
        });
        return pages;
    }

    /** Returns whether it only groups commands. */
    private static boolean isGroup(CommandLine command) {
        return command.getCommandSpec().userObject() instanceof Group;
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName(" ").replaceFirst("^policy-scheduler ", "");
    }

    private static String file(CommandLine command) {
        return name(command).replace(' ', '-') + ".md";
    }

    private static String index(CommandLine program) {
        List<String> lines = new ArrayList<>(List.of("# Commands", "", "| command | description |", "|---|---|"));
        program.getSubcommands().values().forEach(command -> {
            List<CommandLine> pages = new ArrayList<>(command.getSubcommands().values());
            if (!isGroup(command)) {
                pages.add(0, command);
            }
            pages.forEach(page ->
                    lines.add("| [`" + name(page) + "`](" + file(page) + ") | " + cell(description(page)) + " |"));
        });
        lines.addAll(List.of(
                "", "`-h` prints the help of a command. Most commands support `-o table`, `-o json`, and `-o yaml`."));
        lines.addAll(List.of("", "## Exit codes", "", "```text generated"));
        Arrays.stream(program.getCommandSpec().usageMessage().footer())
                .filter(line -> !line.isEmpty() && !line.contains("--help"))
                .forEach(lines::add);
        lines.addAll(List.of("```", "", END));
        return String.join("\n", lines) + "\n";
    }

    private static String page(CommandLine command) {
        List<String> lines = new ArrayList<>(List.of("# " + name(command), "", description(command), ""));
        lines.addAll(List.of("```text generated", command.getHelp().synopsis(0).stripTrailing(), "```"));
        List<PositionalParamSpec> parameters = command.getCommandSpec().positionalParameters();
        if (!parameters.isEmpty()) {
            lines.addAll(List.of("", "| argument | |", "|---|---|"));
            parameters.forEach(parameter ->
                    lines.add("| `" + cell(parameter.paramLabel()) + "` | " + cell(words(parameter)) + " |"));
        }
        lines.addAll(List.of("", "## Options", ""));
        options(command, lines);
        String footer = footer(command);
        if (!footer.isEmpty()) {
            lines.addAll(List.of("", "## More", "", "```text generated", footer, "```"));
        }
        lines.addAll(List.of("", "All commands have the same [exit codes](README.md#exit-codes).", "", END));
        return String.join("\n", lines) + "\n";
    }

    private static void options(CommandLine command, List<String> lines) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        if (name(command).equals("run") || name(command).equals("config show")) {
            SettingCatalog.withFlags()
                    .forEach(setting -> settings.put(setting.requireFlag().name(), setting));
        }
        if (settings.isEmpty()) {
            lines.addAll(List.of("| option | default | |", "|---|---|---|"));
        } else {
            lines.add("[settings.md](../settings.md) has the same settings by subject, with ranges and file versions.");
            lines.addAll(List.of("", "| option | default | variable | file | |", "|---|---|---|---|---|"));
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (option.hidden() || EVERYWHERE.contains(option.longestName())) {
                continue;
            }
            Optional<Setting> setting = Arrays.stream(option.names())
                    .filter(settings::containsKey)
                    .map(settings::get)
                    .findFirst();
            List<String> cells = new ArrayList<>(List.of(spelling(option), byDefault(option, setting)));
            if (!settings.isEmpty()) {
                cells.add(setting.map(Setting::variable).map(CommandPages::code).orElse(""));
                cells.add(setting.map(Setting::file)
                        .map(file -> code(file.path()))
                        .orElse(""));
            }
            cells.add(cell(words(option)));
            lines.add("| " + String.join(" | ", cells) + " |");
        }
    }

    private static String spelling(OptionSpec option) {
        String names = Arrays.stream(option.names())
                .limit(2)
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
        boolean isSwitch = option.arity().max() == 0;
        return isSwitch ? names : names + " `" + cell(option.paramLabel()) + "`";
    }

    private static String byDefault(OptionSpec option, Optional<Setting> setting) {
        if (setting.isPresent()) {
            SettingFlag flag = setting.orElseThrow().requireFlag();
            return flag.displayedDefault().isEmpty() ? code(flag.byDefault()) : cell(flag.displayedDefault());
        }
        if (option.arity().max() == 0) {
            return "";
        }
        String value = option.defaultValue();
        return value == null ? cell(defaultInWords(option)) : code(value);
    }

    /** A default that only the description has, such as "(default: all pods)". */
    private static String defaultInWords(OptionSpec option) {
        Matcher matcher = DEFAULT.matcher(String.join(" ", option.description()));
        return matcher.find() ? formatted(matcher.group(1)) : "";
    }

    private static String words(ArgSpec argument) {
        String text = Arrays.stream(argument.description())
                .map(CommandPages::formatted)
                .collect(Collectors.joining(" "));
        // The default has a column of its own.
        return text.replaceAll("\\s+", " ").replaceAll(DEFAULT.pattern(), "").strip();
    }

    private static String description(CommandLine command) {
        return Arrays.stream(command.getCommandSpec().usageMessage().description())
                .map(CommandPages::formatted)
                .collect(Collectors.joining(" "))
                .replaceAll("\\s+", " ")
                .strip();
    }

    private static String footer(CommandLine command) {
        return Arrays.stream(command.getCommandSpec().usageMessage().footer())
                .map(CommandPages::formatted)
                .collect(Collectors.joining("\n"))
                .strip();
    }

    /** Returns a line as the help prints it, with the two format characters that commands use. */
    private static String formatted(String line) {
        return line.replace("%n", "\n").replace("%%", "%");
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : "`" + cell(text) + "`";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("<", "&lt;");
    }
}
