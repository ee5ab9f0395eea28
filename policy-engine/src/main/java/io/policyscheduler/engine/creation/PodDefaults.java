package io.policyscheduler.engine.creation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.release.NewerField;
import java.util.List;

/** What stands in a pod that nobody has written there ({@code pkg/apis/core/v1/defaults.go}). */
final class PodDefaults {
    /** In the order in which API servers go through them. */
    static final List<String> CONTAINER_LISTS = List.of("initContainers", "containers");

    private static final int GRACE_SECONDS = 30;

    private final CreationRules rules;

    PodDefaults(CreationRules rules) {
        this.rules = rules;
    }

    /** Of a pod. */
    void pod(ObjectNode pod) {
        ObjectNode spec = Fields.child(pod, "spec");
        Fields.putIfAbsent(spec, "enableServiceLinks", true);
        forEachContainer(spec, container -> {
            JsonNode limits = container.path("resources").path("limits");
            if (!limits.isEmpty()) {
                ObjectNode requests = Fields.child(Fields.child(container, "resources"), "requests");
                limits.properties().forEach(limit -> requests.putIfAbsent(limit.getKey(), limit.getValue()));
            }
        });
        if (spec.path("resources") instanceof ObjectNode resources && rules.has(NewerField.POD_RESOURCES)) {
            PodLevelDefaults.complete(spec, resources);
        }
        common(spec, true);
    }

    /** Of a template in a workload, which has less filled in than the pods made of it. */
    void template(ObjectNode template) {
        common(Fields.child(template, "spec"), rules.fillsHostPortsOfTemplates());
    }

    private static void common(ObjectNode spec, boolean hostPorts) {
        Fields.putIfAbsent(spec, "restartPolicy", "Always");
        Fields.putIfAbsent(spec, "terminationGracePeriodSeconds", GRACE_SECONDS);
        Fields.putIfAbsent(spec, "dnsPolicy", "ClusterFirst");
        Fields.child(spec, "securityContext");
        Fields.putIfAbsent(spec, "schedulerName", "default-scheduler");
        boolean onHost = hostPorts && spec.path("hostNetwork").asBoolean();
        forEachContainer(spec, container -> container(container, onHost));
        Fields.forEach(spec.path("volumes"), PodDefaults::volume);
    }

    private static void container(ObjectNode container, boolean onHost) {
        String image = Fields.text(container, "image");
        boolean latest = image.endsWith(":latest") || image.lastIndexOf(':') <= image.lastIndexOf('/');
        boolean pulls = latest && !image.isEmpty() && !image.contains("@");
        Fields.putIfAbsent(container, "imagePullPolicy", pulls ? "Always" : "IfNotPresent");
        Fields.putIfAbsent(container, "terminationMessagePath", "/dev/termination-log");
        Fields.putIfAbsent(container, "terminationMessagePolicy", "File");
        Fields.child(container, "resources");
        Fields.forEach(container.path("ports"), port -> {
            Fields.putIfAbsent(port, "protocol", "TCP");
            if (onHost && port.path("hostPort").asInt() == 0 && Fields.has(port, "containerPort")) {
                port.set("hostPort", port.path("containerPort"));
            }
        });
    }

    private static void volume(ObjectNode volume) {
        if (volume.path("rbd") instanceof ObjectNode rbd) {
            Fields.putIfAbsent(rbd, "pool", "rbd");
        } else if (volume.path("azureDisk") instanceof ObjectNode disk) {
            Fields.putIfAbsent(disk, "kind", "Shared");
        } else if (volume.path("ephemeral").path("volumeClaimTemplate") instanceof ObjectNode template) {
            Fields.putIfAbsent(Fields.child(template, "spec"), "volumeMode", "Filesystem");
        } else if (volume.size() == 1 && volume.has("name")) {
            volume.putObject("emptyDir");
        }
    }

    static void forEachContainer(JsonNode spec, java.util.function.Consumer<ObjectNode> action) {
        for (String list : CONTAINER_LISTS) {
            Fields.forEach(spec.path(list), action);
        }
    }
}
