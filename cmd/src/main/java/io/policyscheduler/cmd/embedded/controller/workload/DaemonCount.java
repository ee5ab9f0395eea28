package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.controller.core.Counts;
import io.policyscheduler.cmd.embedded.controller.core.IntOrPercent;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a DaemonSet has on the nodes, for its status and for what is replaced next. */
final class DaemonCount {
    private final JsonNode set;
    private final String hash;
    private final Instant now;
    private final int minReady;
    private final List<ObjectNode> old = new ArrayList<>();
    private final List<Instant> waits = new ArrayList<>();
    private int wanted;
    private int scheduled;
    private int misplaced;
    private int ready;
    private int available;
    private int updated;
    private int unavailable;

    DaemonCount(JsonNode set, String hash, Instant now) {
        this.set = set;
        this.hash = hash;
        this.now = now;
        this.minReady = set.path("spec").path("minReadySeconds").asInt();
    }

    /** Counts one node. */
    void node(boolean belongs, List<ObjectNode> present) {
        if (!belongs) {
            misplaced += present.isEmpty() ? 0 : 1;
            return;
        }
        wanted++;
        if (present.isEmpty()) {
            unavailable++;
            return;
        }
        ObjectNode pod = present.get(0);
        scheduled++;
        ready += PodStates.isReady(pod) ? 1 : 0;
        boolean isAvailable = PodStates.isAvailable(pod, minReady, now);
        available += isAvailable ? 1 : 0;
        if (Revisions.isOf(pod, hash)) {
            updated++;
        } else {
            old.add(pod);
        }
        if (!isAvailable) {
            unavailable++;
            PodStates.availableAt(pod, minReady).ifPresent(waits::add);
        }
    }

    /** The old pods that may go now: those that are not available anyway, and as many others as may be unavailable. */
    List<ObjectNode> outdated() {
        JsonNode most =
                set.path("spec").path("updateStrategy").path("rollingUpdate").path("maxUnavailable");
        int room = Math.max(1, IntOrPercent.of(most, wanted, true)) - unavailable;
        List<ObjectNode> going = new ArrayList<>();
        for (ObjectNode pod : old) {
            if (!PodStates.isAvailable(pod, minReady, now)) {
                going.add(pod);
            } else if (room > 0) {
                going.add(pod);
                room--;
            }
        }
        return going;
    }

    Optional<Instant> nextAvailable() {
        return waits.stream().min(Instant::compareTo);
    }

    void write(ObjectNode status) {
        status.put("currentNumberScheduled", scheduled);
        status.put("numberMisscheduled", misplaced);
        status.put("desiredNumberScheduled", wanted);
        status.put("numberReady", ready);
        status.put("observedGeneration", set.path("metadata").path("generation").asLong());
        Counts.put(status, "updatedNumberScheduled", updated);
        Counts.put(status, "numberAvailable", available);
        Counts.put(status, "numberUnavailable", wanted - available);
    }
}
