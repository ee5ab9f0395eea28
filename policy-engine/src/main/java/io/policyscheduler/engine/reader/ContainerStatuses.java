package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.release.NewerField;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the status of a pod says of what its containers ask for, while it is being read. */
final class ContainerStatuses {
    private final PodReading reading;
    private Map<String, CurrentRequestsDraft.StatusRequests> requests = Map.of();
    private boolean resizeInfeasible;

    ContainerStatuses(PodReading reading) {
        this.reading = reading;
    }

    /** Reads the status of one container. */
    void read(JsonCursor cursor) throws IOException {
        String[] container = {""};
        @Nullable ResourceList[] lists = {null, null};
        cursor.object((f, c) -> {
            switch (f) {
                case "name" -> container[0] = c.string();
                case "allocatedResources" -> lists[1] = ResourceList.of(c, reading.arithmetic());
                case "resources" -> {
                    lists[0] = new ResourceList(reading.arithmetic());
                    c.object((g, d) -> {
                        if (g.equals("requests")) {
                            lists[0] = ResourceList.of(d, reading.arithmetic());
                        } else {
                            d.skip();
                        }
                    });
                }
                default -> c.skip();
            }
        });
        ResourceList running = lists[0];
        if (running != null && !reading.leavesOut(NewerField.RESIZE)) {
            if (requests.isEmpty()) {
                requests = new HashMap<>();
            }
            ResourceList allocated = lists[1] == null ? new ResourceList(reading.arithmetic()) : lists[1];
            requests.put(container[0], new CurrentRequestsDraft.StatusRequests(running, allocated));
        }
    }

    /** The wanted resize cannot be done, so that only what runs counts; or it can after all. */
    void resizeInfeasible(boolean value) {
        resizeInfeasible = value && !reading.leavesOut(NewerField.RESIZE);
    }

    boolean resizeInfeasible() {
        return resizeInfeasible;
    }

    /** By the names of containers. */
    Map<String, CurrentRequestsDraft.StatusRequests> requests() {
        return requests;
    }

    boolean sayNothing() {
        return requests.isEmpty() && !resizeInfeasible;
    }
}
