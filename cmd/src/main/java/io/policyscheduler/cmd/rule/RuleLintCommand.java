package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.rule.report.LintReport;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.analysis.Finding;
import io.policyscheduler.engine.rules.analysis.RuleLint;
import io.policyscheduler.engine.rules.compiler.RuleException;
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
            "  {\"findings\": [ {\"code\": \"L002\", \"class\": \"warning\", \"rule\": \"Few\", \"file\": \"p.json\", \"line\": 4, \"column\": 42,",
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
}
