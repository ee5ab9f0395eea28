package io.policyscheduler.cmd.embedded.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.PodConditions;
import io.policyscheduler.cmd.embedded.api.ReleaseProfile;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

/** What the status of a pod says when it is started and when its containers end (pkg/kubelet/status). */
final class PodLife {
    private static final List<String> WHILE_RUNNING =
            List.of("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady");

    private final ReleaseProfile release;

    PodLife(ReleaseProfile release) {
        this.release = release;
    }

    /** Changes a bound pod to one that runs. */
    ObjectNode started(ObjectNode pod, ObjectNode node, String newAddress, Instant now) {
        ObjectNode status = Json.child(pod, "status");
        status.put("phase", "Running");
        Json.putIfAbsent(status, "startTime", Json.time(now));
        for (String condition : WHILE_RUNNING) {
            if (release != ReleaseProfile.V1_17 || !condition.equals("PodReadyToStartContainers")) {
                PodConditions.setTrue(pod, condition, now);
            }
        }
        PodConditions.setTrue(pod, "PodScheduled", now);
        observe(pod, status);
        addresses(pod, status, node, newAddress);
        ArrayNode containers = status.putArray("containerStatuses");
        for (JsonNode container : pod.path("spec").path("containers")) {
            ObjectNode state = containers
                    .addObject()
                    .put("name", Json.text(container, "name"))
                    .put("image", Json.text(container, "image"))
                    .put("imageID", "")
                    .put("containerID", containerId(pod, container))
                    .put("ready", true)
                    .put("started", true)
                    .put("restartCount", 0);
            running(state, now);
            state.putObject("lastState");
        }
        return pod;
    }

    private static String containerId(JsonNode pod, JsonNode container) {
        return "none://" + Json.text(pod, "metadata", "uid") + "/" + Json.text(container, "name");
    }

    private static void running(ObjectNode container, Instant now) {
        container.putObject("state").putObject("running").put("startedAt", Json.time(now));
    }

    /** Since 1.34 a status says which generation of the pod it is of. */
    private void observe(ObjectNode pod, ObjectNode status) {
        JsonNode generation = pod.path("metadata").path("generation");
        if (release == ReleaseProfile.V1_17 || !generation.isNumber()) {
            return;
        }
        status.set("observedGeneration", generation);
        for (JsonNode condition : status.path("conditions")) {
            if (condition instanceof ObjectNode object && WHILE_RUNNING.contains(Json.text(condition, "type"))) {
                object.set("observedGeneration", generation);
            }
        }
    }

    private void addresses(ObjectNode pod, ObjectNode status, ObjectNode node, String newAddress) {
        String hostIp = "";
        for (JsonNode address : node.path("status").path("addresses")) {
            if (Json.text(address, "type").equals("InternalIP")) {
                hostIp = Json.text(address, "address");
            }
        }
        if (!hostIp.isEmpty()) {
            status.put("hostIP", hostIp);
            if (release != ReleaseProfile.V1_17) {
                status.putArray("hostIPs").addObject().put("ip", hostIp);
            }
        }
        boolean hostNetwork = pod.path("spec").path("hostNetwork").asBoolean();
        String podIp = hostNetwork && !hostIp.isEmpty() ? hostIp : newAddress;
        status.put("podIP", podIp);
        status.putArray("podIPs").addObject().put("ip", podIp);
    }

    /** When the containers of a running pod end; empty for never. */
    static Optional<Instant> endOf(JsonNode pod) {
        String started =
                pod.at("/status/containerStatuses/0/state/running/startedAt").asText("");
        return started.isEmpty()
                ? Optional.empty()
                : PlaygroundNotes.runTime(pod)
                        .map(time -> OffsetDateTime.parse(started).toInstant().plus(time));
    }

    /** Changes a running pod to one whose containers have ended, or have been started again where it asks for that. */
    ObjectNode ended(ObjectNode pod, Instant now) {
        int code = PlaygroundNotes.exitCode(pod);
        String policy = Json.text(pod, "spec", "restartPolicy");
        boolean again = policy.equals("Always") || (policy.equals("OnFailure") && code != 0);
        ObjectNode status = Json.child(pod, "status");
        for (JsonNode container : status.path("containerStatuses")) {
            if (container instanceof ObjectNode object) {
                end(object, code, again, now);
            }
        }
        if (!again) {
            status.put("phase", code == 0 ? "Succeeded" : "Failed");
            String reason = code == 0 ? "PodCompleted" : "PodFailed";
            for (String condition : List.of("PodReadyToStartContainers", "Ready", "ContainersReady")) {
                PodConditions.setFalse(pod, condition, reason, now);
            }
            observe(pod, status);
        }
        return pod;
    }

    private static void end(ObjectNode container, int code, boolean again, Instant now) {
        ObjectNode terminated = Json.object()
                .put("exitCode", code)
                .put("reason", code == 0 ? "Completed" : "Error")
                .put("startedAt", container.at("/state/running/startedAt").asText(""))
                .put("finishedAt", Json.time(now))
                .put("containerID", Json.text(container, "containerID"));
        if (again) {
            container.putObject("lastState").set("terminated", terminated);
            container.put("restartCount", container.path("restartCount").asInt() + 1);
            running(container, now);
        } else {
            container.putObject("state").set("terminated", terminated);
            container.put("ready", false).put("started", false);
        }
    }
}
