package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReflectorStateTest {
    private final ReflectorState state = new ReflectorState("/pods");

    private void assertState(String expected) {
        assertEquals(
                expected,
                String.join(
                        " ",
                        state.path(),
                        "at '" + state.resourceVersion() + "'",
                        state.isCurrent() ? "current" : "behind",
                        state.isListed() ? "listed" : "not listed",
                        "from '" + state.listFrom() + "'",
                        "gone " + state.consecutiveGone(),
                        state.mayUseWatchCache() ? "memory" : "storage"));
    }

    private void list(String version) {
        state.arrived(version);
        state.listed(version);
    }

    @Test
    void aListIsCurrentWhenItHasReachedTheVersionOfStorage() {
        assertState("/pods at '' behind not listed from '' gone 0 memory");
        state.requireVersion("9");
        state.arrived("7");
        assertState("/pods at '' behind not listed from '7' gone 0 memory");
        state.listed("7");
        assertState("/pods at '7' behind listed from '7' gone 0 memory");
        state.reached("9");
        assertState("/pods at '9' current listed from '9' gone 0 memory");
    }

    @Test
    void aResourceThatMovesStartsFromNothing() {
        state.requireVersion("9");
        list("7");
        state.moveTo("/new");
        assertState("/new at '' behind not listed from '' gone 0 memory");
        list("3");
        assertState("/new at '3' current listed from '3' gone 0 memory");
    }

    @Test
    void aListStartsFromTheLastVersionUnlessItIsInDoubt() {
        list("7");
        state.listAgain();
        assertState("/pods at '7' current not listed from '7' gone 0 memory");
        state.listFromStorage();
        assertState("/pods at '7' current not listed from '' gone 0 storage");
        state.shown("8");
        assertState("/pods at '7' current not listed from '8' gone 0 storage");
        list("8");
        assertState("/pods at '8' current listed from '8' gone 0 memory");
    }

    @Test
    void watchesWithoutAnEventThatAreGoneAreCounted() {
        list("7");
        state.gone(false);
        assertState("/pods at '7' current not listed from '' gone 1 memory");
        list("8");
        state.gone(false);
        assertState("/pods at '8' current not listed from '' gone 2 memory");
        state.gone(true);
        assertState("/pods at '8' current not listed from '' gone 0 memory");
        state.gone(false);
        state.healthy();
        assertState("/pods at '8' current not listed from '' gone 0 memory");
    }

    @Test
    void aVersionIsPastIfTheServerHadAHigherOneSinceTheList() {
        list("7");
        state.reached("9");
        assertEquals("true false", state.isPast("8") + " " + state.isPast("9"));
        list("5");
        assertEquals("true false", state.isPast("4") + " " + state.isPast("8"));
    }

    /** A server can send any number of events of an unknown type, over any number of watches. */
    @Test
    void onlyTheFirstUnknownEventIsLogged() {
        ReflectorState state = new ReflectorState("/api/v1/pods");
        assertEquals(
                List.of(true, false, false),
                List.of(state.isFirstUnknownEvent(), state.isFirstUnknownEvent(), state.isFirstUnknownEvent()));
    }
}
