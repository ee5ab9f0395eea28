package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Follows a history: tells what is new in it, or has changed since it was told. Belongs to one thread. */
public final class DecisionChanges {
    private static final int FAR_BACK = 2000;

    private final DecisionHistory history;
    private final int most;
    /** What was told last, by number. */
    private Map<Long, KeptDecision> told = Map.of();

    /** @param most looks at so many of the last decisions, and at all that made room among the last 2000 */
    public DecisionChanges(DecisionHistory history, int most) {
        this.history = history;
        this.most = most;
    }

    /** Starts anew: {@link #next} tells everything again. */
    public void forget() {
        told = Map.of();
    }

    /** What is new or has changed, the earliest first: {@code number, pod, outcome, node, message, micros, preemption, ...}. */
    public List<ObjectNode> next() {
        Map<Long, KeptDecision> seen = new HashMap<>();
        List<ObjectNode> changed = new ArrayList<>();
        List<KeptDecision> kept = history.last(FAR_BACK);
        for (int i = kept.size() - 1; i >= 0; i--) {
            KeptDecision one = kept.get(i);
            if (i < most || one.result().room() != null) {
                seen.put(one.number(), one);
                if (!one.equals(told.get(one.number()))) {
                    changed.add(DecisionJson.withRoom(one));
                }
            }
        }
        told = seen;
        return changed;
    }
}
