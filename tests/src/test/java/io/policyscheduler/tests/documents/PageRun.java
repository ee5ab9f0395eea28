package io.policyscheduler.tests.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Follows a page from top to bottom: creates its files, starts its programs, and runs its commands. */
final class PageRun {
    private static final Duration SETTLE = Duration.ofSeconds(60);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Terminals terminals;
    private final boolean renew;
    private final boolean measure;
    private final Map<Block, String> fresh = new LinkedHashMap<>();
    private final List<String> differences = new ArrayList<>();

    /**
     * @param renew whether the page is updated instead of compared
     * @param measure whether measurements are repeated
     */
    PageRun(Terminals terminals, boolean renew, boolean measure) {
        this.terminals = terminals;
        this.renew = renew;
        this.measure = measure;
    }

    /** Returns the differences from the page, one text per command. */
    List<String> differences() {
        return List.copyOf(differences);
    }

    void follow(List<Block> blocks) {
        for (Block block : blocks) {
            String file = block.value("file");
            if (!file.isEmpty()) {
                terminals.write(file, block.text());
            } else if (block.says("start")) {
                Step.ofScript(block).forEach(step -> terminals.start(step.command()));
            } else if (block.says("run") && block.language().equals("sh")) {
                terminals.run(Step.ofScript(block).stream().map(Step::command).toList());
            } else if (block.says("run") || block.says("measured") && measure) {
                compare(block);
            }
        }
    }

    private void compare(Block block) {
        List<Step> steps = Step.ofTerminal(block);
        List<String> commands = steps.stream().map(Step::command).toList();
        List<List<String>> outputs = terminals.run(commands);
        long end = System.nanoTime() + (renew ? SETTLE.dividedBy(10) : SETTLE).toNanos();
        while (block.says("settled")
                && (!allAlike(steps, outputs) || outputs.stream().anyMatch(List::isEmpty))
                && System.nanoTime() < end) {
            LockSupport.parkNanos(PAUSE_NANOS);
            outputs = terminals.run(commands);
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            if (!block.says("measured") && alike(step.output(), outputs.get(i))) {
                text.append(step.shown(step.output()));
            } else {
                text.append(step.shown(outputs.get(i)));
                differences.add(block.place() + ": " + step.command() + "\n" + difference(step, outputs.get(i)));
            }
        }
        fresh.put(block, text.toString());
    }

    private static boolean allAlike(List<Step> steps, List<List<String>> outputs) {
        for (int i = 0; i < steps.size(); i++) {
            if (!alike(steps.get(i).output(), outputs.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean alike(List<String> shown, List<String> said) {
        return trimmed(Likeness.of(shown)).equals(trimmed(Likeness.of(said)));
    }

    /** Commands on a page may be separated by an empty line. */
    private static List<String> trimmed(List<String> lines) {
        int end = lines.size();
        while (end > 0 && lines.get(end - 1).isBlank()) {
            end--;
        }
        return lines.subList(0, end);
    }

    /** Returns the lines from the first to the last difference. */
    private static String difference(Step step, List<String> said) {
        List<String> shown = step.output();
        List<String> left = trimmed(Likeness.of(shown));
        List<String> right = trimmed(Likeness.of(said));
        int same = 0;
        while (same < Math.min(left.size(), right.size()) && left.get(same).equals(right.get(same))) {
            same++;
        }
        int tail = 0;
        while (tail < Math.min(left.size(), right.size()) - same
                && left.get(left.size() - 1 - tail).equals(right.get(right.size() - 1 - tail))) {
            tail++;
        }
        StringBuilder text = new StringBuilder();
        shown.subList(same, left.size() - tail)
                .forEach(line -> text.append("  - ").append(line).append('\n'));
        said.subList(same, right.size() - tail)
                .forEach(line -> text.append("  + ").append(line).append('\n'));
        return text.toString();
    }

    /** Writes the outputs of the run into the page. */
    void paste(Path page) throws IOException {
        List<String> lines = new ArrayList<>(Pages.text(page).lines().toList());
        List<Block> blocks = new ArrayList<>(fresh.keySet());
        for (int i = blocks.size() - 1; i >= 0; i--) {
            Block block = blocks.get(i);
            List<String> inside = lines.subList(block.first() + 1, block.last());
            inside.clear();
            inside.addAll(fresh.getOrDefault(block, "").lines().toList());
        }
        Files.writeString(page, String.join("\n", lines) + "\n");
    }
}
