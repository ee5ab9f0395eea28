package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.framework.profile.Profile.Family.LEGACY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.Measuring;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.engine.testing.NodeBuilder;
import io.policyscheduler.framework.plugin.ClusterEvent;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.RequeueHints;
import io.policyscheduler.framework.plugin.ScriptedPlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.InTreePlugins;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter.PodRead;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.predicates.PredicateCatalog;
import io.policyscheduler.priorities.PriorityCatalog;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which changes requeue which unschedulable pods. */
class RequeueHintsTest extends PluginFixture {
    private record Handle(StateKeys stateKeys, ClusterView cluster, Clock clock) implements PluginHandle {
        @Override
        public String profile() {
            return TestProfiles.NAME;
        }

        @Override
        public JsonNode args() {
            return MissingNode.getInstance();
        }

        @Override
        public WaitingPods waitingPods() {
            return WaitingPods.NONE;
        }
    }

    /** Rejects everything and registers events. */
    private record Hinting(Set<ClusterEvent> events, BooleanSupplier helps) implements FilterPlugin, RequeueHints {
        @Override
        public String name() {
            return "Hinting";
        }

        @Override
        public Status filter(CycleState state, PodInfo pod, NodeInfo node) {
            return Status.unschedulable("no");
        }

        @Override
        public boolean mayHelp(PodInfo pod, ClusterEvent event, @Nullable ClusterObject changed) {
            return helps.getAsBoolean();
        }
    }

    /** A profile of in-tree plugins at all extension points before the selection of a node. */
    private ProfileRuntime inTree(String... names) {
        AlgorithmRegistry.Builder registry = AlgorithmRegistry.builder();
        PredicateCatalog.register(registry);
        PriorityCatalog.register(registry);
        Map<String, PluginFactory> factories =
                new InTreePlugins(registry.build(), FeatureGates.defaults(), name -> "").factories();
        StateKeys keys = new StateKeys();
        Profile.Builder profile = Profile.builder("test", LEGACY, keys);
        for (String name : names) {
            Plugin plugin = Objects.requireNonNull(factories.get(name)).create(new Handle(keys, state, clock));
            if (plugin instanceof PreFilterPlugin before) {
                profile.preFilter(before);
            }
            if (plugin instanceof FilterPlugin filter) {
                profile.filter(filter);
            }
        }
        return runtime(TestProfiles.NAME, profile.build());
    }

    /** Fails a pod and lets its backoff expire, so that a requeued pod is tried again immediately. */
    private void fail(PodInfo pod) {
        show(pod);
        answerRead(new PodRead.Found(pod));
        assertEquals(Part.UNSCHEDULABLE, partOf(pod));
        pass(Duration.ofSeconds(15));
        assertEquals(Part.UNSCHEDULABLE, partOf(pod));
        writer.takeCalls();
    }

    private boolean wakes(PodInfo pod, ClusterChange change) {
        post(change);
        return partOf(pod) != Part.UNSCHEDULABLE;
    }

    private static ClusterChange put(NodeBuilder node) {
        return new ClusterChange.NodeUpserted(node.build());
    }

    @Test
    void aNodeWakesOnlyThePodsThatItMayHelp() {
        options = options.withRequeueHints(true);
        start(inTree("NodeAffinity", "NodeResourcesFit"));
        PodInfo selective = pod("choosy").uid("uc").nodeSelector("disk", "ssd").build();
        PodInfo large = pod("large").uid("ul").cpu("900").build();
        fail(selective);
        fail(large);
        assertEquals(false, wakes(selective, put(node("n3").label("disk", "hdd"))));
        // Too small now, but preemption could make room on a node; a pod that does not match it stays.
        assertEquals(true, partOf(large) != Part.UNSCHEDULABLE);
        assertEquals(true, wakes(selective, put(node("n3").label("disk", "ssd"))));
        assertEquals(List.of("uc"), podsOn("n3"));
    }

    @Test
    void withoutHintsEveryChangeWakesEveryPod() {
        start(inTree("NodeAffinity"));
        PodInfo selective = pod("choosy").uid("uc").nodeSelector("disk", "ssd").build();
        fail(selective);
        assertEquals(true, wakes(selective, put(node("n3").label("disk", "hdd"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NodeAffinity", "NodeResourcesFit"})
    void eventsThatThePluginDoesNotKnowOfDoNotHelp(String plugin) {
        options = options.withRequeueHints(true);
        start(inTree(plugin));
        PodInfo pod = pod("p").uid("up").nodeSelector("disk", "ssd").cpu("900").build();
        fail(pod);
        PodInfo other = pod("other").uid("uo").onNode("n1").build();
        show(other);
        assertEquals(Part.UNSCHEDULABLE, partOf(pod));
        delete(other);
        assertEquals(plugin.equals("NodeAffinity"), partOf(pod) == Part.UNSCHEDULABLE);
    }

    @Test
    void onlyTheEventsThatAPluginNames() {
        options = options.withRequeueHints(true);
        start(LEGACY, profile -> profile.filter(new Hinting(Set.of(ClusterEvent.NODE_LABEL_CHANGE), () -> true)));
        fail(a);
        assertEquals(false, wakes(a, put(node("n3"))));
        assertEquals(false, wakes(a, put(node("n3").unschedulable())));
        assertEquals(true, wakes(a, put(node("n3").unschedulable().label("x", "y"))));
    }

    @Test
    void thePluginLooksAtTheVeryChange() {
        options = options.withRequeueHints(true);
        boolean[] helps = {false};
        start(LEGACY, profile -> profile.filter(new Hinting(ClusterEvent.NODE_EVENTS, () -> helps[0])));
        fail(a);
        assertEquals(false, wakes(a, put(node("n3"))));
        helps[0] = true;
        assertEquals(true, wakes(a, put(node("n4"))));
    }

    @Test
    void aPluginThatCannotSayIsTakenToBeHelped() {
        options = options.withRequeueHints(true);
        start(
                LEGACY,
                profile -> profile.filter(new Hinting(ClusterEvent.NODE_EVENTS, () -> {
                    throw new IllegalStateException("x");
                })));
        fail(a);
        assertEquals(true, wakes(a, put(node("n3"))));
    }

    @Test
    void oneOfThePluginsThatRejectedIsEnough() {
        options = options.withRequeueHints(true);
        ScriptedPlugin onN1 = plugin("OnN1").reject("n1");
        start(LEGACY, profile -> profile.filter(onN1).filter(new Hinting(Set.of(), () -> true)));
        fail(a);
        assertEquals(true, wakes(a, put(node("n3"))));
    }

    @Test
    void aPluginWithoutHintsIsHelpedByEveryChange() {
        options = options.withRequeueHints(true);
        ScriptedPlugin full = plugin("Full").answer(ExtensionPoint.FILTER, Status.unschedulable("full"));
        start(LEGACY, profile -> profile.filter(full));
        fail(a);
        assertEquals(true, wakes(a, put(node("n3"))));
    }

    @Test
    void allPluginsThatLeaveNoNodeTogetherAreAsked() {
        options = options.withRequeueHints(true);
        // Sorted by name, the second one is the one that an event helps.
        ScriptedPlugin helped = plugin("Z").only("n2");
        start(
                LEGACY,
                profile -> profile.filter(new Hinting(Set.of(), () -> true))
                        .preFilter(new NarrowHinting())
                        .preFilter(helped));
        fail(a);
        assertEquals(true, wakes(a, put(node("n3"))));
    }

    /** Leaves only one node, and no event helps it. */
    private static final class NarrowHinting implements PreFilterPlugin, RequeueHints {
        @Override
        public String name() {
            return "A";
        }

        @Override
        public PreFilterResult preFilter(CycleState state, PodContext context) {
            return PreFilterResult.only(Set.of("n1"));
        }

        @Override
        public Set<ClusterEvent> events() {
            return Set.of();
        }
    }

    /** Budgets change all the time: plugins that do not read them are not requeued, with or without hints. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBudgetWakesThePodsOfPluginsThatAskForIt(boolean requeueHints) {
        options = options.withRequeueHints(requeueHints);
        ClusterChange budget =
                new ClusterChange.ObjectUpserted(new DisruptionBudgetInfo("default", "b", null, 1, Set.of()));
        ScriptedPlugin full = plugin("Full").answer(ExtensionPoint.FILTER, Status.unschedulable("full"));
        start(LEGACY, profile -> profile.filter(full));
        fail(a);
        assertEquals(false, wakes(a, budget));
        replace(runtime(
                TestProfiles.NAME,
                profile(
                        LEGACY,
                        profile -> profile.filter(new Hinting(Set.of(ClusterEvent.BUDGET_CHANGE), () -> true)))));
        fail(a);
        assertEquals(true, wakes(a, new ClusterChange.ObjectDeleted(ResourceKind.DISRUPTION_BUDGETS, "default", "b")));
    }

    /** Measured values change every thirty seconds. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTableWakesThePodsOfPluginsThatAskForIt(boolean requeueHints) {
        options = options.withRequeueHints(requeueHints);
        ScriptedPlugin full = plugin("Full").answer(ExtensionPoint.FILTER, Status.unschedulable("full"));
        start(LEGACY, profile -> profile.filter(full));
        fail(a);
        assertEquals(false, wakes(a, table(1)));
        replace(runtime(
                TestProfiles.NAME,
                profile(
                        LEGACY,
                        profile -> profile.filter(new Hinting(Set.of(ClusterEvent.TABLE_CHANGE), () -> true)))));
        fail(a);
        assertEquals(true, wakes(a, table(2)));
    }

    /** A table whose values change from empty to these. */
    private static ClusterChange table(double value) {
        SortedMap<String, RuleType> fields = new TreeMap<>(Map.of(TableSchema.VALUE, RuleType.NUMBER));
        TableDefinition load = new TableDefinition(
                "load",
                new TableOrigin.Inline(),
                fields,
                Map.of(),
                TableValues.EMPTY,
                Measuring.NONE,
                new TableDefinition.Place("policy.json", 1, 1));
        TableState first = TableState.first(load.schema(fields), TableValues.EMPTY);
        RuleTables tables = new RuleTables(Map.of("load", load), Map.of("load", first));
        TableValues values = TableValues.of(Map.of("n1", ImmutableMap.of(TableSchema.VALUE, value)));
        return new ClusterChange.TableChanged(tables, first.next(values, null, 0, null));
    }

    @Test
    void otherProfilesWakeEveryPod() {
        options = options.withRequeueHints(true);
        ProfileRuntime never = runtime(
                TestProfiles.NAME, profile(LEGACY, profile -> profile.filter(new Hinting(Set.of(), () -> false))));
        start(never);
        fail(a);
        assertEquals(false, wakes(a, put(node("n3"))));
        replace(never);
        assertEquals(List.of("read ua"), writer.takeCalls().subList(0, 1));
    }

    @Test
    void anUnschedulablePodIsTriedAgainAfterAMinuteWhateverThePluginsSay() {
        options = options.withRequeueHints(true);
        start(LEGACY, profile -> profile.filter(new Hinting(Set.of(), () -> false)));
        fail(a);
        pass(Duration.ofSeconds(80));
        assertEquals(List.of("read ua"), writer.takeCalls().subList(0, 1));
    }
}
