package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Clusters;
import io.policyscheduler.framework.scheduler.backend.Cache.Result;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CacheTest {
    private final TestClock clock = new TestClock();
    private final ClusterState state =
            Clusters.cluster(node("n1").build(), node("n2").build());
    private final Cache cache = new Cache(state, clock, Duration.ofSeconds(30));
    private final PodInfo onN1 = pod("a").uid("u").cpu("1").onNode("n1").build();
    private final PodInfo onN2 = onN1.withNodeName("n2");

    private List<PodInfo> pods(String node) {
        return List.copyOf(Clusters.info(state, node).pods());
    }

    private static void assertRefused(String message, Result result) {
        assertEquals(new Result(Result.Status.REFUSED, message), result);
    }

    @Test
    void assumeThenAddConfirms() {
        assertEquals(Result.DONE, cache.assume(onN1));
        assertTrue(cache.isAssumed("u"));
        assertNull(cache.deadline("u"));
        assertEquals(Result.DONE, cache.add(onN1));
        assertFalse(cache.isAssumed("u"));
        assertEquals(List.of(onN1), pods("n1"));
        assertEquals(1000, Clusters.info(state, "n1").requestedMilliCpu());
    }

    @Test
    void aKnownPodCannotBeAssumed() {
        cache.assume(onN1);
        assertRefused("pod u is in the cache, so can't be assumed", cache.assume(onN2));
        cache.add(onN1);
        assertRefused("pod u is in the cache, so can't be assumed", cache.assume(onN1));
        assertEquals(List.of(), pods("n2"));
    }

    @Test
    void finishBindingSetsTheDeadlineOfAssumedPodsOnly() {
        cache.finishBinding(onN1);
        assertNull(cache.deadline("u"));
        cache.assume(onN1);
        cache.finishBinding(onN1);
        assertEquals(Instant.ofEpochSecond(30), cache.deadline("u"));
        clock.advanceMillis(5000);
        cache.finishBinding(onN1);
        assertEquals(Instant.ofEpochSecond(35), cache.deadline("u"));
        cache.add(onN1);
        cache.finishBinding(onN1);
        assertNull(cache.deadline("u"));
    }

    @Test
    void forget() {
        assertRefused("pod u wasn't assumed so cannot be forgotten", cache.forget(onN1));
        cache.assume(onN1);
        assertRefused("pod u was assumed on n2 but assigned to n1", cache.forget(onN2));
        assertEquals(Result.DONE, cache.forget(onN1));
        assertEquals(List.of(), pods("n1"));
        assertEquals(0, cache.podCount());
        cache.add(onN1);
        assertRefused("pod u wasn't assumed so cannot be forgotten", cache.forget(onN1));
        assertRefused("pod u was assumed on n2 but assigned to n1", cache.forget(onN2));
    }

    @Test
    void addMovesAPodAssumedElsewhere() {
        cache.assume(onN1);
        assertEquals(Result.DONE, cache.add(onN2));
        assertEquals(List.of(), pods("n1"));
        assertEquals(List.of(onN2), pods("n2"));
        assertEquals(onN2, cache.get("u"));
    }

    @Test
    void addKeepsThePlaceOfAnAssumedPodUnlessItCountsDifferently() {
        PodInfo other = pod("b").onNode("n1").build();
        cache.assume(onN1);
        cache.add(other);
        cache.add(onN1.withNominatedNodeName("n1"));
        assertEquals(List.of(onN1, other), pods("n1"));

        PodInfo second = pod("c").onNode("n2").build();
        PodInfo relabelled = pod("c").label("x", "y").onNode("n2").build();
        cache.assume(second);
        cache.add(relabelled);
        assertEquals(List.of(relabelled), pods("n2"));
    }

    @Test
    void addTwice() {
        cache.add(onN1);
        assertRefused("pod u was already in added state", cache.add(onN1));
        assertEquals(List.of(onN1), pods("n1"));
    }

    @Test
    void updateReplacesAtTheEndOfTheList() {
        PodInfo b = pod("b").onNode("n1").build();
        PodInfo c = pod("c").onNode("n1").build();
        cache.add(onN1);
        cache.add(b);
        cache.add(c);
        PodInfo changed = pod("a").uid("u").cpu("2").onNode("n1").build();
        assertEquals(Result.DONE, cache.update(changed));
        assertEquals(List.of(c, b, changed), pods("n1"));
        assertEquals(2000, Clusters.info(state, "n1").requestedMilliCpu());
    }

    @Test
    void updateNeedsAnAddedPod() {
        String message = "pod u is not added to scheduler cache, so cannot be updated";
        assertRefused(message, cache.update(onN1));
        cache.assume(onN1);
        assertRefused(message, cache.update(onN1));
    }

    @Test
    void aContradictionIsRepairedAsTheInformerSays() {
        cache.add(onN1);
        assertEquals(
                new Result(Result.Status.REPAIRED, "Pod u updated on a different node than previously added to."),
                cache.update(onN2));
        assertEquals(List.of(), pods("n1"));
        assertEquals(List.of(onN2), pods("n2"));
        assertEquals(Result.Status.REPAIRED, cache.remove(onN1).status());
        assertEquals(List.of(), pods("n2"));
        assertEquals(0, cache.podCount());
    }

    @Test
    void removeNeedsAnAddedPod() {
        String message = "pod u is not found in scheduler cache, so cannot be removed from it";
        assertRefused(message, cache.remove(onN1));
        cache.assume(onN1);
        assertRefused(message, cache.remove(onN1));
        cache.add(onN1);
        assertEquals(Result.DONE, cache.remove(onN1));
        assertNull(cache.get("u"));
        assertEquals(0, Clusters.info(state, "n1").requestedMilliCpu());
    }

    @Test
    void removeSubtractsWhatWasCounted() {
        cache.add(onN1);
        cache.remove(pod("a").uid("u").cpu("7").onNode("n1").build());
        assertEquals(0, Clusters.info(state, "n1").requestedMilliCpu());
    }

    @Test
    void whatIsOverdueIsToldOnceStrictlyAfterTheDeadlineNeverDuringTheBindAndGoesOnCounting() {
        PodInfo binding = pod("b").onNode("n2").build();
        cache.assume(onN1);
        cache.assume(binding);
        cache.finishBinding(onN1);
        clock.advanceMillis(30_000);
        assertEquals(List.of(), cache.overdue());
        clock.advanceMillis(1);
        assertEquals(List.of(onN1), cache.overdue());
        assertEquals(List.of(), cache.overdue());
        assertEquals(List.of(onN1), pods("n1"));
        assertEquals(List.of(onN1, binding), cache.assumedPods());
        assertEquals(Result.DONE, cache.add(onN1));
        assertEquals(2, cache.podCount());
        assertEquals(1, cache.assumedCount());
    }

    @Test
    void aPodWithoutUidIsRefused() {
        PodInfo nameless = pod("a").uid("").onNode("n1").build();
        String message = "Cannot get cache key for pod with empty UID";
        assertRefused(message, cache.assume(nameless));
        assertRefused(message, cache.forget(nameless));
        assertRefused(message, cache.add(nameless));
        assertRefused(message, cache.update(nameless));
        assertRefused(message, cache.remove(nameless));
    }

    @Test
    void aPodOnAnUnknownNodeCountsOnceTheNodeComes() {
        PodInfo early = pod("early").onNode("n9").build();
        cache.add(early);
        state.putNode(node("n9").build());
        assertEquals(List.of(early), pods("n9"));
    }
}
