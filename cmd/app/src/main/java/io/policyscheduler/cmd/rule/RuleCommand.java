package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.Group;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.rule.RuleChecks.RuleReport;
import io.policyscheduler.cmd.sources.PolicyOptions;
import io.policyscheduler.engine.rules.data.RuleType;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rule}: tools for authors of rules. */
@Command(
        name = "rule",
        description = "Checks, explains, tests, and measures rules: custom predicates and priorities written as"
                + " expressions.",
        subcommands = {
            RuleCommand.RuleCheckCommand.class,
            RuleLintCommand.class,
            RuleExplainCommand.class,
            RuleEvalCommand.class,
            RuleTestCommand.class,
            RuleDocsCommand.class,
            RuleBenchCommand.class,
        },
        sortOptions = false)
public final class RuleCommand extends Group {

    /** {@code rule check}. */
    @Command(
            name = "check",
            description = "Compiles an expression, or all rules of policies and libraries, and reports errors.",
            sortOptions = false,
            customSynopsis = "policy-scheduler rule check (FILE... | -e EXPR) [OPTION...]",
            footer = {
                "",
                "READS lists the objects that a rule reads. With SCOPE node, its value for a node depends only on the",
                "pod and this node. With SCOPE cluster, it also depends on other objects. COST estimates the cost of",
                "one evaluation. Reading a field, such as pod.name, costs about 1. The estimate assumes 500 pods on a",
                "node, 50 elements in other lists, and strings no longer than a label. The lines below the table list",
                "what makes a rule more expensive than estimated.",
                "",
                "For a rejected rule, check prints the line and column, the reason, and the fix. The next two lines",
                "show the expression and mark the error. The exit code is then 1.",
                "",
                "-o json prints the document that docs/schemas/rule-check.schema.json describes."
            })
    static final class RuleCheckCommand implements Callable<Integer> {
        /** The type of rules that do not declare it. */
        static final class DefaultType {
            @Option(names = "--predicate", description = "The expression must be a bool.")
            private boolean predicate;

            @Option(names = "--priority", description = "The expression must be a number.")
            private boolean priority;

            @Nullable
            RuleType type() {
                if (predicate) {
                    return RuleType.BOOL;
                }
                return priority ? RuleType.NUMBER : null;
            }
        }

        @Spec
        private CommandSpec spec;

        @Parameters(arity = "0..*", paramLabel = "FILE", description = "Policies or rule libraries, JSON or YAML.")
        private List<Path> files = List.of();

        @Mixin
        private ExpressionOptions expression = new ExpressionOptions();

        @ArgGroup
        private DefaultType defaultType = new DefaultType();

        @Mixin
        private PolicyOptions policyOptions = new PolicyOptions();

        @Mixin
        private CommonOptions common = new CommonOptions();

        @Override
        public Integer call() {
            if (expression.isGiven() != files.isEmpty()) {
                throw new ParameterException(spec.commandLine(), "give either FILE or -e EXPR");
            }
            policyOptions.withoutMeasuredValues();
            RuleChecks checks = new RuleChecks(policyOptions.resolver(Algorithms.registry()), defaultType.type());
            if (expression.isGiven()) {
                checks.expression(expression);
            }
            files.forEach(checks::file);
            RuleReport report = checks.report();
            common.output().write(() -> print(report), report::json);
            return report.problems().isEmpty() ? ExitCode.OK : ExitCode.NEGATIVE;
        }

        private void print(RuleReport report) {
            report.print(common.out());
            if (report.accepted().isEmpty() && report.problems().isEmpty()) {
                common.out().println("no rules");
            }
        }
    }
}
