package io.policyscheduler.engine.cluster.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.index.PodQuery.PodTermConjunction;
import io.policyscheduler.engine.cluster.node.NodeConstraints.NodeTermSet;
import io.policyscheduler.engine.cluster.node.TolerationSet;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.Meant;
import io.policyscheduler.engine.cluster.object.Affinity.PodTermIndex.NamespaceRule;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The result for many terms equals that of evaluating them one by one. */
class ManyTermsTest {
    private static final List<String> KEYS = List.of("a", "b", "c", "d");
    private static final List<String> VALUES = List.of("1", "2", "3");
    private static final List<String> SPACES = List.of("n1", "n2", "n3");

    @RepeatedTest(40)
    void affinityTermsMeanThePodsThatTheyMeanOneByOne(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        List<Affinity.WeightedPodTerm> terms = new ArrayList<>();
        for (int i = random.nextInt(60); i >= 0; i--) {
            terms.add(new Affinity.WeightedPodTerm(random.nextInt(1, 100), term(random)));
        }
        PodTermIndex index = PodTermIndex.ofPreferred(terms);
        PodInfo owner = PodBuilder.pod("owner").namespace("n1").build();
        for (int i = 0; i < 40; i++) {
            PodInfo pod = pod(random);
            NamespaceRule rule = NamespaceRule.first(owner.namespace(), pod.namespace());
            for (String key : List.of("host", "zone", "rack")) {
                long number = 0;
                long weight = 0;
                for (Affinity.WeightedPodTerm weighted : terms) {
                    if (weighted.term().topologyKey().equals(key)
                            && weighted.term().matches(owner, pod)) {
                        number++;
                        weight += weighted.weight();
                    }
                }
                assertEquals(new Meant(number, weight), index.meaning(key, pod.labels(), rule), pod + " of " + terms);
            }
        }
    }

    @RepeatedTest(40)
    void termsThatAllHaveToMeanAPodAreOne(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        List<PodAffinityTerm> terms = new ArrayList<>();
        for (int i = random.nextInt(4) * random.nextInt(4); i >= 0; i--) {
            terms.add(term(random));
        }
        PodInfo owner = PodBuilder.pod("owner").namespace("n1").build();
        PodTermConjunction all = PodTermConjunction.of(owner, terms);
        for (int i = 0; i < 40; i++) {
            PodInfo pod = pod(random);
            boolean oneByOne = terms.stream().allMatch(term -> term.matches(owner, pod));
            assertEquals(oneByOne, all.matches(pod), () -> pod + " of " + terms);
        }
    }

    @RepeatedTest(40)
    void aLongSelectorAcceptsWhatItsRequirementsAccept(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        List<LabelRequirement> requirements = new ArrayList<>();
        for (int i = 13 + random.nextInt(20); i > 0; i--) {
            // Mostly what rules out little, or nothing would ever be accepted.
            requirements.add(
                    random.nextInt(9) == 0
                            ? requirement(random)
                            : LabelRequirement.ofNodeSelector("z" + random.nextInt(9), "NotIn", values(random)));
        }
        LabelSelector selector = new LabelSelector(requirements);
        for (int i = 0; i < 40; i++) {
            Labels labels = labels(random);
            boolean all = requirements.stream().allMatch(requirement -> requirement.matches(labels));
            assertEquals(all, selector.matches(labels), () -> labels + " by " + requirements);
        }
    }

    @RepeatedTest(40)
    void nodeTermsAreSatisfiedAsOneByOne(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        List<Affinity.PreferredNodeTerm> terms = new ArrayList<>();
        for (int i = random.nextInt(30); i >= 0; i--) {
            terms.add(new Affinity.PreferredNodeTerm(random.nextInt(1, 100), nodeTerm(random)));
        }
        List<NodeSelectorTerm> bare =
                terms.stream().map(Affinity.PreferredNodeTerm::term).toList();
        NodeTermSet required = NodeTermSet.ofRequired(bare);
        NodeTermSet withFields = NodeTermSet.ofPreferred(terms, true);
        NodeTermSet withoutFields = NodeTermSet.ofPreferred(terms, false);
        for (int i = 0; i < 30; i++) {
            Labels labels = labels(random);
            String name = "node" + random.nextInt(3);
            long sum = 0;
            long sumWithout = 0;
            for (Affinity.PreferredNodeTerm preferred : terms) {
                NodeSelectorTerm term = preferred.term();
                sum += term.matches(labels, name) ? preferred.weight() : 0;
                sumWithout += !term.expressions().isEmpty() && term.expressionsMatch(labels) ? preferred.weight() : 0;
            }
            String where = labels + " " + name + " by " + terms;
            assertEquals(NodeSelectorTerm.anyMatches(bare, labels, name), required.anyMatches(labels, name), where);
            assertEquals(sum, withFields.weight(labels, name), where);
            assertEquals(sumWithout, withoutFields.weight(labels, name), where);
        }
    }

    @RepeatedTest(20)
    void taintsAreToleratedAsOneByOne(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        List<String> effects = List.of("", "NoSchedule", "NoExecute");
        List<Toleration> tolerations = new ArrayList<>();
        for (int i = random.nextInt(14); i > 0; i--) {
            tolerations.add(new Toleration(
                    random.nextInt(12) == 0 ? "" : pick(random, KEYS),
                    pick(random, List.of("", "Equal", "Exists", "Lt", "Equal")),
                    pick(random, VALUES),
                    pick(random, effects)));
        }
        TolerationSet set = new TolerationSet(tolerations);
        for (String key : KEYS) {
            for (String value : VALUES) {
                for (String effect : effects) {
                    Taint taint = new Taint(key, value, effect);
                    assertEquals(
                            Toleration.anyTolerates(tolerations, taint),
                            set.tolerates(taint),
                            () -> taint + " by " + tolerations);
                }
            }
        }
    }

    /** A pod with thousands of terms costs other pods no more than a lookup of their own labels. */
    @Test
    void aTermThatSaysNothingAboutALabelIsNotLookedAt() {
        TermSet.Builder builder = new TermSet.Builder();
        for (int i = 0; i < 7_000; i++) {
            builder.add(
                    new LabelSelector(List.of(LabelRequirement.ofLabelSelector(
                            "app", i % 2 == 0 ? "In" : "NotIn", List.of("x" + i, "y")))),
                    0,
                    2);
        }
        TermSet terms = builder.build();
        Labels labels = Labels.of("app", "x7", "track", "canary");
        assertEquals(1, terms.examinedFor(labels));
        assertEquals(new TermSet.Sum(3_499, 6_998), terms.of(labels, group -> true));
    }

    @Test
    void equalTermsAreOne() {
        TermSet.Builder builder = new TermSet.Builder();
        for (int i = 0; i < 7_000; i++) {
            builder.add(new LabelSelector(List.of(LabelRequirement.equalTo("app", "web"))), 0, 3);
        }
        TermSet terms = builder.build();
        assertEquals(1, terms.examinedFor(Labels.of("app", "web")));
        assertEquals(new TermSet.Sum(7_000, 21_000), terms.of(Labels.of("app", "web"), group -> true));
    }

    private static PodAffinityTerm term(SplittableRandom random) {
        List<LabelRequirement> requirements = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            requirements.add(LabelRequirement.ofLabelSelector(
                    pick(random, KEYS), pick(random, List.of("In", "NotIn", "NotIn")), values(random)));
        }
        if (random.nextInt(4) == 0) {
            requirements.add(LabelRequirement.ofLabelSelector(
                    pick(random, KEYS), pick(random, List.of("Exists", "DoesNotExist", "Odd")), List.of()));
        }
        List<String> namespaces = random.nextInt(3) > 0 ? List.of() : List.of(pick(random, SPACES), "n9");
        return new PodAffinityTerm(
                random.nextInt(20) == 0 ? null : new LabelSelector(requirements),
                namespaces,
                pick(random, List.of("host", "zone")),
                null);
    }

    private static NodeSelectorTerm nodeTerm(SplittableRandom random) {
        List<LabelRequirement> expressions = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            expressions.add(requirement(random));
        }
        List<LabelRequirement> fields = new ArrayList<>();
        if (random.nextInt(3) == 0) {
            fields.add(LabelRequirement.ofNodeSelector(
                    random.nextInt(6) == 0 ? "metadata.odd" : "metadata.name",
                    pick(random, List.of("In", "NotIn", "Exists")),
                    List.of("node" + random.nextInt(3))));
        }
        return new NodeSelectorTerm(expressions, fields);
    }

    private static LabelRequirement requirement(SplittableRandom random) {
        String operator = pick(random, List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"));
        List<String> values = switch (operator) {
            case "Exists", "DoesNotExist" -> List.of();
            case "Gt", "Lt" -> List.of(pick(random, VALUES));
            default -> values(random);
        };
        return LabelRequirement.ofNodeSelector(pick(random, KEYS), operator, values);
    }

    private static List<String> values(SplittableRandom random) {
        List<String> values = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            values.add(pick(random, VALUES));
        }
        if (random.nextInt(5) == 0) {
            for (int i = 0; i < 20; i++) {
                values.add("v" + i);
            }
        }
        return values;
    }

    private static Labels labels(SplittableRandom random) {
        List<String> pairs = new ArrayList<>();
        for (String key : KEYS) {
            if (random.nextInt(2) == 0) {
                pairs.add(key);
                pairs.add(pick(random, VALUES));
            }
        }
        return Labels.of(pairs.toArray(String[]::new));
    }

    private static PodInfo pod(SplittableRandom random) {
        PodBuilder builder = PodBuilder.pod("pod").namespace(pick(random, SPACES));
        labels(random).forEach(builder::label);
        return builder.build();
    }

    private static <T> T pick(SplittableRandom random, List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
