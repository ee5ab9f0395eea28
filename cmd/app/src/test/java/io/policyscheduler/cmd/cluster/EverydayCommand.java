package io.policyscheduler.cmd.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of commands.txt.
 *
 * @param heading the heading above it
 * @param mode how outputs are compared
 * @param text the command
 * @param differs why the embedded cluster behaves differently; empty if it does not
 */
record EverydayCommand(String heading, String mode, String text, String differs) {
    private static final Pattern EXIT = Pattern.compile("^\\[(\\d+)]$");

    /**
     * The result of a command.
     *
     * @param exit its exit code
     * @param output stdout and stderr
     */
    record Outcome(int exit, String output) {}

    static List<EverydayCommand> parse(String file) {
        List<EverydayCommand> commands = new ArrayList<>();
        String heading = "";
        for (String line : file.lines().toList()) {
            if (line.startsWith("## ")) {
                heading = line.substring(3);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                String[] parts = line.split(" \\| ", -1);
                commands.add(new EverydayCommand(heading, parts[0], parts[1], parts.length > 2 ? parts[2] : ""));
            }
        }
        return List.copyOf(commands);
    }

    /** Splits the command into words; only a cron schedule contains spaces. */
    List<String> words() {
        List<String> words = new ArrayList<>(List.of(text.split(" ", -1)));
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).startsWith("--schedule=")) {
                String joined = String.join(" ", words.subList(i, words.size()));
                words.subList(i, words.size()).clear();
                words.add(joined);
            }
        }
        return words;
    }

    /** Returns whether it may be repeated until the controllers are done. */
    boolean onlyLooks() {
        return List.of("get", "describe", "explain", "auth", "api-resources", "top")
                .contains(words().get(1));
    }

    /** Reads the results of recorded.txt by command, in order. */
    static Map<String, List<Outcome>> recorded(String file) {
        Map<String, List<Outcome>> outcomes = new LinkedHashMap<>();
        String command = "";
        StringBuilder output = new StringBuilder();
        int exit = 0;
        for (String line : (file + "$ \n").lines().toList()) {
            Matcher ended = EXIT.matcher(line);
            if (line.startsWith("$ ")) {
                if (!command.isEmpty()) {
                    outcomes.computeIfAbsent(command, c -> new ArrayList<>()).add(new Outcome(exit, output.toString()));
                }
                command = line.substring(2);
                output.setLength(0);
                exit = 0;
            } else if (ended.matches()) {
                exit = Integer.parseInt(ended.group(1));
            } else {
                output.append(line).append('\n');
            }
        }
        return outcomes;
    }
}
