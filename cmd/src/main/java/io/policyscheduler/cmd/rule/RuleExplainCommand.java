package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.rule.report.ExplanationReport;
import io.policyscheduler.cmd.setup.Algorithms;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.analysis.RuleWords;
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
            "  {\"rules\": [ {\"name\": \"Few\", \"for\": \"predicate\", \"says\": [ {\"depth\": 0, \"text\": \"The rule accepts a node for a pod when ...\"} ],",
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
                List.of(new ExplanationReport.OfRule("", use(program.type()), RuleWords.of(program))));
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
                    RuleWords.of(rule.definition(), rule.type(), rule.tables()));
        } catch (RuleException e) {
            throw new IllegalStateException(
                    "compiled before: " + rule.definition().name(), e);
        }
    }
}
