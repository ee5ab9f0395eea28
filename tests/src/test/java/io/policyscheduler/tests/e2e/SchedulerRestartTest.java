package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.live.LiveScheduler;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One scheduler ends while pods are being scheduled, and another one continues. */
class SchedulerRestartTest {
    private static final String BINDING = ".*/binding";
    private static final int PODS = 200;

    private final LiveCluster live = new LiveCluster();

    @BeforeEach
    void addNodes() {
        live.addNodes(20, "4");
    }

    @AfterEach
    void close() {
        live.close();
    }

    @Test
    void theNextOneFinishesTheWork() {
        LiveScheduler first = live.startScheduler();
        live.cluster().faults().delay("POST", BINDING, PODS, Duration.ofMillis(20));
        live.addPods("p", PODS, "200m");
        live.awaitBindings(50);
        live.cluster().faults().dropResponse("POST", BINDING, 8);
        live.stop(first);
        int bound = live.audit().bound();
        live.startScheduler();
        live.awaitAllBound(PODS);
        assertEquals(PODS, live.audit().bound(), () -> "bound at the change-over: " + bound);
        live.assertSound();
    }

    /** Without leader election, the old one still runs when the new one starts. */
    @Test
    void twoAtOnceBindNoPodTwice() {
        LiveScheduler first = live.startScheduler();
        live.cluster().faults().delay("POST", BINDING, PODS, Duration.ofMillis(20));
        live.addPods("p", PODS, "200m");
        live.awaitBindings(20);
        live.startScheduler();
        live.awaitBindings(100);
        live.stop(first);
        live.awaitAllBound(PODS);
        assertEquals(PODS, live.audit().bound());
        // Both may report a pod that both selected the same node for.
        assertEquals(List.of(), live.audit().violations(), live::state);
    }
}
