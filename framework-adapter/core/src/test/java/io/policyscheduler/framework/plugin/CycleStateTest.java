package io.policyscheduler.framework.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.framework.plugin.CycleState.StateKey;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.Plugin.PluginException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class CycleStateTest {
    private final StateKeys keys = new StateKeys();
    private final StateKey<List<String>> list = keys.create("List", ArrayList::new);
    private final StateKey<String> text = keys.create("Text", UnaryOperator.identity());

    @Test
    void keepsOneValueForEachKey() {
        CycleState state = keys.newState();
        state.write(list, List.of("a"));
        state.write(text, "b");
        state.write(text, "c");
        assertEquals(List.of("a"), state.read(list));
        assertEquals("c", state.read(text));
    }

    @Test
    void nothingWritten() {
        CycleState state = keys.newState();
        state.write(list, List.of());
        assertEquals(
                "reading \"Text\" from cycleState: not found",
                assertThrows(PluginException.class, () -> state.read(text)).getMessage());
        assertThrows(PluginException.class, () -> state.copy().read(text));
    }

    @Test
    void aCopyIsIndependent() {
        CycleState state = keys.newState();
        state.write(list, new ArrayList<>(List.of("a")));
        String same = "shared";
        state.write(text, same);
        CycleState copy = state.copy();
        copy.read(list).add("b");
        copy.write(text, "other");
        assertEquals(List.of("a"), state.read(list));
        assertSame(same, state.read(text));
        assertEquals(List.of("a", "b"), copy.read(list));
        assertEquals("other", copy.read(text));
    }

    @Test
    void statesDoNotShareValues() {
        CycleState first = keys.newState();
        first.write(text, "a");
        assertThrows(PluginException.class, () -> keys.newState().read(text));
    }
}
