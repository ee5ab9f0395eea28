package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.ProblemFactory;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A predicate with a rule. A node is feasible if the rule is true, and every node is feasible for a pod to which the rule does not
 * apply. A failing rule rejects the node, with the failure as the reason, or passes it if configured; it never ends the attempt.
 */
public final class RulePredicate extends CompiledRule.Algorithm implements Predicate {
    private final Verdict unfit;
    private final Map<RuleFailure.Kind, Verdict> failed = new EnumMap<>(RuleFailure.Kind.class);

    private RulePredicate(OnError onError, CompiledRule rule) {
        super(rule, onError);
        RuleDefinition definition = rule.definition();
        String reason = definition.reason();
        Boolean specified = definition.resolvable();
        boolean resolvable = specified == null ? Reads.resolvable(rule.reads()) : specified;
        String text = reason == null ? "node(s) didn't satisfy rule " + definition.name() : reason;
        this.unfit = Verdict.unfit(new FailureReason(text, resolvable));
        for (RuleFailure.Kind kind : RuleFailure.Kind.values()) {
            String failure = "rule " + definition.name() + " failed: " + kind.text();
            failed.put(
                    kind,
                    onError == OnError.IGNORE ? Verdict.FITS : Verdict.unfit(new FailureReason(failure, resolvable)));
        }
    }

    /**
     * Compiles a rule.
     *
     * @param definition with its own expression; {@code use} is ignored
     * @throws RuleException if the rule is invalid
     */
    public static RulePredicate compile(RuleDefinition definition, RuleCompiler compiler, RuleFailures failures)
            throws RuleException {
        if (definition.normalize() != null) {
            throw new ProblemFactory(definition.expression())
                    .at(
                            RuleCode.DEFINITION,
                            0,
                            "normalize is only valid for priorities",
                            "a predicate returns true or false");
        }
        OnError onError = OnError.of(definition, OnError.REJECT, "predicate");
        return new RulePredicate(onError, CompiledRule.compile(definition, RuleType.BOOL, compiler, failures));
    }

    @Override
    public boolean readsTables() {
        return !rule.tables().isEmpty();
    }

    @Override
    public boolean readsBudgets() {
        return rule.reads().contains(Reads.BUDGETS);
    }

    @Override
    public PodFilter start(PodContext context) {
        CompiledRule.Attempt attempt = rule.begin(context.cluster());
        try {
            if (!rule.applies(context, attempt)) {
                return PodFilter.FITS_ALL;
            }
        } catch (RuntimeException e) {
            Verdict verdict = failure(e, context.pod());
            return node -> verdict;
        }
        return new Filter(context.pod(), attempt);
    }

    private Verdict failure(RuntimeException thrown, PodInfo pod) {
        String consequence = onError() == OnError.IGNORE ? "the node is accepted" : "the node is rejected";
        return failed.getOrDefault(rule.failed(thrown, consequence, pod), unfit);
    }

    private final class Filter implements PodFilter {
        private final PodInfo pod;
        private final CompiledRule.Attempt attempt;
        private final RuleProgram.Run run;

        Filter(PodInfo pod, CompiledRule.Attempt attempt) {
            this.pod = pod;
            this.attempt = attempt;
            this.run = rule.start(pod, attempt);
        }

        @Override
        public Verdict check(NodeInfo node) {
            try {
                return run.bool(node) ? Verdict.FITS : unfit;
            } catch (RuntimeException e) {
                return failure(e, pod);
            }
        }

        @Override
        public PodFilter copy() {
            // Rules that read one node see its current pods; only counts over several nodes need AddPod and RemovePod.
            return rule.scope() == Scope.NODE ? this : new Filter(pod, attempt.copy());
        }

        @Override
        public @Nullable String addPod(PodInfo added, NodeInfo node) {
            change(added, node, 1);
            return null;
        }

        @Override
        public @Nullable String removePod(PodInfo removed, NodeInfo node) {
            change(removed, node, -1);
            return null;
        }

        private void change(PodInfo changed, NodeInfo node, int sign) {
            if (rule.scope() != Scope.NODE) {
                attempt.counts().whatIf(changed, node, sign);
            }
        }
    }
}
