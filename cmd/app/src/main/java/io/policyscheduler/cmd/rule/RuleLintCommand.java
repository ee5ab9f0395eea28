package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.analysis.RuleLint;
import io.policyscheduler.engine.rules.analysis.RuleLint.Finding;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rule lint}. */
@Command(
        name = "lint",
        description = "Finds probable mistakes in rules and suggests simplifications.",
        sortOptions = false,
        customSynopsis = "policy-scheduler rule lint (FILE... | -e EXPR) [OPTION...]",
        footer = {
            "",
            "Each finding has a place, a code, the problem, and the fix, followed by the place in the",
            "expression. docs/codes.md lists the codes up to L015. A warning is a probable mistake, such as a",
            "condition that is always true or a parameter that is never used. An advice is a simplification.",
            "A finding \"always true\" holds for all clusters, but not every such condition is found.",
            "",
            "Findings do not change the exit code. With --strict, it is 1 if there is a warning. It is 1 if a",
            "rule is rejected, and 3 if a file cannot be read.",
            "",
            "-o json prints",
            "  {\"findings\": [ {\"code\": \"L002\", \"class\": \"warning\", \"rule\": \"Few\", \"file\": \"p.json\","
                    + " \"line\": 4, \"column\": 42,",
            "      \"field\": \"expression\", \"message\": \"node.podCount >= 0 is always true\",",
            "      \"suggestion\": \"remove it or correct it\", \"excerpt\": \"node.podCount >= 0\\n^\"} ],",
            "   \"problems\": []}",
            "\"problems\" are the rejected rules, as in rule check."
        })
final class RuleLintCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "FILE", description = "Policies or rule libraries, JSON or YAML.")
    private List<Path> files = List.of();

    @Mixin
    private ExpressionOptions expression = new ExpressionOptions();

    @Option(names = "--strict", description = "Exit with code 1 if there is a warning.")
    private boolean strict;

    @Mixin
    private PolicyOptions policyOptions = new PolicyOptions();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (expression.isGiven() != files.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "give either FILE or -e EXPR");
        }
        LintReport report = expression.isGiven() ? ofExpression() : ofFiles();
        common.output().write(() -> report.print(common.out()), report::json);
        boolean bad = !report.problems().isEmpty() || (strict && report.warnings() > 0);
        return bad ? ExitCode.NEGATIVE : ExitCode.OK;
    }

    private LintReport ofExpression() {
        RuleDefinition.Place place = new RuleDefinition.Place(ExpressionOptions.PLACE, 0, 0);
        try {
            List<LintReport.Found> found = new ArrayList<>();
            RuleLint.of(expression.compile(null)).forEach(each -> found.add(new LintReport.Found("", place, each)));
            return new LintReport(found, List.of());
        } catch (RuleException e) {
            return new LintReport(List.of(), List.of(ExpressionOptions.problem(e.problem())));
        }
    }

    private LintReport ofFiles() {
        policyOptions.withoutMeasuredValues();
        RuleChecks checks = new RuleChecks(policyOptions.resolver(Algorithms.registry()), null);
        files.forEach(checks::file);
        List<LintReport.Found> found = new ArrayList<>();
        for (RuleDefinition rule : checks.unused()) {
            found.add(new LintReport.Found(rule.name(), rule.place(), RuleLint.unused(rule)));
        }
        for (TestedRule rule : checks.rules()) {
            for (Finding finding : findings(rule)) {
                found.add(new LintReport.Found(
                        rule.definition().name(), rule.definition().place(), finding));
            }
        }
        return new LintReport(found, checks.report().problems());
    }

    private static List<Finding> findings(TestedRule rule) {
        try {
            return RuleLint.of(rule.definition(), rule.type(), rule.tables());
        } catch (RuleException e) {
            throw new IllegalStateException(
                    "compiled before: " + rule.definition().name(), e);
        }
    }

    /**
     * The report of lint findings.
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

            /** True for a place in an expression, false for another field. */
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

        /** Number of findings. */
        public long warnings() {
            return findings.stream()
                    .filter(found -> found.finding().code().isWarning())
                    .count();
        }

        /**
         * Prints a line for each rejected rule and each finding, with its place in the expression if it has one; then the sum.
         */
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

        /** The findings as JSON. */
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
            problems.forEach(problem -> RuleChecks.RuleReport.addTo(refused, problem));
            return json;
        }
    }
}
