package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where a recording of a current release says that its pods went. */
final class RecordedPlacements {
    private final Map<String, String> nodes = new HashMap<>();
    private final boolean recorded;

    RecordedPlacements(JsonNode scenario) {
        JsonNode expected = scenario.path("expected");
        JsonNode modern = expected.path(ReplayMode.MODERN.key());
        JsonNode pods = (modern.isMissingNode() ? expected.path(ReplayMode.RELEASE.key()) : modern).path("pods");
        recorded = pods.isArray();
        for (JsonNode pod : pods) {
            if (pod.has("bound")) {
                nodes.put(pod.path("pod").asText(), pod.path("bound").asText());
            }
        }
    }

    /** Where to put the pod; null for nowhere. What was decided here counts where nothing is recorded at all. */
    @Nullable
    String node(PodInfo pod, @Nullable String decided) {
        return recorded ? nodes.get(pod.key()) : decided;
    }
}
