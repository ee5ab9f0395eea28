package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.JsonNode;

/** Counts the results of the pods of random snapshots, so that a generator without variety fails its test. */
final class OutcomeCounts {
    private int placed;
    private int unfit;
    private int broken;
    private int withVictims;
    private int partly;

    void add(JsonNode outcome) {
        for (JsonNode pod : outcome.path("pods")) {
            boolean fitError = pod.has("preemption");
            if (pod.has("bound")) {
                placed++;
                partly += pod.path("failures").isEmpty() ? 0 : 1;
            } else if (fitError) {
                unfit++;
                withVictims += pod.path("preemption").path("candidates").isEmpty() ? 0 : 1;
            } else {
                broken++;
            }
        }
    }

    /** Returns whether every kind of outcome makes up more than one in a hundred. */
    boolean isVaried() {
        int floor = (placed + unfit + broken) / 100;
        return placed > floor && partly > floor && unfit > floor && withVictims > floor && broken > floor;
    }

    @Override
    public String toString() {
        return placed + " placed (" + partly + " past failing nodes), " + unfit + " unfit (" + withVictims
                + " with victims), " + broken + " ended by an error";
    }
}
