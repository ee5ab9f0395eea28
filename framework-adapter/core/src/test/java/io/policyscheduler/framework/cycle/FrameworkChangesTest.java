package io.policyscheduler.framework.cycle;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.placement.PreemptionResult;
import io.policyscheduler.engine.testing.Clusters;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.Evaluator.PostFilters;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.EnqueueExtensions;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventKind.EventAction;
import io.policyscheduler.framework.plugin.EventKind.EventResource;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.ObjectEvent;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.profile.InTreePlugins.DefaultPreemption;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.Profile.Family;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.QueueingHintMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each change of what is around the plugins: what the release of the change and the one before it do. */
class FrameworkChangesTest {
    private static final String FULL = "0/2 nodes are available: 2 full.";
    private static final String ROOM =
            " preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.";

    /** What a release does. */
    private record Row(SchedulerChange change, String before, String since, Function<Release, Object> answer) {}

    /** Takes no pod, or every pod; scores nodes by their pods. */
    private record Counting(boolean takes) implements FilterPlugin, ScorePlugin, EnqueueExtensions {
        @Override
        public String name() {
            return "Counting";
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return takes ? Status.SUCCESS : Status.unschedulable("full");
        }

        @Override
        public long score(CycleState state, PodInfo pod, NodeInfo node) {
            return node.podCount() + node.images().size();
        }

        @Override
        public List<EventHint> eventsToRegister() {
            return List.of(EventHint.of((pod, event) -> false, EventResource.NODE, EventAction.ADD));
        }
    }

    /** Takes a pod as long as no other is there. */
    private static final class OnePod implements FilterPlugin {
        @Override
        public String name() {
            return "OnePod";
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return node.podCount() == 0 ? Status.SUCCESS : Status.unschedulable("full");
        }
    }

    static List<Row> changes() {
        return List.of(
                new Row(SchedulerChange.CLAIM_ERRORS_REJECT, "persistentvolumeclaim \"c\" not found", "n1", release -> {
                    SchedulingCycle cycle = SchedulingCycle.of(
                            profile(release).filter(new Counting(true)).build(), cluster());
                    Decision decision = cycle.decide(pod("p").claim("c").build(), NominatedPods.NONE);
                    return decision.node() == null ? decision.message() : decision.node();
                }),
                new Row(
                        SchedulerChange.ERROR_TEXTS,
                        "prefilter plugin \"A\" failed for pod \"p\": broken",
                        "running PreFilter plugin \"A\": broken",
                        release -> failing(release, ExtensionPoint.PRE_FILTER)),
                new Row(
                        SchedulerChange.FILTER_ERROR_TEXT,
                        "running \"A\" filter plugin for pod \"p\": broken",
                        "running \"A\" filter plugin: broken",
                        release -> failing(release, ExtensionPoint.FILTER)),
                new Row(
                        SchedulerChange.MISSING_NAMED_NODES,
                        "nodeinfo not found for node name \"ghost\"",
                        "0/2 nodes are available: 1 full.",
                        release -> naming(release, "n1", "ghost")),
                new Row(
                        SchedulerChange.EXCLUDED_NODES_ARE_COUNTED,
                        "0/2 nodes are available: 1 full.",
                        "0/2 nodes are available: 1 full, 1 node(s) didn't satisfy plugin(s) [Naming].",
                        release -> naming(release, "n1")),
                new Row(
                        SchedulerChange.UNRESOLVABLE_NODES_OF_EXTENDERS,
                        "{}",
                        "{n2=[broken]}",
                        release -> ruledOut(release).toString()),
                new Row(
                        SchedulerChange.REGISTERED_EVENTS,
                        "[true, true]",
                        "[true, false]",
                        FrameworkChangesTest::helpedByNodeAndPod),
                new Row(SchedulerChange.PREEMPTION_IN_MESSAGES, FULL, FULL + ROOM, FrameworkChangesTest::message),
                new Row(
                        SchedulerChange.PRE_FILTER_SENTENCE,
                        "0/2 nodes are available: 2 none.",
                        "0/2 nodes are available: none.",
                        FrameworkChangesTest::rejectedBefore),
                new Row(
                        SchedulerChange.TERMINATING_VICTIMS,
                        "not eligible due to a terminating pod on the nominated node.",
                        "n1",
                        FrameworkChangesTest::madeRoom),
                new Row(
                        SchedulerChange.EMPTY_NODES_ARE_SKIPPED,
                        "n1 []",
                        "",
                        release -> preempted(
                                release,
                                new Counting(true),
                                Map.of(),
                                pod("high").priority(100))),
                new Row(
                        SchedulerChange.UNRESOLVABLE_NOMINATED_NODE,
                        "",
                        "n2 [b]",
                        release -> preempted(
                                release,
                                new OnePod(),
                                Map.of("n1", new NodeFailure(List.of("wrong"), true, "A")),
                                pod("high").priority(100).nominatedTo("n1"),
                                pod("a").onNode("n1").priority(1).terminating(),
                                pod("b").onNode("n2").priority(1))),
                new Row(
                        SchedulerChange.DISRUPTED_PODS_ARE_ALLOWED,
                        "n2 [b]",
                        "n1 [a]",
                        release -> preempted(
                                release,
                                new OnePod(),
                                Map.of(),
                                pod("high").priority(100),
                                pod("a").onNode("n1").priority(1).label("app", "w"),
                                pod("b").onNode("n2").priority(2))),
                new Row(
                        SchedulerChange.PREEMPTION_NEEDS_VICTIMS,
                        "n1 []",
                        "",
                        release -> preempted(
                                release,
                                new Counting(true),
                                Map.of("n2", new NodeFailure(List.of("wrong"), true, "A")),
                                pod("high").priority(100),
                                pod("a").onNode("n1").priority(1))),
                new Row(
                        SchedulerChange.PREEMPTION_ERRORS,
                        "",
                        "running \"A\" filter plugin: broken",
                        release -> preempted(
                                release,
                                new ScriptedPlugin("A", new ArrayList<>())
                                        .answer(ExtensionPoint.FILTER, Status.error("broken")),
                                Map.of(),
                                pod("high").priority(100),
                                pod("a").onNode("n1").priority(1))),
                new Row(
                        SchedulerChange.VICTIMS_ARE_SORTED,
                        "n1 [a, b]",
                        "n2 [c]",
                        release -> preempted(
                                release,
                                new OnePod(),
                                Map.of(),
                                pod("high").priority(100),
                                pod("a").onNode("n1").priority(1).label("app", "v"),
                                pod("b").onNode("n1").priority(5),
                                pod("c").onNode("n2").priority(3).label("app", "v"))),
                new Row(
                        SchedulerChange.EXCLUDED_NODES_ARE_NOT_TRIED,
                        "0/2 nodes are available: 2 No preemption victims found for incoming pod.",
                        "0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not"
                                + " helpful for scheduling.",
                        FrameworkChangesTest::outside),
                new Row(
                        SchedulerChange.WAITING_VICTIMS_ARE_REJECTED,
                        "false",
                        "true",
                        release -> profile(release).build().rules().rejectsWaitingVictims()),
                new Row(
                        SchedulerChange.EVICTED_IN_MEMORY,
                        "",
                        " (in kube-scheduler memory).",
                        release -> profile(release).build().rules().evictedInMemory()),
                new Row(
                        SchedulerChange.BINDING_VICTIMS_ARE_CANCELLED,
                        "false",
                        "true",
                        release -> profile(release).build().rules().cancelsBindingVictims()),
                new Row(
                        SchedulerChange.PRE_BIND_IN_PARALLEL,
                        "false",
                        "true",
                        release -> profile(release).build().rules().runsPreBindInParallel()),
                new Row(
                        SchedulerChange.DELETED_WHILE_BINDING,
                        "false",
                        "true",
                        release -> profile(release).build().rules().releasesDeletedPods()),
                new Row(
                        SchedulerChange.OPPORTUNISTIC_BATCHING,
                        "false",
                        "true",
                        release -> profile(release).build().rules().batches()),
                new Row(
                        SchedulerChange.NOMINATED_WHILE_BINDING,
                        "false",
                        "true",
                        release -> profile(release).build().rules().nominatesBindingPods()),
                new Row(
                        SchedulerChange.VICTIMS_HAVE_CONDITIONS,
                        "",
                        "PreemptionByKubeScheduler",
                        release -> profile(release).build().rules().evictionReason()),
                new Row(
                        SchedulerChange.REASON_OF_VICTIMS,
                        "PreemptionByKubeScheduler",
                        "PreemptionByScheduler",
                        release -> profile(release).build().rules().evictionReason()),
                new Row(
                        SchedulerChange.EVENT_WITHOUT_PREEMPTOR,
                        "default/p",
                        "a pod",
                        release -> profile(release).build().rules().preemptor(pod("p").build())),
                new Row(
                        SchedulerChange.EVENT_WITH_PREEMPTOR_UID,
                        "a pod",
                        "pod u",
                        release -> profile(release)
                                .build()
                                .rules()
                                .preemptor(pod("p").uid("u").build())),
                new Row(SchedulerChange.ONE_PERIOD, FULL + ROOM + ".", FULL + ROOM, FrameworkChangesTest::message),
                new Row(
                        SchedulerChange.QUEUEING_HINTS,
                        "[true, false]",
                        "[false, false]",
                        FrameworkChangesTest::helpedByNodeAndPod),
                new Row(
                        SchedulerChange.IGNORABLE_BINDERS,
                        "false",
                        "true",
                        release -> profile(release).build().rules().skipsIgnorableBinders()),
                new Row(
                        SchedulerChange.SCORES_AFTER_EXTENDERS,
                        "n2 2",
                        "n1 0",
                        FrameworkChangesTest::scoredAfterAnExtender));
    }

    /** Excludes all nodes but some, before the filters. */
    private record Naming(Set<String> nodes) implements PreFilterPlugin {
        @Override
        public String name() {
            return "Naming";
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            return PreFilterResult.only(nodes);
        }
    }

    /** The message of a pod on a full cluster of which a plugin names some nodes; all ways to decide give the same. */
    private static String naming(Release release, String... nodes) {
        Profile profile = profile(release)
                .preFilter(new Naming(Set.of(nodes)))
                .filter(new Counting(false))
                .build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, cluster());
        PodInfo pod = pod("p").build();
        String message = cycle.decide(pod, NominatedPods.NONE).message();
        assertEquals(message, cycle.evaluate(pod, NominatedPods.NONE).error());
        assertEquals(message, cycle.rank(pod, NominatedPods.NONE).error());
        return message;
    }

    /** The message of an attempt that a plugin ends with an error. */
    private static String failing(Release release, ExtensionPoint point) {
        ScriptedPlugin plugin = new ScriptedPlugin("A", new ArrayList<>()).answer(point, Status.error("broken"));
        Profile profile = profile(release).preFilter(plugin).filter(plugin).build();
        return SchedulingCycle.of(profile, cluster())
                .decide(pod("p").build(), NominatedPods.NONE)
                .message();
    }

    private static ClusterState cluster(PodInfo... pods) {
        ClusterState cluster = Clusters.cluster(node("n1").build(), node("n2").build());
        for (PodInfo pod : pods) {
            cluster.addPod(pod);
        }
        return cluster;
    }

    private static Profile.Builder profile(Release release) {
        return Profile.builder("test", Family.MODERN, new StateKeys()).release(release);
    }

    private static Map<String, List<String>> ruledOut(Release release) {
        FakeExtender extender = new FakeExtender("a", new ArrayList<>()).rulesOut(Map.of("n2", "broken"));
        SchedulingCycle cycle = SchedulingCycle.builder(profile(release).build(), cluster())
                .extenders(new Extenders(List.of(extender), Runnable::run))
                .build();
        PodInfo pod = pod("p").build();
        cycle.decide(pod, NominatedPods.NONE);
        Map<String, List<String>> reasons = new TreeMap<>();
        Objects.requireNonNull(cycle.failures(pod, NominatedPods.NONE))
                .forEach((node, failure) -> reasons.put(node, failure.reasons()));
        return reasons;
    }

    /** Whether a node that comes, and a pod that goes, lets a pod be tried again. */
    private static List<Boolean> helpedByNodeAndPod(Release release) {
        QueueingHintMap table = QueueingHintMap.of(
                List.of(new Counting(false)),
                false,
                profile(release).build().rules().waking());
        PodInfo pod = pod("p").build();
        Set<String> rejectedBy = Set.of("Counting");
        return List.of(
                table.mayHelp(
                        pod,
                        rejectedBy,
                        ObjectEvent.added(EventResource.NODE, node("n3").build())),
                table.mayHelp(
                        pod,
                        rejectedBy,
                        ObjectEvent.deleted(
                                EventResource.ASSIGNED_POD,
                                pod("q").onNode("n1").build())));
    }

    /** The whole message of a pod that fits nowhere. */
    private static String message(Release release) {
        Profile profile = profile(release)
                .filter(new Counting(false))
                .postFilter(new DefaultPreemption())
                .build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, cluster());
        PodInfo pod = pod("p").build();
        return PostFilters.withText(
                cycle.decide(pod, NominatedPods.NONE).message(),
                cycle.preemption().postFilterText(pod, NominatedPods.NONE));
    }

    private static String rejectedBefore(Release release) {
        ScriptedPlugin plugin = new ScriptedPlugin("A", new ArrayList<>())
                .answer(ExtensionPoint.PRE_FILTER, Status.rejected(false, List.of("none")));
        SchedulingCycle cycle =
                SchedulingCycle.of(profile(release).preFilter(plugin).build(), cluster());
        PodInfo pod = pod("p").build();
        String decided = cycle.decide(pod, NominatedPods.NONE).message();
        assertEquals(decided, cycle.evaluate(pod, NominatedPods.NONE).error());
        assertEquals(decided, cycle.rank(pod, NominatedPods.NONE).error());
        return decided;
    }

    /** A pod that ends on the nominated node for a reason of its own. */
    private static String madeRoom(Release release) {
        ClusterState cluster = cluster(
                pod("ends").onNode("n1").priority(1).terminating().build(),
                pod("runs").onNode("n1").priority(1).build());
        Profile profile = profile(release).filter(new OnePod()).build();
        SchedulingCycle cycle = SchedulingCycle.of(profile, cluster);
        PodInfo pod = pod("p").priority(100).nominatedTo("n1").build();
        PreemptionResult result =
                cycle.preemption().preempt(pod, NominatedPods.NONE, Map.of(), new Preemption(true, true));
        return result.chosen() == null ? result.message() : result.chosen();
    }

    /** One budget allows no eviction but that of pod a, another none at all. */
    private static ClusterState withBudgets(PodInfo... pods) {
        ClusterState cluster = cluster(pods);
        cluster.putObject(new DisruptionBudgetInfo(
                "default", "done", LabelSelector.of(Labels.of("app", "w"), List.of()), 0, Set.of("a")));
        cluster.putObject(new DisruptionBudgetInfo(
                "default", "full", LabelSelector.of(Labels.of("app", "v"), List.of()), 0, Set.of()));
        return cluster;
    }

    /** The chosen node with its victims, else the error, else nothing. */
    private static String preempted(
            Release release,
            FilterPlugin filter,
            Map<String, NodeFailure> failures,
            PodBuilder preemptor,
            PodBuilder... running) {
        ClusterState cluster =
                withBudgets(Arrays.stream(running).map(PodBuilder::build).toArray(PodInfo[]::new));
        SchedulingCycle cycle =
                SchedulingCycle.of(profile(release).filter(filter).build(), cluster);
        PreemptionResult result =
                cycle.preemption().preempt(preemptor.build(), NominatedPods.NONE, failures, new Preemption(true, true));
        String node = result.chosen();
        if (node == null) {
            return Objects.requireNonNullElse(result.error(), "");
        }
        return node + " "
                + Objects.requireNonNull(result.candidates().get(node)).pods().stream()
                        .map(PodInfo::name)
                        .toList();
    }

    /** The message of preemption where a plugin names n1. */
    private static String outside(Release release) {
        SchedulingCycle cycle = SchedulingCycle.of(
                profile(release)
                        .preFilter(new Naming(Set.of("n1")))
                        .filter(new Counting(false))
                        .build(),
                cluster());
        PodInfo pod = pod("p").build();
        return cycle.preemption()
                .preempt(
                        pod,
                        NominatedPods.NONE,
                        cycle.evaluate(pod, NominatedPods.NONE).failures(),
                        new Preemption(true, true))
                .message();
    }

    /** The place and the score of a pod where n1 runs one pod and n2 two. */
    private static String scoredAfterAnExtender(Release release) {
        ClusterState cluster = cluster(
                pod("a").onNode("n1").build(),
                pod("b").onNode("n2").build(),
                pod("c").onNode("n2").build());
        FakeExtender whole =
                new FakeExtender("a", new ArrayList<>()).keeps("n1", "n2").wholeNodes();
        FakeExtender byName = new FakeExtender("b", new ArrayList<>()).keeps("n1", "n2");
        SchedulingCycle cycle = SchedulingCycle.builder(
                        profile(release).score(new Counting(true), 1).build(), cluster)
                .extenders(new Extenders(List.of(whole, byName), Runnable::run))
                .build();
        Decision decision = cycle.decide(pod("p").build(), NominatedPods.NONE);
        return decision.node() + " " + decision.score();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void differsFromTheReleaseBefore(Row row) {
        Release since = row.change().since();
        assertEquals(
                List.of(row.before(), row.since()),
                List.of(
                        row.answer().apply(new Release(since.minor() - 1)).toString(),
                        row.answer().apply(since).toString()));
    }

    @Test
    void everyChangeOfTheFrameworkHasARow() {
        Set<SchedulerChange> expected = EnumSet.allOf(SchedulerChange.class);
        expected.removeIf(change -> change.part() != SchedulerChange.Part.FRAMEWORK);
        assertEquals(
                expected,
                changes().stream().map(Row::change).collect(toCollection(() -> EnumSet.noneOf(SchedulerChange.class))));
    }
}
