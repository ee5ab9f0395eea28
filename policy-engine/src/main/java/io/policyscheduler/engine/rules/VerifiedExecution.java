package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.executor.Execution;
import io.policyscheduler.engine.rules.data.RuleFailure;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An execution some of whose answers are compared with what another executor gives, within a budget of its own. The answer is
 * always that of the first one, whatever the other one does.
 */
final class VerifiedExecution implements Execution {
    private final RuleExecution execution;
    private final String rule;
    private final PodInfo pod;
    private final int seed;
    private final Execution used;
    private final Supplier<RuleProgram.Run> starting;
    private RuleProgram.@Nullable Run checking;

    /** @param starting prepares the other executor; most pods never need it */
    VerifiedExecution(
            RuleExecution execution, String rule, PodInfo pod, Execution used, Supplier<RuleProgram.Run> starting) {
        this.execution = execution;
        this.rule = rule;
        this.pod = pod;
        this.seed = (rule.hashCode() * 31 + pod.namespace().hashCode()) * 31
                + pod.name().hashCode();
        this.used = used;
        this.starting = starting;
    }

    @Override
    public boolean bool(@Nullable NodeInfo node) {
        if (!isSampled(node)) {
            return used.bool(node);
        }
        return (Boolean) verified(node, () -> used.bool(node), run -> node == null ? run.bool() : run.bool(node));
    }

    @Override
    public double number(NodeInfo node) {
        if (!isSampled(node)) {
            return used.number(node);
        }
        return (Double) verified(node, () -> used.number(node), run -> run.number(node));
    }

    private boolean isSampled(@Nullable NodeInfo node) {
        return execution.samples(seed * 31 + (node == null ? 0 : node.name().hashCode()));
    }

    private Object verified(
            @Nullable NodeInfo node, Supplier<Object> asking, Function<RuleProgram.Run, Object> checked) {
        Object answer;
        try {
            answer = asking.get();
        } catch (RuntimeException e) {
            check(node, kind(e), checked);
            throw e;
        }
        check(node, answer, checked);
        return answer;
    }

    private void check(@Nullable NodeInfo node, Object answer, Function<RuleProgram.Run, Object> checked) {
        Object other;
        try {
            RuleProgram.Run run = checking;
            if (run == null) {
                run = starting.get();
                checking = run;
            }
            other = checked.apply(run);
        } catch (RuntimeException e) {
            other = kind(e);
        }
        execution.compared(rule, answer, other, pod, node);
    }

    private static RuleFailure.Kind kind(RuntimeException thrown) {
        return thrown instanceof RuleFailure failure ? failure.kind() : RuleFailure.Kind.INTERNAL;
    }
}
