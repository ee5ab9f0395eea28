package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.rule.CaseFile.CaseProblems;
import io.policyscheduler.cmd.rule.CaseObjects.CaseObject;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.PodScorer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.framework.insight.compare.ClusterSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One case: the expected results of a rule for a pod on some nodes.
 *
 * @param name unique in its file
 * @param position of the case in the file
 * @param now the time of the case
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

    /** The expected result; without an expected error, an error is a difference. */
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
        /** The result of a predicate: true or false. */
        FITS,
        /** The score of a priority after normalization: 0 to 100. */
        SCORE,
        /** The reason of a predicate for rejecting the node. */
        REASON,
        /** How the rule fails. */
        ERROR;

        /** The key in a case file. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The actual result on one node.
     *
     * @param values of the parts that there are, as texts
     */
    record CaseOutcome(String node, Map<CasePart, String> values) {
        /** A missing part. */
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

        /** Runs a case as the scheduler does, with one executor; results are in the order of the nodes. */
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
            cluster.startCompleteCycle();
            return cluster;
        }

        /** The nodes of a case in its cluster, in the order of the case. */
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
            LastFailure failures = new LastFailure();
            PodFilter filter = rule.predicate(executor, failures).start(context);
            RuleFailure.Kind always = failures.take();
            List<CaseOutcome> outcomes = new ArrayList<>();
            for (NodeInfo node : nodes) {
                Verdict verdict = filter.check(node);
                Map<CasePart, String> values = failure(always, failures.take());
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
            LastFailure failures = new LastFailure();
            PodScorer scorer = rule.priority(executor, failures).start(context, nodes);
            RuleFailure.Kind always = failures.take();
            long[] scores = new long[nodes.size()];
            List<Map<CasePart, String>> values = new ArrayList<>();
            for (int i = 0; i < scores.length; i++) {
                scores[i] = scorer.score(nodes.get(i));
                values.add(failure(always, failures.take()));
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

        /** Stores the last failure until it is read. */
        private static final class LastFailure implements Consumer<RuleFailure.Kind> {
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

    /** Reads the expected results of a case: for each part, one value for all nodes or an object with a value per node. */
    static final class CaseExpectations {
        private static final List<String> ERRORS = Arrays.stream(RuleFailure.Kind.values())
                .map(RuleFailure.Kind::text)
                .toList();

        private final CaseObject object;
        private final RuleType type;
        private final List<String> nodes;
        private final CaseProblems problems;
        private final Map<CasePart, Map<String, String>> values = new EnumMap<>(CasePart.class);

        /**
         * @param object the case
         * @param type of its rule
         */
        CaseExpectations(CaseObject object, RuleType type, List<Node> nodes, CaseProblems problems) {
            this.object = object;
            this.type = type;
            this.nodes = nodes.stream().map(Node::name).toList();
            this.problems = problems;
        }

        /** The expected results, in the order of nodes. */
        List<RuleCase.Expected> read() {
            for (CasePart part : CasePart.values()) {
                SourceNode value = object.any(part.word());
                if (value != null && isOfType(part)) {
                    values.put(part, value.kind() == SourceNode.Kind.OBJECT ? each(part, value) : all(part, value));
                }
            }
            boolean given = Arrays.stream(CasePart.values()).anyMatch(part -> object.has(part.word()));
            if (!given) {
                problems.add(
                        object.position(),
                        "the case expects nothing; set " + (type == RuleType.BOOL ? "fits" : "score"));
            }
            List<RuleCase.Expected> expected = new ArrayList<>();
            for (String node : nodes) {
                values.forEach((part, texts) -> {
                    String text = texts.get(node);
                    if (text != null) {
                        expected.add(new RuleCase.Expected(node, part, text));
                    }
                });
            }
            return List.copyOf(expected);
        }

        private boolean isOfType(CasePart part) {
            boolean ofPredicate = part == CasePart.FITS || part == CasePart.REASON;
            if (part == CasePart.ERROR || ofPredicate == (type == RuleType.BOOL)) {
                return true;
            }
            problems.add(
                    object.position(part.word()),
                    ofPredicate
                            ? "the rule is a priority; expect a score, not " + part.word()
                            : "the rule is a predicate; expect fits, not score");
            return false;
        }

        private Map<String, String> each(CasePart part, SourceNode object) {
            Map<String, String> texts = new TreeMap<>();
            for (SourceNode.Member member : object.members()) {
                if (!nodes.contains(member.key())) {
                    problems.unknown(
                            member.keyPosition(),
                            "no node \"" + member.key() + "\" in this case; there are " + String.join(", ", nodes),
                            member.key(),
                            nodes);
                    continue;
                }
                String text = text(part, member.value());
                if (text != null && texts.put(member.key(), text) != null) {
                    problems.add(member.keyPosition(), "node \"" + member.key() + "\" appears twice; remove one");
                }
            }
            return texts;
        }

        /** A reason for all nodes applies to the nodes that are expected to be infeasible. */
        private Map<String, String> all(CasePart part, SourceNode value) {
            Map<String, String> texts = new TreeMap<>();
            String text = text(part, value);
            Map<String, String> fits = values.get(CasePart.FITS);
            for (String node : nodes) {
                boolean counts = part != CasePart.REASON || fits == null || "false".equals(fits.get(node));
                if (text != null && counts) {
                    texts.put(node, text);
                }
            }
            if (text != null && texts.isEmpty() && !nodes.isEmpty()) {
                problems.add(
                        value.position(), "the case expects a reason, but no node with fits: false; remove the reason");
            }
            return texts;
        }

        /** Null if the part does not allow the value. */
        private @Nullable String text(CasePart part, SourceNode value) {
            boolean good = switch (part) {
                case FITS -> value.kind() == SourceNode.Kind.BOOL;
                case SCORE ->
                    value.kind() == SourceNode.Kind.NUMBER && value.text().matches("[0-9]{1,2}|100");
                case REASON -> value.kind() == SourceNode.Kind.STRING;
                case ERROR -> value.kind() == SourceNode.Kind.STRING && ERRORS.contains(value.text());
            };
            if (good) {
                return value.text();
            }
            String allowed = switch (part) {
                case FITS -> "true or false";
                case SCORE -> "a number from 0 to 100 without fraction";
                case REASON -> "a string";
                case ERROR -> String.join(", ", ERRORS);
            };
            problems.unknown(
                    value.position(),
                    part.word() + " is " + CaseObject.shown(value) + ", expected " + allowed,
                    value.text(),
                    part == CasePart.ERROR ? ERRORS : List.of());
            return null;
        }
    }
}
