package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.PodTemplates;
import java.util.Optional;

/** The pods of a StatefulSet and their claims (pkg/controller/statefulset/stateful_set_utils.go). */
final class StatefulPods {
    private final ApiObjects objects;
    private final ResourceType sets;
    private final ResourceType pods;
    private final ResourceType claims;

    StatefulPods(ApiObjects objects, ResourceType sets) {
        this.objects = objects;
        this.sets = sets;
        this.pods = objects.type("pods");
        this.claims = objects.type("persistentvolumeclaims");
    }

    /** The number at the end of a pod's name; empty for a pod that is named otherwise. */
    static Optional<Integer> ordinal(JsonNode set, JsonNode pod) {
        String prefix = Json.text(set, "metadata", "name") + "-";
        String name = Json.text(pod, "metadata", "name");
        try {
            return name.startsWith(prefix)
                    ? Optional.of(Integer.parseInt(name.substring(prefix.length())))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    Optional<ObjectNode> create(ObjectNode set, int ordinal, ObjectNode revision) {
        String name = Json.text(set, "metadata", "name") + "-" + ordinal;
        ObjectNode template = Revisions.template(revision).deepCopy();
        template.remove("$patch");
        ObjectNode pod = PodTemplates.pod(sets, set, template);
        Json.child(pod, "metadata").put("name", name);
        Json.child(pod, "metadata").put("generateName", Json.text(set, "metadata", "name") + "-");
        PodTemplates.label(pod, "apps.kubernetes.io/pod-index", Integer.toString(ordinal));
        PodTemplates.label(pod, "statefulset.kubernetes.io/pod-name", name);
        PodTemplates.label(
                pod, StatefulSetController.REVISION, ObjectKey.of(revision).name());
        ObjectNode spec = Json.child(pod, "spec");
        spec.put("hostname", name);
        String service = Json.text(set, "spec", "serviceName");
        if (!service.isEmpty()) {
            spec.put("subdomain", service);
        }
        for (JsonNode claim : set.path("spec").path("volumeClaimTemplates")) {
            claim(set, claim, name, spec);
        }
        return objects.create(pods, pod);
    }

    /** The claim stays when the pod goes, and is taken by its successor. */
    private void claim(ObjectNode set, JsonNode template, String podName, ObjectNode spec) {
        String volume = Json.text(template, "metadata", "name");
        String name = volume + "-" + podName;
        String namespace = ObjectKey.of(set).namespace();
        if (objects.get(claims, new ObjectKey(namespace, name)).isEmpty()) {
            ObjectNode claim = template.deepCopy();
            Json.child(claim, "metadata").put("name", name).put("namespace", namespace);
            set.path("spec")
                    .path("selector")
                    .path("matchLabels")
                    .properties()
                    .forEach(label -> PodTemplates.label(
                            claim, label.getKey(), label.getValue().asText()));
            claim.remove("status");
            claim.remove("kind");
            claim.remove("apiVersion");
            objects.create(claims, claim);
        }
        ArrayNode kept = Json.array();
        Json.list(spec, "volumes").forEach(present -> {
            if (!Json.text(present, "name").equals(volume)) {
                kept.add(present);
            }
        });
        kept.addObject().put("name", volume).putObject("persistentVolumeClaim").put("claimName", name);
        spec.set("volumes", kept);
    }
}
