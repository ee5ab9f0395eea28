package io.policyscheduler.tests.documents;

import java.util.ArrayList;
import java.util.List;

/**
 * A command of a block with its output.
 *
 * @param command for the shell, possibly of several lines
 * @param output the lines that follow it
 */
record Step(String command, List<String> output) {
    private static final String PROMPT = "$ ";

    Step {
        output = List.copyOf(output);
    }

    /** Returns the commands of a block with prompts. */
    static List<Step> ofTerminal(Block block) {
        List<Step> steps = new ArrayList<>();
        List<String> lines = block.text().lines().toList();
        if (lines.isEmpty() || !lines.get(0).startsWith(PROMPT)) {
            throw new IllegalStateException(block.place() + ": no command behind \"" + PROMPT + "\"");
        }
        int at = 0;
        while (at < lines.size()) {
            int end = endOfCommand(lines, at);
            String command = String.join("\n", lines.subList(at, end)).substring(PROMPT.length());
            at = end;
            while (at < lines.size() && !lines.get(at).startsWith(PROMPT)) {
                at++;
            }
            steps.add(new Step(command, lines.subList(end, at)));
        }
        return List.copyOf(steps);
    }

    /** Returns the commands of a block without prompts. */
    static List<Step> ofScript(Block block) {
        List<Step> steps = new ArrayList<>();
        List<String> lines = block.text().lines().toList();
        int at = 0;
        while (at < lines.size()) {
            int end = endOfCommand(lines, at);
            steps.add(new Step(String.join("\n", lines.subList(at, end)), List.of()));
            at = end;
        }
        return List.copyOf(steps);
    }

    private static int endOfCommand(List<String> lines, int at) {
        int end = at;
        while (end < lines.size() - 1 && lines.get(end).endsWith("\\")) {
            end++;
        }
        return end + 1;
    }

    /** Returns the text of the block with another output. */
    String shown(List<String> lines) {
        return PROMPT + command + "\n" + (lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }
}
