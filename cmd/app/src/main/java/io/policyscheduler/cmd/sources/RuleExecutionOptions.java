package io.policyscheduler.cmd.sources;

import com.google.common.base.Ascii;
import io.policyscheduler.cmd.options.ShareConverter;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleProgram;
import picocli.CommandLine.Option;

/** How the rules of policies are run, as a mixin. */
public final class RuleExecutionOptions {
    @Option(
            names = "--rule-executor",
            paramLabel = "NAME",
            defaultValue = "direct",
            description = "Evaluator of rules: direct, or mvel (the MVEL interpreter). Both return the same"
                    + " results. mvel is 10 to 40 times slower (default: ${DEFAULT-VALUE}).")
    private RuleProgram.Executor executor = RuleProgram.Executor.DIRECT;

    @Option(
            names = "--verify-rules",
            paramLabel = "SHARE",
            defaultValue = "0",
            converter = ShareConverter.class,
            description = "Also evaluate this share of the rules with the other evaluator, such as 0.1%% or 0.001,"
                    + " and count the differences. The result of --rule-executor is used (default:"
                    + " ${DEFAULT-VALUE}).")
    private double verified;

    /** A new execution, which has verified nothing yet. */
    public RuleExecution execution() {
        return new RuleExecution(executor, verified);
    }

    /**
     * The same of texts.
     *
     * @param executor one of its names, in any case
     * @param verified a percentage, or a fraction of 1
     * @throws IllegalArgumentException when {@code verified} is neither; the message is for users
     */
    public static RuleExecution execution(String executor, String verified) {
        return new RuleExecution(
                RuleProgram.Executor.valueOf(Ascii.toUpperCase(executor)), ShareConverter.share(verified));
    }
}
