package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.Owners;
import io.policyscheduler.cmd.embedded.controller.core.PodTemplates;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The templates that a StatefulSet or DaemonSet has had, kept as ControllerRevisions (pkg/controller/history). */
final class Revisions {
    private final ApiObjects objects;
    private final ResourceType ownerType;
    private final ResourceType revisions;

    Revisions(ApiObjects objects, ResourceType ownerType) {
        this.objects = objects;
        this.ownerType = ownerType;
        this.revisions = objects.type("controllerrevisions");
    }

    /** Those of an owner, the newest one last. */
    List<ObjectNode> of(ObjectNode owner) {
        return objects.list(revisions, ObjectKey.of(owner).namespace()).stream()
                .filter(revision -> Owners.controls(owner, revision))
                .sorted(Comparator.comparingLong(Revisions::number))
                .toList();
    }

    static long number(JsonNode revision) {
        return revision.path("revision").asLong();
    }

    static JsonNode template(JsonNode revision) {
        return revision.path("data").path("spec").path("template");
    }

    /**
     * The one of the present template, which is made or becomes the newest one again; empty when it cannot be made.
     *
     * @param pods what the owner has; pods that came with it from another cluster keep their revision, so that none is replaced
     */
    Optional<ObjectNode> current(ObjectNode owner, Collection<ObjectNode> pods) {
        JsonNode template = owner.path("spec").path("template");
        List<ObjectNode> present = of(owner);
        long newest = present.isEmpty() ? 0 : number(present.get(present.size() - 1));
        for (ObjectNode revision : present) {
            ObjectNode known = template(revision).deepCopy();
            known.remove("$patch");
            if (PodTemplates.equalIgnoringHash(template, known)) {
                if (number(revision) < newest) {
                    objects.change(revisions, revision, r -> r.put("revision", newest + 1));
                }
                return objects.get(revisions, ObjectKey.of(revision));
            }
        }
        String known = present.isEmpty() ? hashOf(owner, pods) : "";
        return create(owner, template, newest + 1, known.isEmpty() ? PodTemplates.hash(template, 0) : known);
    }

    /** The hash that pods have from elsewhere; empty when they have none. */
    private static String hashOf(ObjectNode owner, Collection<ObjectNode> pods) {
        String prefix = Json.text(owner, "metadata", "name") + "-";
        return pods.stream()
                .map(pod -> Json.text(pod, "metadata", "labels", StatefulSetController.REVISION))
                .filter(label -> !label.isEmpty())
                .map(label -> label.startsWith(prefix) ? label.substring(prefix.length()) : label)
                .findFirst()
                .orElse("");
    }

    /** Whether a pod is of a revision; one that does not say so has come from elsewhere and is left alone. */
    static boolean isOf(JsonNode pod, String revision) {
        String label = Json.text(pod, "metadata", "labels", StatefulSetController.REVISION);
        return label.isEmpty() || label.equals(revision);
    }

    private Optional<ObjectNode> create(ObjectNode owner, JsonNode template, long number, String hash) {
        ObjectNode revision = Json.object();
        revision.putObject("metadata")
                .put("name", Json.text(owner, "metadata", "name") + "-" + hash)
                .put("namespace", Json.text(owner, "metadata", "namespace"));
        template.path("metadata")
                .path("labels")
                .properties()
                .forEach(label -> PodTemplates.label(
                        revision, label.getKey(), label.getValue().asText()));
        PodTemplates.label(revision, "controller.kubernetes.io/hash", hash);
        Owners.setController(ownerType, owner, revision);
        ObjectNode kept = template.deepCopy();
        kept.put("$patch", "replace");
        revision.putObject("data").putObject("spec").set("template", kept);
        revision.put("revision", number);
        return objects.create(revisions, revision);
    }

    /** Deletes the oldest ones that nobody uses, beyond the number that the owner keeps. */
    void truncate(ObjectNode owner, List<String> used) {
        int kept = owner.path("spec").path("revisionHistoryLimit").asInt(10);
        List<ObjectNode> unused = of(owner).stream()
                .filter(revision -> !used.contains(ObjectKey.of(revision).name()))
                .toList();
        unused.stream().limit(Math.max(0, unused.size() - kept)).forEach(r -> objects.delete(revisions, r));
    }

    static String hash(JsonNode revision) {
        return Json.text(revision, "metadata", "labels", "controller.kubernetes.io/hash");
    }
}
