package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeletRejectionsTest {
    private static final Instant START = Instant.ofEpochSecond(1_000_000);

    private final KubeletRejections places = new KubeletRejections();
    private final PodInfo first =
            pod("web-1").controller("ReplicaSet", "rs", "rs").onNode("n1").build();
    private final PodInfo sibling =
            pod("web-2").controller("ReplicaSet", "rs", "rs").cpu("3").build();

    private static Instant at(long seconds) {
        return START.plusSeconds(seconds);
    }

    @Test
    void theNodeWaitsForPodsOfTheSameControllerOnly() {
        places.rejected(first, "OutOfcpu", START);
        assertEquals(Map.of("n1", "OutOfcpu"), places.waitingFor(sibling, START));
        List<PodInfo> others = List.of(
                pod("x").controller("ReplicaSet", "other", "other").build(),
                pod("x").build(),
                pod("web-1").build());
        for (PodInfo other : others) {
            assertEquals(Map.of(), places.waitingFor(other, START), other.key());
        }
    }

    @Test
    void withoutAControllerNamespaceAndSpecTell() {
        places.rejected(pod("a").cpu("1").onNode("n1").build(), "OutOfcpu", START);
        assertEquals(
                Map.of("n1", "OutOfcpu"), places.waitingFor(pod("b").cpu("1").build(), START));
        assertEquals(Map.of(), places.waitingFor(pod("b").cpu("2").build(), START));
        assertEquals(
                Map.of(), places.waitingFor(pod("b").namespace("other").cpu("1").build(), START));
    }

    /** Each number is a time at which the node refuses; what is expected is how long it then waits. */
    @ParameterizedTest
    @CsvSource({
        "0, 10",
        "0 0 5, 10",
        "0 10, 20",
        "0 19, 20",
        "0 20, 10",
        "0 10 30, 40",
        "0 10 30 70 150 310, 300",
        "0 10 30 70 150 310 610, 300",
        "0 10 30 70 150 310 910, 10"
    })
    void eachRefusalAfterTheWaitDoublesIt(String times, long seconds) {
        Duration wait = Duration.ZERO;
        for (String time : times.split(" ")) {
            wait = places.rejected(first, "OutOfcpu", at(Long.parseLong(time)));
        }
        assertEquals(Duration.ofSeconds(seconds), wait);
    }

    @Test
    void theWaitEndsByItself() {
        places.rejected(first, "Evicted", START);
        assertEquals(Map.of("n1", "Evicted"), places.waitingFor(sibling, at(9)));
        assertEquals(false, places.expire(START, at(9)));
        assertEquals(Map.of(), places.waitingFor(sibling, at(10)));
        assertEquals(true, places.expire(at(9), at(10)));
        assertEquals(false, places.expire(at(10), at(20)));
    }

    @Test
    void aNodeThatHasChangedTakesAnything() {
        places.rejected(first, "OutOfcpu", START);
        places.nodeChanged("n2");
        assertEquals(Map.of("n1", "OutOfcpu"), places.waitingFor(sibling, START));
        places.nodeChanged("n1");
        assertEquals(Map.of(), places.waitingFor(sibling, START));
        assertEquals(Duration.ofSeconds(10), places.rejected(first, "OutOfcpu", at(12)));
    }
}
