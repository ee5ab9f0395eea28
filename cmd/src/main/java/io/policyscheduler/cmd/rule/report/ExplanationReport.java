package io.policyscheduler.cmd.rule.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.rules.analysis.Explanation;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules in plain words.
 *
 * @param rules in the order in which they are shown
 */
public record ExplanationReport(List<OfRule> rules) {
    private static final int WIDTH = 100;

    /**
     * A rule and its words.
     *
     * @param name empty for an expression that is no part of a file
     * @param use {@code predicate} or {@code priority}
     */
    public record OfRule(String name, String use, Explanation explanation) {}

    public ExplanationReport {
        rules = List.copyOf(rules);
    }

    /** Sentences and lists, at most 100 columns wide. */
    public void print(PrintWriter out) {
        String gap = "";
        for (OfRule rule : rules) {
            out.print(gap);
            gap = "\n";
            if (!rule.name().isEmpty()) {
                out.println(rule.use() + " " + rule.name());
            }
            Explanation words = rule.explanation();
            words.says().forEach(line -> line(line.depth(), line.depth() > 0, line.text(), out));
            list("The rule reads:", words.reads(), out);
            if (!words.retries().isEmpty()) {
                list("A rejected pod is requeued when:", words.retries(), out);
                line(0, false, words.preemption(), out);
            }
            words.missing().forEach(sentence -> line(0, false, sentence, out));
            words.cost().forEach(sentence -> line(0, false, sentence, out));
        }
    }

    private static void list(String title, List<String> items, PrintWriter out) {
        out.println(title);
        items.forEach(item -> line(1, true, item, out));
    }

    private static void line(int depth, boolean item, String text, PrintWriter out) {
        String first = "  ".repeat(Math.max(0, depth - (item ? 1 : 0))) + (item ? "- " : "");
        String rest = " ".repeat(first.length() + (item ? 0 : 2));
        for (String line : wrapped(text, WIDTH - rest.length())) {
            out.println(first + line);
            first = rest;
        }
    }

    private static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** The same for programs. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode list = json.putArray("rules");
        for (OfRule rule : rules) {
            ObjectNode node = list.addObject().put("name", rule.name()).put("for", rule.use());
            ArrayNode says = node.putArray("says");
            rule.explanation()
                    .says()
                    .forEach(line -> says.addObject().put("depth", line.depth()).put("text", line.text()));
            strings(node.putArray("reads"), rule.explanation().reads());
            strings(node.putArray("retries"), rule.explanation().retries());
            node.put("preemption", rule.explanation().preemption());
            strings(node.putArray("missing"), rule.explanation().missing());
            strings(node.putArray("cost"), rule.explanation().cost());
        }
        return json;
    }

    private static void strings(ArrayNode into, List<String> texts) {
        texts.forEach(into::add);
    }
}
