package io.policyscheduler.cmd.rule;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One case: what a rule has to say about a pod on some nodes.
 *
 * @param name unique in its file
 * @param position of the case in the file
 * @param now the moment of the case
 * @param nodes at least one
 * @param running pods on the nodes
 * @param objects neither nodes nor pods
 * @param pod to decide about
 * @param expected at least one, in the order of nodes
 */
record RuleCase(
        String name,
        SourcePosition position,
        TestedRule rule,
        Instant now,
        List<Node> nodes,
        List<PodInfo> running,
        List<ClusterObject> objects,
        PodInfo pod,
        List<Expected> expected) {
    /**
     * The expected result on one node.
     *
     * @param value as text: true, 50, a reason, a kind of failure
     */
    record Expected(String node, CasePart part, String value) {}

    RuleCase {
        nodes = List.copyOf(nodes);
        running = List.copyOf(running);
        objects = List.copyOf(objects);
        expected = List.copyOf(expected);
    }

    /** What is expected of a node; of errors, which nobody expects who does not say it, none. */
    List<Expected> of(String node) {
        List<Expected> all = new ArrayList<>(expected);
        all.removeIf(each -> !each.node().equals(node));
        if (all.stream().noneMatch(each -> each.part() == CasePart.ERROR)) {
            all.add(new Expected(node, CasePart.ERROR, CaseOutcome.NONE));
        }
        return List.copyOf(all);
    }

    /** The parts of an expected result. */
    enum CasePart {
        /** Whether a predicate takes the node: true or false. */
        FITS,
        /** What a priority gives the node, after normalising: 0 to 100. */
        SCORE,
        /** Why a predicate does not take the node. */
        REASON,
        /** How the rule fails. */
        ERROR;

        /** The word in a file of cases. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The result of a rule on one node of a case.
     *
     * @param values of the parts that there are, as texts
     */
    record CaseOutcome(String node, Map<CasePart, String> values) {
        /** Stands for a part that there is not. */
        static final String NONE = "none";

        CaseOutcome {
            values = Map.copyOf(values);
        }

        String value(CasePart part) {
            return values.getOrDefault(part, NONE);
        }

        /** All parts in one text, such as {@code fits false, reason "full"}. */
        String text() {
            List<String> parts = new ArrayList<>();
            for (CasePart part : CasePart.values()) {
                if (values.containsKey(part)) {
                    parts.add(part.word() + " " + value(part));
                }
            }
            return String.join(", ", parts);
        }

        /** Runs a case as the scheduler would, by one executor; the outcomes stand in the order of the nodes. */
        static List<CaseOutcome> run(RuleCase about, RuleProgram.Executor executor) {
            ClusterState cluster = cluster(about);
            List<NodeInfo> nodes = nodes(about, cluster);
            PodContext context = PodContext.of(about.pod(), cluster);
            return about.rule().type() == RuleType.BOOL
                    ? verdicts(about.rule(), executor, context, nodes)
                    : scores(about.rule(), executor, context, nodes);
        }

        /** The cluster of a case. */
        static ClusterState cluster(RuleCase about) {
            ClusterState cluster = new ClusterSnapshot(about.nodes(), about.objects(), about.running(), List.of())
                    .at(about.now())
                    .state();
            cluster.startCycle();
            return cluster;
        }

        /** The nodes of a case in its cluster, in its order. */
        static List<NodeInfo> nodes(RuleCase about, ClusterState cluster) {
            List<NodeInfo> nodes = new ArrayList<>();
            about.nodes().forEach(node -> {
                NodeInfo info = cluster.node(node.name());
                if (info != null) {
                    nodes.add(info);
                }
            });
            return List.copyOf(nodes);
        }

        private static List<CaseOutcome> verdicts(
                TestedRule rule, RuleProgram.Executor executor, PodContext context, List<NodeInfo> nodes) {
            Heard heard = new Heard();
            PodFilter filter = rule.predicate(executor, heard).start(context);
            RuleFailure.Kind always = heard.take();
            List<CaseOutcome> outcomes = new ArrayList<>();
            for (NodeInfo node : nodes) {
                Verdict verdict = filter.check(node);
                Map<CasePart, String> values = failure(always, heard.take());
                values.put(CasePart.FITS, String.valueOf(verdict.fits()));
                if (!verdict.reasons().isEmpty()) {
                    values.put(CasePart.REASON, verdict.reasons().get(0).text());
                }
                outcomes.add(new CaseOutcome(node.name(), values));
            }
            return List.copyOf(outcomes);
        }

        private static List<CaseOutcome> scores(
                TestedRule rule, RuleProgram.Executor executor, PodContext context, List<NodeInfo> nodes) {
            Heard heard = new Heard();
            PodScorer scorer = rule.priority(executor, heard).start(context, nodes);
            RuleFailure.Kind always = heard.take();
            long[] scores = new long[nodes.size()];
            List<Map<CasePart, String>> values = new ArrayList<>();
            for (int i = 0; i < scores.length; i++) {
                scores[i] = scorer.score(nodes.get(i));
                values.add(failure(always, heard.take()));
            }
            if (scorer.normalizes()) {
                scorer.normalize(nodes, scores);
            }
            List<CaseOutcome> outcomes = new ArrayList<>();
            for (int i = 0; i < scores.length; i++) {
                values.get(i).put(CasePart.SCORE, String.valueOf(scores[i]));
                outcomes.add(new CaseOutcome(nodes.get(i).name(), values.get(i)));
            }
            return List.copyOf(outcomes);
        }

        private static Map<CasePart, String> failure(
                RuleFailure.@Nullable Kind always, RuleFailure.@Nullable Kind here) {
            Map<CasePart, String> values = new EnumMap<>(CasePart.class);
            RuleFailure.Kind kind = always == null ? here : always;
            if (kind != null) {
                values.put(CasePart.ERROR, kind.text());
            }
            return values;
        }

        /** Keeps the last failure until it is taken. */
        private static final class Heard implements Consumer<RuleFailure.Kind> {
            private RuleFailure.@Nullable Kind last;

            @Override
            public void accept(RuleFailure.Kind kind) {
                last = kind;
            }

            RuleFailure.@Nullable Kind take() {
                RuleFailure.Kind taken = last;
                last = null;
                return taken;
            }
        }
    }
}
