package io.policyscheduler.predicates;

import io.policyscheduler.engine.algorithm.AlgorithmConfig;
import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;

/**
 * The node has all labels of one list and none of another, with any value. Mirrors {@code NodeLabelChecker} of
 * {@code predicates.go}.
 */
public final class CheckNodeLabelPresence implements Predicate {
    private static final Verdict WRONG_LABELS = Verdict.unfit(FailureReasons.LABEL_PRESENCE);

    private final List<String> present;
    private final List<String> absent;

    /** Checks {@link AlgorithmConfig#presentLabels()} and {@link AlgorithmConfig#absentLabels()}. */
    public CheckNodeLabelPresence(AlgorithmConfig config) {
        this.present = config.presentLabels();
        this.absent = config.absentLabels();
    }

    @Override
    public String name() {
        return "CheckNodeLabelPresence";
    }

    @Override
    public Scope scope() {
        return Scope.NODE;
    }

    @Override
    public PodFilter start(PodContext context) {
        return this::check;
    }

    private Verdict check(NodeInfo node) {
        Labels labels = node.node().labels();
        for (int i = 0; i < present.size(); i++) {
            if (!labels.has(present.get(i))) {
                return WRONG_LABELS;
            }
        }
        for (int i = 0; i < absent.size(); i++) {
            if (labels.has(absent.get(i))) {
                return WRONG_LABELS;
            }
        }
        return Verdict.FITS;
    }
}
