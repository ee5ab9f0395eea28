package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.analysis.RuleExplanation;
import io.policyscheduler.engine.rules.analysis.RuleExplanation.Explanation;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rule explain}. */
@Command(
        name = "explain",
        description = "Describes in plain English what a rule does, which objects it reads, and what it costs.",
        sortOptions = false,
        customSynopsis = "policy-scheduler rule explain (FILE [RULE] | -e EXPR) [OPTION...]",
        footer = {
            "",
            "The description is generated from the compiled rule, with the values of params. It also contains",
            "when a rejected pod is requeued, and the effect of a missing label.",
            "",
            "-o json prints",
            "  {\"rules\": [ {\"name\": \"Few\", \"for\": \"predicate\", \"says\": [",
            "      {\"depth\": 0, \"text\": \"The rule accepts a node for a pod when ...\"} ],",
            "      \"reads\": [\"the pods on the node\"], \"retries\": [\"...\"], \"preemption\": \"...\",",
            "      \"missing\": [\"...\"], \"cost\": [\"...\"]} ]}"
        })
final class RuleExplainCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", index = "0", paramLabel = "FILE", description = "Policy or rule library.")
    private @Nullable Path file;

    @Parameters(arity = "0..1", index = "1", paramLabel = "RULE", description = "Explain only the rule with this name.")
    private @Nullable String rule;

    @Mixin
    private ExpressionOptions expression = new ExpressionOptions();

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        Path path = file;
        if (expression.isGiven() != (path == null)) {
            throw new ParameterException(spec.commandLine(), "give either FILE or -e EXPR");
        }
        ExplanationReport report = path == null ? ofExpression() : ofFile(path);
        common.output().write(() -> report.print(common.out()), report::json);
        return ExitCode.OK;
    }

    private ExplanationReport ofExpression() {
        RuleProgram program = expression.compileOrFail();
        return new ExplanationReport(
                List.of(new ExplanationReport.OfRule("", use(program.type()), RuleExplanation.of(program))));
    }

    private static String use(RuleType type) {
        return type == RuleType.BOOL ? "predicate" : "priority";
    }

    private ExplanationReport ofFile(Path path) {
        policyOptions.withoutMeasuredValues();
        RuleChecks checks = new RuleChecks(policyOptions.resolver(Algorithms.registry()), null);
        checks.file(path);
        List<Problem> problems = checks.report().problems();
        if (!problems.isEmpty()) {
            throw new InputException(
                    String.join("\n", problems.stream().map(Problem::line).toList()));
        }
        List<ExplanationReport.OfRule> rules = new ArrayList<>();
        for (TestedRule each : checks.rules()) {
            if (rule == null || rule.equals(each.definition().name())) {
                rules.add(ofRule(each));
            }
        }
        if (rules.isEmpty()) {
            throw new InputException(none(path, checks.rules()));
        }
        return new ExplanationReport(rules);
    }

    private String none(Path path, List<TestedRule> known) {
        List<String> names =
                known.stream().map(each -> each.definition().name()).toList();
        if (rule == null || names.isEmpty()) {
            return path + ": no rules";
        }
        String nearest = Suggestions.nearest(rule, names);
        return path + ": no rule \"" + rule + "\"; there are " + String.join(", ", names)
                + (nearest == null ? "" : " (did you mean \"" + nearest + "\"?)");
    }

    private static ExplanationReport.OfRule ofRule(TestedRule rule) {
        try {
            return new ExplanationReport.OfRule(
                    rule.definition().name(),
                    use(rule.type()),
                    RuleExplanation.of(rule.definition(), rule.type(), rule.tables()));
        } catch (RuleException e) {
            throw new IllegalStateException(
                    "compiled before: " + rule.definition().name(), e);
        }
    }

    /**
     * The report of explained rules.
     *
     * @param rules in the order in which they are shown
     */
    public record ExplanationReport(List<OfRule> rules) {
        private static final int WIDTH = 100;

        /**
         * A rule and its explanation.
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

        /** The explanation as JSON. */
        public ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            ArrayNode list = json.putArray("rules");
            for (OfRule rule : rules) {
                ObjectNode node = list.addObject().put("name", rule.name()).put("for", rule.use());
                ArrayNode says = node.putArray("says");
                rule.explanation()
                        .says()
                        .forEach(line ->
                                says.addObject().put("depth", line.depth()).put("text", line.text()));
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
}
