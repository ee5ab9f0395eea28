package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.options.CommonOptions.Group;
import picocli.CommandLine.Command;

/** {@code rule}: tools for people who write rules. */
@Command(
        name = "rule",
        description = "Checks, explains, tests, and measures rules: custom predicates and priorities written as"
                + " expressions.",
        subcommands = {
            RuleCheckCommand.class,
            RuleLintCommand.class,
            RuleExplainCommand.class,
            RuleEvalCommand.class,
            RuleTestCommand.class,
            RuleDocsCommand.class,
            RuleBenchCommand.class,
        },
        sortOptions = false)
public final class RuleCommand extends Group {}
