package io.policyscheduler.framework.scheduler.loop;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static io.policyscheduler.framework.profile.Profile.Family.MODERN;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.plugin.QueueSortPlugin;
import io.policyscheduler.framework.plugin.QueueSortPlugin.QueueItem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A plugin decides the order of the queue. */
@SuppressWarnings("UnusedVariable") // some orders look at nothing
class QueueSortTest extends PluginFixture {
    private record Order(String name, Comparator<QueueItem> order) implements QueueSortPlugin {
        @Override
        public int compare(QueueItem a, QueueItem b) {
            return order.compare(a, b);
        }
    }

    private static Order by(Comparator<QueueItem> order) {
        return new Order("Order", order);
    }

    private static final Comparator<QueueItem> NAME_BACKWARDS =
            Comparator.comparing((QueueItem item) -> item.pod().name()).reversed();

    private void startWith(QueueSortPlugin order) {
        start(MODERN, profile -> profile.queueSort(order));
        scheduler.setEnabled(false);
    }

    private static PodInfo named(String name) {
        return pod(name).uid("u" + name).build();
    }

    private List<String> tried() {
        scheduler.setEnabled(true);
        run();
        return writer.takeCalls().stream()
                .map(call -> call.substring("bind u".length(), call.indexOf(' ', "bind ".length())))
                .toList();
    }

    @Test
    void aPluginOrdersTheQueue() {
        startWith(by(NAME_BACKWARDS));
        for (String name : List.of("b", "d", "a", "c")) {
            show(named(name));
        }
        assertEquals(List.of("d", "c", "b", "a"), tried());
    }

    @Test
    void equalPodsAreTriedInTheOrderOfArrival() {
        startWith(by((first, second) -> 0));
        for (String name : List.of("b", "d", "a", "c")) {
            show(named(name));
        }
        assertEquals(List.of("b", "d", "a", "c"), tried());
    }

    @Test
    void otherProfilesOrderWhatWaitsAnew() {
        startWith(by(NAME_BACKWARDS));
        for (String name : List.of("b", "d", "a", "c")) {
            show(named(name));
        }
        replace(runtime(
                TestProfiles.NAME, profile(MODERN, profile -> profile.queueSort(by(NAME_BACKWARDS.reversed())))));
        assertEquals(List.of("a", "b", "c", "d"), tried());
    }

    @Test
    void anExceptionLeavesTheUsualOrder() {
        startWith(by((first, second) -> {
            throw new IllegalStateException("x");
        }));
        show(named("b"));
        show(pod("a").uid("ua").priority(5).build());
        show(named("c"));
        assertEquals(List.of("a", "b", "c"), tried());
    }

    @Test
    void anOrderThatContradictsItselfLosesNoPod() {
        Random random = new Random(7);
        startWith(by((first, second) -> random.nextInt(3) - 1));
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            names.add("p" + (100 + i));
            show(named("p" + (100 + i)));
            // Replaces the entry of a waiting pod.
            show(version(named("p" + (100 + random.nextInt(i + 1))), 2 + i));
        }
        List<String> tried = new ArrayList<>(tried());
        tried.sort(null);
        assertEquals(names, tried);
    }
}
