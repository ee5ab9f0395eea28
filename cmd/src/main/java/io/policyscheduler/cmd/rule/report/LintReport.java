package io.policyscheduler.cmd.rule.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.analysis.Finding;
import java.io.PrintWriter;
import java.util.List;

/**
 * What was found in rules.
 *
 * @param findings in the order of the rules
 * @param problems of the rules that are refused
 */
public record LintReport(List<Found> findings, List<Problem> problems) {
    private static final String EXPRESSION = "expression";
    private static final String WHEN = "when";

    /**
     * A finding and the rule that it is about.
     *
     * @param rule its name, empty for an expression that is no part of a file
     * @param place of the rule; for an expression that is no part of a file without a line
     */
    public record Found(String rule, RuleDefinition.Place place, Finding finding) {
        private String line() {
            String within = finding.place().line() + ":" + finding.place().column();
            if (rule.isEmpty()) {
                return place.file() + ":" + within + ": " + finding.text();
            }
            String field = finding.field().equals(EXPRESSION) ? "" : finding.field() + " ";
            String where = isPlaced() ? field + within + ": " : "";
            return place.file() + ":" + place.line() + ":" + place.column() + ": rule " + rule + ": " + where
                    + finding.text();
        }

        /** True for what is about a place in an expression, not about another field. */
        private boolean isPlaced() {
            return finding.field().equals(EXPRESSION) || finding.field().equals(WHEN);
        }

        private String level() {
            return finding.code().isWarning() ? "warning" : "advice";
        }
    }

    public LintReport {
        findings = List.copyOf(findings);
        problems = List.copyOf(problems);
    }

    /** Number of findings that were probably not meant. */
    public long warnings() {
        return findings.stream()
                .filter(found -> found.finding().code().isWarning())
                .count();
    }

    /** A line for each refused rule and each finding, below it the place in the expression if it has one; then the sum. */
    public void print(PrintWriter out) {
        for (Problem problem : problems) {
            out.println(problem.line());
            out.print(problem.excerpt().indent(4));
        }
        for (Found found : findings) {
            out.println(found.line());
            if (found.isPlaced()) {
                out.print(found.finding().place().caret().indent(4));
            }
        }
        if (findings.isEmpty() && !problems.isEmpty()) {
            return;
        }
        long warnings = warnings();
        out.println(
                findings.isEmpty()
                        ? "no findings"
                        : findings.size() + (findings.size() == 1 ? " finding: " : " findings: ") + warnings
                                + (warnings == 1 ? " warning, " : " warnings, ") + (findings.size() - warnings)
                                + " advice");
    }

    /** The same for programs. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode list = json.putArray("findings");
        for (Found found : findings) {
            list.addObject()
                    .put("code", found.finding().code().code())
                    .put("class", found.level())
                    .put("rule", found.rule())
                    .put("file", found.place().file())
                    .put("line", found.place().line())
                    .put("column", found.place().column())
                    .put("field", found.finding().field())
                    .put("message", found.finding().message())
                    .put("suggestion", found.finding().suggestion())
                    .put("excerpt", found.finding().place().caret());
        }
        ArrayNode refused = json.putArray("problems");
        for (Problem problem : problems) {
            refused.addObject()
                    .put("code", problem.code())
                    .put("message", problem.message())
                    .put("file", problem.file())
                    .put("line", problem.lineNumber())
                    .put("column", problem.column())
                    .put("excerpt", problem.excerpt());
        }
        return json;
    }
}
