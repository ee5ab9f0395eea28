package io.policyscheduler.framework.cycle;

import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.attempt.AttemptPhase;
import io.policyscheduler.framework.cycle.attempt.DecisionDifference;
import io.policyscheduler.framework.cycle.attempt.SearchStart;
import io.policyscheduler.framework.plugin.CycleState;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a decision on both paths: on the same cluster, from the same place in it, with the same turn among equals. What comes of asking
 * every plugin about every node counts, and is all that others hear of; where what is kept about the nodes says otherwise, it is told,
 * and thrown away.
 */
final class DecisionVerification {
    private static final Logger log = LoggerFactory.getLogger(DecisionVerification.class);

    private final SchedulingCycle cycle;
    private final ScoreNotes notes = new ScoreNotes();

    /** What one path has come to, with the report that knows how. */
    private record Trial(DecisionReport report, DecisionAnswer answer) {}

    DecisionVerification(SchedulingCycle cycle) {
        this.cycle = cycle;
    }

    /** Decides as {@link SchedulingCycle#decide} does. */
    Decision decide(PodInfo pod, NominatedPods nominated, CycleState state) {
        DecisionReport.Way plainly =
                new DecisionReport.Way(false, cycle.tieBreak, cycle.outOfRange, cycle.attempts, true);
        String problem = cycle.begin(pod);
        if (problem != null) {
            Decision failed = new DecisionReport(cycle, pod, nominated, null, plainly).failed(problem);
            cycle.attempts.entered(AttemptPhase.DECIDED);
            return failed;
        }
        SearchStart start = cycle.sampling.start();
        int before = start.index();
        TieBreak same = cycle.tieBreak.copy();
        @Nullable Trial kept = null;
        @Nullable RuntimeException broken = null;
        try {
            TieBreak tieBreak = same == null ? TieBreak.first() : same;
            kept = trial(pod, nominated, cycle.newState(), DecisionReport.Way.silent(true, tieBreak));
        } catch (RuntimeException e) {
            broken = e;
        }
        int after = start.index();
        start.back(before);
        Trial plain = trial(pod, nominated, state, plainly);
        cycle.attempts.entered(AttemptPhase.DECIDED);
        if (cycle.attempts.wantsDetails()) {
            cycle.attempts.attempted(pod, plain.answer().details());
        }
        String what = kept == null ? "an exception" : plain.answer().difference(kept.answer(), same != null);
        if (what == null && after != start.index()) {
            what = "where the next search starts";
        }
        if (what != null && isSteady(plain.answer(), before, pod, nominated)) {
            tell(pod, what, plain, kept, broken);
        }
        cycle.attempts.verified(pod);
        return plain.answer().decision();
    }

    /** See {@link SchedulingCycle#staleAnswers}. */
    List<String> stale(PodInfo pod, NominatedPods nominated) {
        if (cycle.begin(pod) != null) {
            return List.of();
        }
        SearchStart start = cycle.sampling.start();
        int before = start.index();
        Trial kept = trial(pod, nominated, cycle.newState(), DecisionReport.Way.silent(true, TieBreak.first()));
        start.back(before);
        return kept.report().stale();
    }

    private Trial trial(PodInfo pod, NominatedPods nominated, CycleState state, DecisionReport.Way way) {
        AttemptNotes seen = new AttemptNotes(notes);
        DecisionReport report = new DecisionReport(cycle, pod, nominated, seen, way);
        Decision decision = cycle.look(report, pod, state, null);
        DecisionAnswer answer = new DecisionAnswer(
                decision,
                report.feasible().stream().map(NodeInfo::name).toList(),
                report.totals(),
                seen.details(cycle.cluster.nodes().size()));
        return new Trial(report, answer);
    }

    /** Whether asking anew gives the same once more; a plugin that throws dice says nothing about what is kept. */
    private boolean isSteady(DecisionAnswer answer, int before, PodInfo pod, NominatedPods nominated) {
        SearchStart start = cycle.sampling.start();
        int after = start.index();
        start.back(before);
        Trial again = trial(pod, nominated, cycle.newState(), DecisionReport.Way.silent(false, TieBreak.first()));
        start.back(after);
        return answer.difference(again.answer(), false) == null;
    }

    private void tell(PodInfo pod, String what, Trial plain, @Nullable Trial kept, @Nullable RuntimeException broken) {
        TreeSet<String> plugins = new TreeSet<>();
        if (kept != null) {
            plugins.addAll(kept.answer().scoredOtherwise(plain.answer()));
            plugins.addAll(kept.report().stale());
        }
        cycle.forgetKept();
        DecisionDifference difference = new DecisionDifference(
                pod,
                what,
                plain.answer().toString(),
                kept == null ? String.valueOf(broken) : kept.answer().toString(),
                List.copyOf(plugins));
        log.error(
                "W122 decisions about pod {} differ in {}: without the result cache {}, with it {}{}; the first result counts,"
                        + " and the cache is rebuilt",
                pod.key(),
                what,
                difference.plain(),
                difference.kept(),
                plugins.isEmpty()
                        ? ""
                        : ", where the answers of " + String.join(", ", plugins) + " were not those of now",
                broken);
        cycle.attempts.differs(difference);
    }
}
