package io.policyscheduler.cmd.options;

import io.policyscheduler.framework.cycle.TieBreak;
import java.util.Locale;
import java.util.SplittableRandom;

/** How one of several equally good nodes is chosen. */
public enum TieBreakOption {
    ROUND_ROBIN,
    RANDOM,
    FIRST;

    /** The one of a name as {@link #toString} gives it. */
    public static TieBreakOption of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The tie-break; {@code seed} counts for random only. */
    public TieBreak create(long seed) {
        return switch (this) {
            case ROUND_ROBIN -> TieBreak.roundRobin();
            case RANDOM -> TieBreak.random(new SplittableRandom(seed));
            case FIRST -> TieBreak.first();
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
