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
 * A priority with a rule. For a pod to which the rule does not apply, every node scores 0. A node for which the rule fails scores
 * 0, or makes all nodes score 0 if configured.
 *
 * <p>Before normalizing, a score contains the bits of a double, to preserve precision; only {@link PodScorer#normalize} interprets
 * it. Without normalizing it is the rounded number, clamped to 0..100.
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
     * @param definition with its own expression; {@code use} is ignored
     * @throws RuleException if the rule is invalid
     */
    public static RulePriority compile(RuleDefinition definition, RuleCompiler compiler, RuleFailures failures)
            throws RuleException {
        ProblemFactory problemFactory = new ProblemFactory(definition.expression());
        if (definition.reason() != null || definition.resolvable() != null) {
            throw problemFactory.at(
                    RuleCode.DEFINITION,
                    0,
                    "reason and resolvable are only valid for predicates",
                    "remove them from the priority");
        }
        String word = definition.normalize();
        Normalize normalize = word == null ? Normalize.NONE : Normalize.of(word).orElse(null);
        if (normalize == null) {
            throw problemFactory.at(
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
