package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Priority;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Predicates and priorities of one line, for tests of the code that runs them. */
public final class FakeAlgorithms {
    private FakeAlgorithms() {}

    /** A predicate without metadata. */
    public static Predicate predicate(String name, Function<NodeInfo, Verdict> check) {
        return predicate(name, context -> check::apply, false);
    }

    /** A predicate with metadata for the pod. */
    public static Predicate predicate(String name, Function<PodContext, PodFilter> start, boolean needsMetadata) {
        return new Predicate() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Scope scope() {
                return Scope.NODE;
            }

            @Override
            public PodFilter start(PodContext context) {
                return start.apply(context);
            }

            @Override
            public boolean needsMetadata() {
                return needsMetadata;
            }
        };
    }

    /** Rejects the nodes of these names, with these resolvable reasons. */
    public static Predicate rejecting(String name, List<String> nodes, String... texts) {
        Verdict verdict = Verdict.of(
                List.of(texts).stream().map(FailureReason::resolvable).toList());
        return predicate(name, node -> nodes.contains(node.name()) ? verdict : Verdict.FITS);
    }

    /** A node accepts that many pods, including nominated ones and the new one. */
    public static Predicate podLimit(int pods) {
        Verdict full = Verdict.unfit(FailureReason.resolvable("Insufficient pods"));
        return predicate("PodLimit", node -> node.podCount() < pods ? Verdict.FITS : full);
    }

    /** A priority without a reduce step. */
    public static Priority priority(String name, ToLongFunction<NodeInfo> score) {
        return scored(name, score::applyAsLong);
    }

    /** A priority with this scorer. */
    public static Priority scored(String name, PodScorer scorer) {
        return new Priority() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Scope scope() {
                return Scope.NODE;
            }

            @Override
            public PodScorer start(PodContext context, List<NodeInfo> feasible) {
                return scorer;
            }
        };
    }

    /** A priority that fails. */
    public static Priority failing(String name, String error) {
        return scored(name, new PodScorer() {
            @Override
            public long score(NodeInfo node) {
                throw new IllegalStateException("not asked after an error");
            }

            @Override
            public String error() {
                return error;
            }
        });
    }
}
