package io.policyscheduler.engine.cluster.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class LabelSelectorTest {
    private static final LabelRequirement HAS_TIER = LabelRequirement.ofLabelSelector("tier", "Exists", List.of());
    private static final LabelRequirement INVALID = LabelRequirement.ofLabelSelector("tier", "Near", List.of());

    @Test
    void anEmptySelectorMatchesEverything() {
        LabelSelector empty = LabelSelector.of(Labels.EMPTY, List.of());
        assertSame(LabelSelector.EVERYTHING, empty);
        assertTrue(empty.isEmpty());
        assertTrue(empty.matches(Labels.EMPTY));
        assertTrue(empty.matches(Labels.of("a", "b")));
        assertNull(empty.error());
    }

    @Test
    void allRequirementsMustHoldLabelsFirst() {
        LabelSelector selector = LabelSelector.of(Labels.of("b", "2", "a", "1"), List.of(HAS_TIER));
        assertEquals(
                List.of(LabelRequirement.equalTo("a", "1"), LabelRequirement.equalTo("b", "2"), HAS_TIER),
                selector.requirements());
        assertFalse(selector.isEmpty());
        assertTrue(selector.matches(Labels.of("a", "1", "b", "2", "tier", "")));
        assertFalse(selector.matches(Labels.of("a", "1", "b", "2")));
        assertFalse(selector.matches(Labels.of("a", "1", "tier", "x")));
        assertFalse(selector.matches(Labels.EMPTY));
    }

    @Test
    void oneInvalidRequirementMatchesNothing() {
        LabelSelector selector = LabelSelector.of(Labels.of("a", "-bad", "b", "*"), List.of(INVALID));
        assertEquals("invalid label value: \"-bad\"", selector.error());
        assertFalse(selector.matches(Labels.of("a", "-bad", "b", "*", "tier", "")));
        assertEquals(
                "\"Near\" is not a valid pod selector operator",
                LabelSelector.of(Labels.of("a", "1"), List.of(INVALID)).error());
    }

    @Test
    void anIllegalEntryOfAMapMakesItMatchEverything() {
        assertSame(LabelSelector.EVERYTHING, LabelSelector.ofValidatedMap(Labels.EMPTY));
        assertSame(LabelSelector.EVERYTHING, LabelSelector.ofValidatedMap(Labels.of("a", "1", "b", "not legal")));
        assertSame(LabelSelector.EVERYTHING, LabelSelector.ofValidatedMap(Labels.of("a b", "1")));
        LabelSelector legal = LabelSelector.ofValidatedMap(Labels.of("a", "1", "b", ""));
        assertTrue(legal.matches(Labels.of("a", "1", "b", "")));
        assertFalse(legal.matches(Labels.of("a", "1")));
    }
}
