package io.policyscheduler.framework.insight.compare;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes the best nodes in turn, so that equal ones fill evenly and every run of the program gives the same result. */
final class Ties {
    private int turn;

    /**
     * One of the best nodes; null when there is none.
     *
     * @param wanted is taken if it is among them: where two may agree, they shall
     */
    @Nullable
    String choose(List<String> best, @Nullable String wanted) {
        if (best.isEmpty()) {
            return null;
        }
        if (wanted != null && best.contains(wanted)) {
            return wanted;
        }
        String chosen = best.get(turn % best.size());
        turn = (turn + 1) & Integer.MAX_VALUE;
        return chosen;
    }
}
