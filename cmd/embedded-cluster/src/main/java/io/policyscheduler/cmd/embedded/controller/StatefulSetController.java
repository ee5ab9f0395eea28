package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.Counts;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Runs numbered pods in order, with claims of their own (pkg/controller/statefulset). */
public final class StatefulSetController extends KeyedController {
    static final String REVISION = "controller-revision-hash";

    private final ResourceType pods;
    private final ControllerHistory revisions;
    private final StatefulPods statefulPods;
    private final EventRecorder events;

    public StatefulSetController(Clientset objects) {
        super(objects, "statefulsets.apps", "pods");
        this.pods = objects.type("pods");
        this.revisions = new ControllerHistory(objects, type());
        this.statefulPods = new StatefulPods(objects, type());
        this.events = new EventRecorder(objects, "statefulset-controller");
    }

    @Override
    public void reconcile(ObjectNode set) {
        Map<Integer, ObjectNode> owned = new TreeMap<>();
        Owners.controlled(objects(), type(), set, pods)
                .forEach(pod -> StatefulPods.ordinal(set, pod).ifPresent(ordinal -> owned.put(ordinal, pod)));
        Optional<ObjectNode> update = revisions.current(set, owned.values());
        if (update.isEmpty()) {
            return;
        }
        String currentName = Json.text(set, "status", "currentRevision");
        ObjectNode current = revisions.of(set).stream()
                .filter(revision -> ObjectKey.of(revision).name().equals(currentName))
                .findFirst()
                .orElse(update.get());
        if (!Clientset.isDeleted(set)) {
            reconcilePods(set, owned, current, update.get());
        }
        updateStatus(set, owned, current, update.get());
        revisions.truncate(
                set,
                List.of(ObjectKey.of(current).name(), ObjectKey.of(update.get()).name()));
    }

    private void reconcilePods(ObjectNode set, Map<Integer, ObjectNode> owned, ObjectNode current, ObjectNode update) {
        JsonNode spec = set.path("spec");
        int first = spec.path("ordinals").path("start").asInt();
        int end = first + spec.path("replicas").asInt(1);
        boolean parallel = Json.text(spec, "podManagementPolicy").equals("Parallel");
        int partition = spec.path("updateStrategy")
                .path("rollingUpdate")
                .path("partition")
                .asInt();
        for (int ordinal = first; ordinal < end; ordinal++) {
            ObjectNode pod = owned.get(ordinal);
            if (pod != null && PodStates.isFinished(pod) && !Clientset.isDeleted(pod)) {
                delete(set, pod);
                return;
            }
            if (pod == null) {
                create(set, ordinal, ordinal < partition ? current : update);
            }
            if (!parallel && (pod == null || !isHealthy(set, pod))) {
                return;
            }
        }
        List<Integer> beyond = new ArrayList<>();
        for (int ordinal : owned.keySet()) {
            if (ordinal < first || ordinal >= end) {
                beyond.add(ordinal);
            }
        }
        beyond.sort(Comparator.reverseOrder());
        for (int ordinal : beyond) {
            ObjectNode pod = owned.get(ordinal);
            if (pod != null && !Clientset.isDeleted(pod)) {
                delete(set, pod);
            }
            if (!parallel) {
                return;
            }
        }
        if (beyond.isEmpty() && !Json.text(spec, "updateStrategy", "type").equals("OnDelete")) {
            deleteOneOutdated(set, owned, update, Math.max(first, partition), end);
        }
    }

    /** Deletes the highest pod with an old template if all above it are ready. */
    private void deleteOneOutdated(
            ObjectNode set, Map<Integer, ObjectNode> owned, ObjectNode update, int from, int end) {
        for (int ordinal = end - 1; ordinal >= from; ordinal--) {
            ObjectNode pod = owned.get(ordinal);
            if (pod == null) {
                return;
            }
            if (!ControllerHistory.isOf(pod, ObjectKey.of(update).name())) {
                if (!Clientset.isDeleted(pod)) {
                    delete(set, pod);
                }
                return;
            }
            if (!isHealthy(set, pod)) {
                return;
            }
        }
    }

    private boolean isHealthy(ObjectNode set, ObjectNode pod) {
        int minReady = set.path("spec").path("minReadySeconds").asInt();
        boolean available = PodStates.isAvailable(pod, minReady, objects().now());
        if (!available) {
            PodStates.availableAt(pod, minReady).ifPresent(at -> enqueueAt(at, set));
        }
        return available && !Clientset.isDeleted(pod);
    }

    private void create(ObjectNode set, int ordinal, ObjectNode revision) {
        statefulPods
                .create(set, ordinal, revision)
                .ifPresent(created -> events.normal(
                        type(),
                        set,
                        "SuccessfulCreate",
                        "create Pod " + Json.text(created, "metadata", "name") + " in StatefulSet "
                                + Json.text(set, "metadata", "name") + " successful"));
    }

    private void delete(ObjectNode set, ObjectNode pod) {
        objects().delete(pods, pod);
        events.normal(
                type(),
                set,
                "SuccessfulDelete",
                "delete Pod " + Json.text(pod, "metadata", "name") + " in StatefulSet "
                        + Json.text(set, "metadata", "name") + " successful");
    }

    private void updateStatus(ObjectNode set, Map<Integer, ObjectNode> owned, ObjectNode current, ObjectNode update) {
        int desired = set.path("spec").path("replicas").asInt(1);
        int minReady = set.path("spec").path("minReadySeconds").asInt();
        String currentName = ObjectKey.of(current).name();
        String updateName = ObjectKey.of(update).name();
        List<ObjectNode> present = List.copyOf(owned.values());
        List<ObjectNode> living = PodStates.active(present);
        long ready = living.stream().filter(PodStates::isReady).count();
        long updated = living.stream()
                .filter(pod -> ControllerHistory.isOf(pod, updateName))
                .count();
        boolean done = updated == desired && ready == desired && present.size() == desired;
        objects().changeStatus(type(), set, status -> {
            status.put(
                    "observedGeneration",
                    set.path("metadata").path("generation").asLong());
            status.put("replicas", present.size());
            Counts.put(status, "readyReplicas", ready);
            Counts.put(
                    status,
                    "currentReplicas",
                    done
                            ? updated
                            : living.stream()
                                    .filter(pod -> ControllerHistory.isOf(pod, currentName))
                                    .count());
            Counts.put(status, "updatedReplicas", updated);
            status.put(
                    "availableReplicas",
                    living.stream()
                            .filter(pod -> PodStates.isAvailable(
                                    pod, minReady, objects().now()))
                            .count());
            status.put("currentRevision", done ? updateName : currentName);
            status.put("updateRevision", updateName);
            status.put("collisionCount", 0);
        });
    }

    /** The pods of a StatefulSet and their claims (pkg/controller/statefulset/stateful_set_utils.go). */
    static final class StatefulPods {
        private final Clientset objects;
        private final ResourceType sets;
        private final ResourceType pods;
        private final ResourceType claims;

        StatefulPods(Clientset objects, ResourceType sets) {
            this.objects = objects;
            this.sets = sets;
            this.pods = objects.type("pods");
            this.claims = objects.type("persistentvolumeclaims");
        }

        /** The ordinal at the end of a pod's name; empty for other names. */
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
            ObjectNode template = ControllerHistory.template(revision).deepCopy();
            template.remove("$patch");
            ObjectNode pod = ControllerUtils.pod(sets, set, template);
            Json.child(pod, "metadata").put("name", name);
            Json.child(pod, "metadata").put("generateName", Json.text(set, "metadata", "name") + "-");
            ControllerUtils.label(pod, "apps.kubernetes.io/pod-index", Integer.toString(ordinal));
            ControllerUtils.label(pod, "statefulset.kubernetes.io/pod-name", name);
            ControllerUtils.label(
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

        /** The claim stays when the pod is deleted, and the next pod uses it. */
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
                        .forEach(label -> ControllerUtils.label(
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
            kept.addObject()
                    .put("name", volume)
                    .putObject("persistentVolumeClaim")
                    .put("claimName", name);
            spec.set("volumes", kept);
        }
    }

    /** The templates of a StatefulSet or DaemonSet, stored as ControllerRevisions (pkg/controller/history). */
    static final class ControllerHistory {
        private final Clientset objects;
        private final ResourceType ownerType;
        private final ResourceType revisions;

        ControllerHistory(Clientset objects, ResourceType ownerType) {
            this.objects = objects;
            this.ownerType = ownerType;
            this.revisions = objects.type("controllerrevisions");
        }

        /** The revisions of an owner, the newest one last. */
        List<ObjectNode> of(ObjectNode owner) {
            return objects.list(revisions, ObjectKey.of(owner).namespace()).stream()
                    .filter(revision -> Owners.controls(owner, revision))
                    .sorted(Comparator.comparingLong(ControllerHistory::number))
                    .toList();
        }

        static long number(JsonNode revision) {
            return revision.path("revision").asLong();
        }

        static JsonNode template(JsonNode revision) {
            return revision.path("data").path("spec").path("template");
        }

        /**
         * The revision of the current template, created or made the newest one; empty if it cannot be created.
         *
         * @param pods pods of the owner; pods that were imported from another cluster keep their revision, so that they are not
         *     replaced
         */
        Optional<ObjectNode> current(ObjectNode owner, Collection<ObjectNode> pods) {
            JsonNode template = owner.path("spec").path("template");
            List<ObjectNode> present = of(owner);
            long newest = present.isEmpty() ? 0 : number(present.get(present.size() - 1));
            for (ObjectNode revision : present) {
                ObjectNode known = template(revision).deepCopy();
                known.remove("$patch");
                if (ControllerUtils.equalIgnoringHash(template, known)) {
                    if (number(revision) < newest) {
                        objects.change(revisions, revision, r -> r.put("revision", newest + 1));
                    }
                    return objects.get(revisions, ObjectKey.of(revision));
                }
            }
            String known = present.isEmpty() ? hashOf(owner, pods) : "";
            return create(owner, template, newest + 1, known.isEmpty() ? ControllerUtils.hash(template, 0) : known);
        }

        /** The hash of imported pods; empty for none. */
        private static String hashOf(ObjectNode owner, Collection<ObjectNode> pods) {
            String prefix = Json.text(owner, "metadata", "name") + "-";
            return pods.stream()
                    .map(pod -> Json.text(pod, "metadata", "labels", StatefulSetController.REVISION))
                    .filter(label -> !label.isEmpty())
                    .map(label -> label.startsWith(prefix) ? label.substring(prefix.length()) : label)
                    .findFirst()
                    .orElse("");
        }

        /** Whether a pod has a revision; a pod without one was imported and is not replaced. */
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
                    .forEach(label -> ControllerUtils.label(
                            revision, label.getKey(), label.getValue().asText()));
            ControllerUtils.label(revision, "controller.kubernetes.io/hash", hash);
            Owners.setController(ownerType, owner, revision);
            ObjectNode kept = template.deepCopy();
            kept.put("$patch", "replace");
            revision.putObject("data").putObject("spec").set("template", kept);
            revision.put("revision", number);
            return objects.create(revisions, revision);
        }

        /** Deletes the oldest unused revisions above the limit of the owner. */
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
}
