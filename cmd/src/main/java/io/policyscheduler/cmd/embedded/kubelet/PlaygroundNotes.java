package io.policyscheduler.cmd.embedded.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.embedded.api.Json;
import java.time.Duration;
import java.util.Optional;

/** The annotations by which a user tells nodes and pods what to do, as nothing really runs. */
public final class PlaygroundNotes {
    /** On a node, with any value but {@code false}: it does not answer. */
    public static final String FAILED = "policy-scheduler.io/failed";
    /** On a pod: after how many seconds its containers end; a decimal number. */
    public static final String RUN_SECONDS = "policy-scheduler.io/run-seconds";
    /** On a pod: with which exit code its containers end; 0 when absent. */
    public static final String EXIT_CODE = "policy-scheduler.io/exit-code";

    private PlaygroundNotes() {}

    /** Whether a node is to have failed. */
    public static boolean isFailed(JsonNode node) {
        JsonNode note = node.path("metadata").path("annotations").path(FAILED);
        return note.isTextual() && !note.asText().equals("false");
    }

    /** How long the containers of a pod run; empty for ever, also when the text is no number. */
    static Optional<Duration> runTime(JsonNode pod) {
        String text = Json.text(pod, "metadata", "annotations", RUN_SECONDS);
        try {
            return text.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Duration.ofMillis((long) (Math.max(0, Double.parseDouble(text)) * 1000)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** With which code they end. */
    static int exitCode(JsonNode pod) {
        String text = Json.text(pod, "metadata", "annotations", EXIT_CODE);
        try {
            return text.isEmpty() ? 0 : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 1;
        }
    }
}
