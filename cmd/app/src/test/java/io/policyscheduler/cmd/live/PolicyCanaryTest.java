package io.policyscheduler.cmd.live;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.PolicyCanary.Comparison;
import io.policyscheduler.cmd.live.PolicyCanary.Limits;
import io.policyscheduler.cmd.live.PolicyCanary.Rollback;
import io.policyscheduler.cmd.live.PolicyCanary.Side;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.testing.PodBuilder;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.scheduler.api.Binder.BindOutcome;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime;
import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.TestClock;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A canary in a scheduler on a virtual clock, with an API server that responds immediately. */
class PolicyCanaryTest {
    private static final String NEEDS_RACK = """
        {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}, {"name": "InRack",
        "argument": {"labelsPresence": {"labels": ["rack"], "presence": true}}}], "priorities": []}\
        """;
    private static final String ANYWHERE = """
        {"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}], "priorities": []}\
        """;

    private final TestClock clock = new TestClock();
    private final ClusterState state = new ClusterState();
    private final Server server = new Server();
    private final List<Rollback> rollbacks = new ArrayList<>();
    private @Nullable Scheduler scheduler;

    /** Binds every pod immediately. */
    private final class Server implements ClusterWriter {
        private final Map<String, String> nodes = new HashMap<>();
        private final List<String> bound = new ArrayList<>();
        private boolean refuses;

        @Override
        public void bind(PodInfo pod, String node, Consumer<BindOutcome> done) {
            if (refuses) {
                done.accept(BindOutcome.failed("refused"));
                return;
            }
            bound.add(pod.name());
            nodes.put(pod.name(), node);
            done.accept(BindOutcome.BOUND);
            scheduler().post(new ClusterChange.PodUpserted(pod.withNodeName(node)));
        }

        @Override
        public void updateStatus(
                PodInfo pod, PodInfo.@Nullable ScheduledCondition condition, @Nullable String nominatedNode) {}

        @Override
        public void event(PodInfo pod, String type, String reason, String message, long generation) {}

        @Override
        public void readPod(PodInfo pod, Consumer<PodRead> done) {
            done.accept(new PodRead.Found(pod));
        }
    }

    private Scheduler scheduler() {
        if (scheduler == null) {
            throw new IllegalStateException("not started");
        }
        return scheduler;
    }

    private ProfileRuntime runtime(String policy, double share) {
        EffectivePolicy effective;
        try {
            Policy read = new PolicyReader().read(policy, "policy.json");
            effective = new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry()).resolve(read);
        } catch (PolicyException e) {
            throw new IllegalArgumentException(e);
        }
        Profile profile = ProfileSettings.ofPolicy("default-scheduler", effective, 100)
                .source()
                .factory()
                .create(state, WaitingPods.NONE, clock);
        SchedulingCycle cycle = SchedulingCycle.builder(profile, state)
                .tieBreak(TieBreak.roundRobin())
                .build();
        return ProfileRuntime.of(
                        "default-scheduler",
                        profile,
                        cycle,
                        (preemptor, nominated) -> Status.SUCCESS,
                        server,
                        VolumeAssumer.NONE)
                .withShare(share);
    }

    private PolicyCanary start(String canaryPolicy, double share, Limits limits) {
        return start(canaryPolicy, share, limits, true);
    }

    private PolicyCanary start(String canaryPolicy, double share, Limits limits, boolean isThere) {
        PolicyCanary canary = new PolicyCanary(share, limits, end -> {
            rollbacks.add(end);
            scheduler().post(new ClusterChange.ProfilesReplaced(Profiles.of(2, List.of(runtime(ANYWHERE, 1)))));
        });
        List<ProfileRuntime> runtimes = new ArrayList<>(List.of(runtime(ANYWHERE, 1)));
        if (isThere) {
            runtimes.add(runtime(canaryPolicy, share));
        }
        Scheduler made = Scheduler.builder(state, server, clock)
                .profiles(Profiles.of(1, runtimes))
                .options(SchedulerOptions.defaults().withRequiredKinds(Set.of(ResourceKind.PODS, ResourceKind.NODES)))
                .listener(canary)
                .build();
        scheduler = made;
        made.post(new ClusterChange.NodesReplaced(IntStream.range(0, 4)
                .mapToObj(i -> node("n" + i).cpu("64").memory("256Gi").pods(500).build())
                .toList()));
        made.post(new ClusterChange.PodsReplaced(List.of()));
        run();
        return canary;
    }

    private void run() {
        while (scheduler().runOnce()) {
            // Until there is nothing to do.
        }
    }

    private static PodInfo owned(int number) {
        return pod("p" + number)
                .uid("pod-uid-" + number)
                .cpu("10m")
                .controller("ReplicaSet", "web", "owner-" + number / 4)
                .build();
    }

    private void create(PodInfo created) {
        scheduler().post(new ClusterChange.PodUpserted(created));
        run();
    }

    @Test
    void isRolledBackWithinAMinuteIfPodsWaitAndLosesNoPod() {
        PolicyCanary canary = start(NEEDS_RACK, 0.2, new Limits(5, 5));
        Instant firstWait = null;
        Instant rolledBack = null;
        for (int i = 0; i < 200; i++) {
            create(owned(i));
            if (firstWait == null && canary.state().waiting() > 0) {
                firstWait = clock.instant();
            }
            if (rolledBack == null && !rollbacks.isEmpty()) {
                rolledBack = clock.instant();
            }
            clock.advance(Duration.ofSeconds(1));
            run();
        }
        assertTrue(firstWait != null && rolledBack != null, "never rolled back");
        assertTrue(
                Duration.between(firstWait, rolledBack).compareTo(Duration.ofMinutes(1)) <= 0,
                firstWait + " to " + rolledBack);
        clock.advance(Duration.ofSeconds(15));
        run();
        assertEquals(200, server.bound.size());
        assertEquals(200, Set.copyOf(server.bound).size());
        assertEquals(1, rollbacks.size());
        Rollback end = rollbacks.get(0);
        assertEquals(6, end.pods().size());
        assertTrue(
                end.reason()
                        .startsWith("6 pods wait because the canary finds no node, more than --canary-max-waiting=5:"
                                + " default/p"),
                end.reason());
        assertTrue(end.pods().stream().allMatch(pod -> Profiles.isInShare(pod, 0.2)));
        assertEquals(new PolicyCanary.State(false, 0, 0, 1, end.reason()), canary.state());
        assertEquals(2, scheduler().profiles().generation());
    }

    @Test
    void isRolledBackIfBindsFail() {
        PolicyCanary canary = start(ANYWHERE, 0.5, new Limits(5, 2));
        server.refuses = true;
        for (int i = 0; i < 60 && rollbacks.isEmpty(); i++) {
            create(owned(i));
        }
        assertEquals(1, rollbacks.size());
        assertTrue(
                rollbacks.get(0).reason().startsWith("3 pods fail, more than --canary-max-failing=2: "),
                rollbacks.get(0).reason());
        assertFalse(canary.state().isActive());
    }

    @Test
    void doesNotCountPodsThatWaitUnderBothPolicies() {
        PolicyCanary canary = start(NEEDS_RACK, 0.5, new Limits(0, 0));
        for (int i = 0; i < 60; i++) {
            create(pod("big" + i).uid("big-" + i).cpu("100").build());
        }
        assertEquals(List.of(), rollbacks);
        assertEquals(0, canary.state().waiting());
        Map<Comparison, Long> counts = counts(canary, Side.CANARY);
        assertTrue(counts.getOrDefault(Comparison.SAME, 0L) > 0, counts.toString());
        assertEquals(0L, counts.get(Comparison.NODE));
    }

    /** The pods outside of the share are evaluated with both policies, and placed as without a canary. */
    @Test
    void evaluatesPodsOutsideOfTheShareWithoutAnEffect() {
        PolicyCanaryTest alone = new PolicyCanaryTest();
        alone.start(ANYWHERE, 0, new Limits(0, 0), false);
        PolicyCanary canary = start(NEEDS_RACK, 0, new Limits(0, 0), true);
        for (int i = 0; i < 40; i++) {
            alone.create(owned(i));
            create(owned(i));
        }
        assertEquals(alone.server.nodes, server.nodes);
        assertEquals(40L, counts(canary, Side.CURRENT).get(Comparison.NO_NODE));
        assertEquals(List.of(), rollbacks);
    }

    private static Map<Comparison, Long> counts(PolicyCanary canary, Side side) {
        Map<Comparison, Long> counts = canary.decisions().get(side);
        return counts == null ? Map.of() : counts;
    }

    @Test
    void theShareDependsOnTheOwnerOnly() {
        List<PodInfo> first =
                IntStream.range(0, 4000).mapToObj(PolicyCanaryTest::owned).toList();
        List<Boolean> small =
                first.stream().map(each -> Profiles.isInShare(each, 0.05)).toList();
        List<Boolean> large =
                first.stream().map(each -> Profiles.isInShare(each, 0.2)).toList();
        long owners = IntStream.range(0, 1000).filter(i -> small.get(4 * i)).count();
        assertTrue(owners > 30 && owners < 70, owners + " of 1000 owners");
        for (int i = 0; i < first.size(); i++) {
            assertEquals(small.get(i / 4 * 4), small.get(i), "one owner");
            assertTrue(!small.get(i) || large.get(i), "a larger share contains the smaller one");
        }
        // The same in every process and version: an owner never changes sides because of a restart or an upgrade.
        assertEquals(
                List.of(43, 48, 58),
                IntStream.range(0, 100).filter(i -> small.get(4 * i)).boxed().toList());
        PodBuilder bare = pod("bare").uid("owner-1");
        assertEquals(small.get(4), Profiles.isInShare(bare.build(), 0.05), "a bare pod is its own owner");
        assertFalse(Profiles.isInShare(bare.build(), 0));
    }
}
