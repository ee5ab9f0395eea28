package io.policyscheduler.tests.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.cycle.AttemptListener;
import io.policyscheduler.framework.cycle.AttemptListener.DecisionDifference;
import io.policyscheduler.framework.cycle.DecisionVerification.Sample;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.cycle.TieBreak;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.profile.Profile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import io.policyscheduler.framework.resultcache.ResultCache.CacheSize;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Hours of virtual time in a cluster that changes all the time: every decision is verified against one without caches, and neither the caches nor the
 * heap grow once they are full. {@code -Dchurn.hours=24} simulates a day.
 */
class ChurnTest {
    private static final int HOURS = Integer.getInteger("churn.hours", 1);
    private static final int MINUTES = 15;
    /** The number of hours after which nothing grows any more. */
    private static final int FILLED = 4;

    private static final double MORE = 1.1;
    private static final long MARGIN = 8 << 20;
    private static final int MOST_OF_EACH = 2048;

    private static final class VerificationListener implements AttemptListener {
        private final List<DecisionDifference> differences = new ArrayList<>();
        private int verified;

        @Override
        public void onDecisionVerified(PodInfo pod) {
            verified++;
        }

        @Override
        public void onResultCacheFailed(PodInfo pod, Throwable e) {
            throw new AssertionError(pod.key(), e);
        }

        @Override
        public void onDecisionDiffers(DecisionDifference difference) {
            differences.add(difference);
        }
    }

    private static Profile profile(String name, ClusterState state) throws PolicyException {
        return name.equals("modern")
                ? ModernProfile.defaults(state)
                : new ProviderAdapter(Algorithms.registry(), variable -> "")
                        .adapt(
                                new PolicyResolver(
                                                FeatureGates.defaults().at(Release.NEWEST),
                                                1,
                                                false,
                                                Algorithms.registry())
                                        .resolveProvider(name),
                                state);
    }

    @ParameterizedTest
    @ValueSource(strings = {"modern", "DefaultProvider"})
    void whatIsKeptStaysTrueAndSmall(String name) throws PolicyException {
        ClusterState state = new ClusterState();
        VerificationListener listener = new VerificationListener();
        SchedulingCycle cycle = SchedulingCycle.builder(profile(name, state), state)
                .tieBreak(TieBreak.roundRobin())
                .attempts(listener)
                .verify(Sample.all())
                .build();
        ChurningCluster cluster = new ChurningCluster(
                state, pod -> cycle.decide(pod, NominatedPods.NONE).node());
        long filled = 0;
        long used = 0;
        for (int hour = 1; hour <= HOURS; hour++) {
            for (int quarter = 0; quarter < 60 / MINUTES; quarter++) {
                cluster.run(MINUTES);
                for (PodInfo pod : cluster.kinds()) {
                    assertEquals(List.of(), cycle.staleResults(pod, NominatedPods.NONE), pod::key);
                }
                assertEquals(List.of(), listener.differences);
            }
            CacheSize kept = cycle.cacheSize();
            assertTrue(kept.columns() <= 2 * MOST_OF_EACH && kept.rankings() <= MOST_OF_EACH, kept::toString);
            if (hour >= FILLED) {
                used = usedHeap();
                filled = filled == 0 ? used : filled;
                assertTrue(used <= filled * MORE + MARGIN, filled + " bytes are " + used + " in hour " + hour);
            }
            System.out.printf(
                    "%s: %d virtual hours, %d pods placed, %d refused, %d decisions verified, %d differ; kept %s; heap %d MB%n",
                    name,
                    hour,
                    cluster.placed(),
                    cluster.refused(),
                    listener.verified,
                    listener.differences.size(),
                    kept,
                    used >> 20);
        }
        assertEquals(cluster.placed() + cluster.refused(), listener.verified);
        assertTrue(
                cluster.placed() > 1000 * HOURS && cluster.refused() > 0, cluster.placed() + ", " + cluster.refused());
    }

    /** Returns the used heap after garbage collections, until one frees nothing more. */
    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            System.gc();
            long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            if (now >= used) {
                break;
            }
            used = now;
        }
        return used;
    }
}
