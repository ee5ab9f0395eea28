package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.base.Strings;
import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.framework.cycle.AttemptDetails;
import io.policyscheduler.framework.cycle.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decisions as JSON. All fields are always present; those that do not apply are null or empty. */
public final class DecisionJson {
    private static final long NANOS_PER_MICRO = 1000;

    private DecisionJson() {}

    /** A line of a list. */
    static ObjectNode brief(DecisionRecord recorded) {
        Decision decision = recorded.decision();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("number", recorded.number()).put("pod", recorded.info().pod());
        json.put("attempt", recorded.info().attempt())
                .put("time", recorded.info().time().toString());
        json.put("profile", recorded.info().profile()).put("generation", decision.generation());
        json.put("outcome", recorded.result().outcome().text()).put("node", decision.node());
        json.put("message", Strings.emptyToNull(recorded.result().message()));
        return json;
    }

    /** A row of a list, with the preemption of the attempt. */
    static ObjectNode withRoom(DecisionRecord recorded) {
        ObjectNode json = brief(recorded);
        json.put("micros", recorded.info().nanos() / NANOS_PER_MICRO);
        preemption(json, recorded.result().room());
        return json;
    }

    /**
     * All details.
     *
     * @param tieBreak how a tie is broken
     */
    static ObjectNode full(DecisionRecord recorded, String tieBreak) {
        Decision decision = recorded.decision();
        AttemptDetails details = recorded.details();
        ObjectNode json = brief(recorded);
        json.put("uid", recorded.info().uid()).put("micros", recorded.info().nanos() / NANOS_PER_MICRO);
        json.putObject("nodes")
                .put("total", details.totalNodes())
                .put("examined", decision.evaluatedNodes())
                .put("feasible", decision.feasibleNodes());
        ArrayNode rejections = json.putArray("rejections");
        for (AttemptDetails.Rejection rejection : details.rejections()) {
            ObjectNode one = rejections.addObject().put("reason", rejection.reason());
            one.put("nodes", rejection.nodes());
            rejection.names().forEach(one.putArray("names")::add);
        }
        json.put("otherReasons", details.otherReasons());
        scores(json.putArray("best"), details);
        json.put("otherAlgorithms", details.otherAlgorithms());
        runnerUp(json, details.best());
        if (details.tied() > 1) {
            json.putObject("tie").put("nodes", details.tied()).put("brokenBy", tieBreak);
        } else {
            json.putNull("tie");
        }
        json.put("nominatedNode", Strings.emptyToNull(recorded.info().nominatedNode()));
        preemption(json, recorded.result().room());
        json.put("cut", isCut(recorded));
        tables(json, recorded.info().tables());
        return json;
    }

    private static void tables(ObjectNode json, List<TableMark> tables) {
        if (tables.isEmpty()) {
            return;
        }
        ArrayNode all = json.putArray("tables");
        for (TableMark table : tables) {
            ObjectNode one = all.addObject().put("name", table.name()).put("generation", table.generation());
            if (table.measured() != null) {
                one.put("measured", table.measured().toString());
            }
            one.put("stale", table.stale());
            if (table.problem() != null) {
                one.put("problem", table.problem());
            }
        }
    }

    private static void scores(ArrayNode best, AttemptDetails details) {
        for (AttemptDetails.Scored scored : details.best()) {
            ObjectNode node = best.addObject().put("node", scored.node()).put("total", scored.total());
            ArrayNode scores = node.putArray("scores");
            for (int i = 0; i < details.algorithms().size(); i++) {
                AttemptDetails.Algorithm algorithm = details.algorithms().get(i);
                long raw = scored.scores().get(i);
                ObjectNode score = scores.addObject().put("algorithm", algorithm.name());
                if (!algorithm.displayName().equals(algorithm.name())) {
                    score.put("policyName", algorithm.displayName());
                }
                score.put("raw", raw).put("weight", algorithm.weight()).put("weighted", raw * algorithm.weight());
            }
        }
    }

    private static void runnerUp(ObjectNode json, List<AttemptDetails.Scored> best) {
        if (best.size() < 2) {
            json.putNull("runnerUp");
            return;
        }
        AttemptDetails.Scored second = best.get(1);
        json.putObject("runnerUp")
                .put("node", second.node())
                .put("total", second.total())
                .put("behind", best.get(0).total() - second.total());
    }

    private static void preemption(ObjectNode json, DecisionRecord.@Nullable Preemption room) {
        if (room == null) {
            json.putNull("preemption");
            return;
        }
        ObjectNode preemption = json.putObject("preemption").put("node", room.node());
        room.victims().forEach(preemption.putArray("victims")::add);
        preemption.put("victimCount", room.count());
    }

    /** Whether details were dropped because of the limits. */
    private static boolean isCut(DecisionRecord recorded) {
        AttemptDetails details = recorded.details();
        DecisionRecord.Preemption room = recorded.result().room();
        return details.otherReasons() > 0
                || details.otherAlgorithms() > 0
                || (!details.best().isEmpty()
                        && details.best().size() < recorded.decision().feasibleNodes())
                || details.rejections().stream()
                        .anyMatch(one ->
                                one.names().size() < one.nodes() && !one.names().isEmpty())
                || (room != null && room.victims().size() < room.count());
    }

    /** Follows a history: returns decisions that are new or changed since the last call. Belongs to one thread. */
    public static final class Changes {
        private static final int MAX_DECISIONS = 2000;

        private final DecisionHistory history;
        private final int most;
        /** The last returned records, by number. */
        private Map<Long, DecisionRecord> told = Map.of();

        /** @param most number of last decisions to check for changes; preemptions are checked among the last 2000 */
        public Changes(DecisionHistory history, int most) {
            this.history = history;
            this.most = most;
        }

        /** Starts again: {@link #next} returns all decisions. */
        public void forget() {
            told = Map.of();
        }

        /** New or changed decisions, the oldest first: {@code number, pod, outcome, node, message, micros, preemption, ...}. */
        public List<ObjectNode> next() {
            Map<Long, DecisionRecord> seen = new HashMap<>();
            List<ObjectNode> changed = new ArrayList<>();
            List<DecisionRecord> recorded = history.last(MAX_DECISIONS);
            for (int i = recorded.size() - 1; i >= 0; i--) {
                DecisionRecord one = recorded.get(i);
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
}
