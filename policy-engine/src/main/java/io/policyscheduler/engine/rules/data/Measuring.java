package io.policyscheduler.engine.rules.data;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How rules take values that are measured, and therefore have an age.
 *
 * @param staleAfter the age from which a value counts as missing, above 0; null for never
 * @param whenStale what holds then
 * @param plusPlaced by field, what is added for the pods that were placed on the node since; empty for nothing
 */
public record Measuring(
        @Nullable Duration staleAfter, WhenStale whenStale, SortedMap<String, PlacedAmount> plusPlaced) {
    /** For values that have no age. */
    public static final Measuring NONE = new Measuring(null, WhenStale.DEFAULT, new TreeMap<>());

    public Measuring {
        plusPlaced = Collections.unmodifiableSortedMap(new TreeMap<>(plusPlaced));
    }
}
