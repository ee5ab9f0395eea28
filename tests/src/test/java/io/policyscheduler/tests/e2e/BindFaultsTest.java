package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Binds that fail, or whose response is lost. */
class BindFaultsTest {
    private static final String BINDING = ".*/binding";
    private static final int PODS = 120;

    private final LiveCluster live = new LiveCluster();

    @BeforeEach
    void addNodes() {
        live.addNodes(20, "4");
    }

    @AfterEach
    void close() {
        live.close();
    }

    private static Arguments fault(String name, boolean noticed, Consumer<LiveCluster> order) {
        Function<LiveCluster, Runnable> withoutRelease = live -> {
            order.accept(live);
            return () -> {};
        };
        return Arguments.of(Named.of(name, withoutRelease), noticed);
    }

    private static Arguments heldFault(String name, Function<LiveCluster, Runnable> order) {
        return Arguments.of(Named.of(name, order), true);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("answered 409", true, live -> live.cluster().faults().respond("POST", BINDING, 30, 409)),
                fault("answered 500", true, live -> live.cluster().faults().respond("POST", BINDING, 30, 500)),
                fault("answered 503, and so are reads", true, live -> {
                    live.cluster().faults().respond("POST", BINDING, 30, 503);
                    live.cluster().faults().respond("GET", "/api/v1/namespaces/default/pods/.*", 20, 503);
                }),
                heldFault(
                        "carried out after the client has given up",
                        live -> live.cluster().faults().hold("POST", BINDING, 6)),
                fault(
                        "carried out, but the answer was lost",
                        false,
                        live -> live.cluster().faults().dropResponse("POST", BINDING, 40)),
                fault("carried out, the answer was lost, and so are reads", false, live -> {
                    live.cluster().faults().dropResponse("POST", BINDING, 40);
                    live.cluster().faults().dropResponse("GET", "/api/v1/namespaces/default/pods/.*", 20);
                }));
    }

    /**
     * @param order sets the fault; its result releases the requests that the fault holds back
     * @param noticed whether the fault makes a bind fail
     */
    @ParameterizedTest
    @MethodSource("faults")
    void noPodIsLostOrBoundTwice(Function<LiveCluster, Runnable> order, boolean noticed) {
        Runnable release = order.apply(live);
        live.startScheduler();
        live.addPods("p", PODS, "200m");
        if (noticed) {
            Await.until(
                    LiveCluster.PATIENCE,
                    "a bind has failed",
                    () -> live.journal().failedBinds() > 0,
                    live::state);
        }
        release.run();
        live.awaitAllBound(PODS);
        assertEquals(PODS, live.audit().bound());
        assertTrue(!noticed || live.journal().failedBinds() > 0, "no bind has failed: the fault was without effect");
        live.assertSound();
    }

    @Test
    void aFailedBindIsTold() {
        live.cluster().faults().respond("POST", BINDING, 1, 500);
        live.startScheduler();
        live.api().createPod(Manifest.pod("p", "1"));
        assertEquals(
                "Binding rejected: injected fault",
                live.awaitEvents("p", "FailedScheduling").get(0));
        live.awaitAllBound(1);
        live.assertSound();
    }

    @Test
    void podsRecreatedUnderTheSameNameDuringTheirBind() {
        live.cluster().faults().delay("POST", BINDING, PODS, Duration.ofMillis(100));
        live.startScheduler();
        live.addPods("p", PODS, "200m");
        live.awaitBindings(10);
        for (int i = PODS - 1; i >= 0; i -= 2) {
            live.api().deletePod("p" + i);
            live.api().createPod(Manifest.pod("p" + i, "200m"));
        }
        live.awaitAllBound(PODS);
        live.assertSound();
    }
}
