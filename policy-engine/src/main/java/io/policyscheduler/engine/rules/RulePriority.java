package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.PodScorer.ConstantScorer;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleDefinition.Normalize;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.PrintableText;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;

/**
 * A priority that a rule computes. A pod to which the rule does not apply gives every node 0. A node for which the rule fails
 * scores 0, or makes all nodes of the pod score 0 when the rule says so.
 *
 * <p>Before normalising, a score is the number of the rule as the bits of a double, so that nothing is lost: only
 * {@link PodScorer#normalize} gives it a meaning. Without normalising it is the rounded number, cut to 0..100.
 */
public final class RulePriority extends CompiledRule.Algorithm implements Priority {
    private final Normalize normalize;

    private RulePriority(Normalize normalize, OnError onError, CompiledRule rule) {
        super(rule, onError);
        this.normalize = normalize;
    }

    /**
     * Compiles a rule.
     *
     * @param definition with an expression of its own, {@code use} is not looked at
     * @throws RuleException when the rule is refused
     */
    public static RulePriority compile(RuleDefinition definition, RuleCompiler compiler, RuleFailures failures)
            throws RuleException {
        ProblemFactory refusal = new ProblemFactory(definition.expression());
        if (definition.reason() != null || definition.resolvable() != null) {
            throw refusal.at(
                    RuleCode.DEFINITION,
                    0,
                    "reason and resolvable are only valid for predicates",
                    "remove them from the priority");
        }
        String word = definition.normalize();
        Normalize normalize = word == null ? Normalize.NONE : Normalize.of(word).orElse(null);
        if (normalize == null) {
            throw refusal.at(
                    RuleCode.DEFINITION,
                    0,
                    "normalize '" + PrintableText.text(String.valueOf(word)) + "'",
                    "there are none, max, minmax and reverse");
        }
        OnError onError = OnError.of(definition, OnError.ZERO, "priority");
        return new RulePriority(
                normalize, onError, CompiledRule.compile(definition, RuleType.NUMBER, compiler, failures));
    }

    @Override
    public PodScorer start(PodContext context, List<NodeInfo> feasible) {
        CompiledRule.Attempt attempt = rule.begin(context.cluster());
        try {
            if (!rule.applies(context, attempt)) {
                return new ConstantScorer(0);
            }
        } catch (RuntimeException e) {
            rule.failed(e, "every node scores 0", context.pod());
            return new ConstantScorer(0);
        }
        return new Scorer(context.pod(), rule.start(context.pod(), attempt));
    }

    private final class Scorer implements PodScorer {
        private final PodInfo pod;
        private final RuleProgram.Run run;

        Scorer(PodInfo pod, RuleProgram.Run run) {
            this.pod = pod;
            this.run = run;
        }

        @Override
        public long score(NodeInfo node) {
            double number;
            try {
                number = run.number(node);
            } catch (RuntimeException e) {
                rule.failed(e, onError() == OnError.IGNORE ? "every node scores 0" : "the node scores 0", pod);
                number = Double.NaN;
            }
            if (normalizes()) {
                return Double.doubleToLongBits(number);
            }
            return Double.isNaN(number) ? 0 : Math.max(0, Math.min(MAX_SCORE, Math.round(number)));
        }

        @Override
        public void normalize(List<NodeInfo> nodes, long[] scores) {
            if (normalizes()) {
                normalize.apply(scores, onError() == OnError.IGNORE);
            }
        }

        @Override
        public boolean normalizes() {
            return normalize != Normalize.NONE || onError() == OnError.IGNORE;
        }
    }
}
