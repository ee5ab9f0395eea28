package io.policyscheduler.cmd.embedded.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Conditions;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.Clientset.Counts;
import io.policyscheduler.cmd.embedded.controller.Clientset.EventRecorder;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.IntOrPercent;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.Owners;
import io.policyscheduler.cmd.embedded.controller.ControllerUtils.PodStates;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Maintains a ReplicaSet per template of a Deployment, and scales the newest one up and the others down
 * (pkg/controller/deployment).
 */
public final class DeploymentController extends KeyedController {
    static final String REVISION = "deployment.kubernetes.io/revision";
    private static final String DESIRED = "deployment.kubernetes.io/desired-replicas";
    private static final String MOST = "deployment.kubernetes.io/max-replicas";
    private static final String HASH = "pod-template-hash";

    private final ResourceType replicaSets;
    private final ResourceType pods;
    private final EventRecorder events;

    public DeploymentController(Clientset objects) {
        super(objects, "deployments.apps", "replicasets.apps", "pods");
        this.replicaSets = objects.type("replicasets.apps");
        this.pods = objects.type("pods");
        this.events = new EventRecorder(objects, "deployment-controller");
    }

    /** The Recreate strategy waits for the end of pods. */
    @Override
    public void handleRelated(ResourceType other, ObjectNode object) {
        if (!other.isPod()) {
            super.handleRelated(other, object);
            return;
        }
        ObjectKey set = new ObjectKey(ObjectKey.of(object).namespace(), Json.text(Owners.controllerOf(object), "name"));
        objects().get(replicaSets, set).ifPresent(owner -> super.handleRelated(replicaSets, owner));
    }

    @Override
    public void reconcile(ObjectNode deployment) {
        List<ObjectNode> sets = Owners.controlled(objects(), type(), deployment, replicaSets).stream()
                .sorted(Comparator.comparing((ObjectNode set) -> Json.text(set, "metadata", "creationTimestamp"))
                        .thenComparing(set -> Json.text(set, "metadata", "name")))
                .toList();
        Optional<ObjectNode> newest = newReplicaSet(deployment, sets);
        if (Clientset.isDeleted(deployment)) {
            DeploymentStatus.update(objects(), type(), deployment, newest, sets);
            return;
        }
        boolean paused = deployment.path("spec").path("paused").asBoolean();
        List<ObjectNode> older =
                sets.stream().filter(set -> !newest.equals(Optional.of(set))).toList();
        if (paused) {
            scaleOnly(deployment, newest, sets);
        } else {
            newest.ifPresentOrElse(set -> rollOut(deployment, set, older), () -> create(deployment, older));
            cleanUpOldReplicaSets(deployment, older);
        }
        DeploymentStatus.update(objects(), type(), deployment, newest, sets);
    }

    /** The only set with pods, or the newest one if none has pods; with several, a paused Deployment is not scaled. */
    private void scaleOnly(ObjectNode deployment, Optional<ObjectNode> newest, List<ObjectNode> sets) {
        List<ObjectNode> active = sets.stream().filter(set -> replicas(set) > 0).toList();
        int desired = new RolloutPlan(deployment).desiredReplicas();
        if (active.size() == 1) {
            scale(deployment, active.get(0), desired);
        } else if (active.isEmpty()) {
            newest.ifPresent(set -> scale(deployment, set, desired));
        }
    }

    private static Optional<ObjectNode> newReplicaSet(ObjectNode deployment, List<ObjectNode> sets) {
        JsonNode template = deployment.path("spec").path("template");
        return sets.stream()
                .filter(set -> ControllerUtils.equalIgnoringHash(
                        template, set.path("spec").path("template")))
                .findFirst();
    }

    private void create(ObjectNode deployment, List<ObjectNode> older) {
        JsonNode template = deployment.path("spec").path("template");
        String hash = ControllerUtils.hash(
                template, deployment.path("status").path("collisionCount").asLong());
        ObjectNode set = Json.object();
        ObjectNode metadata = set.putObject("metadata");
        metadata.put("name", Json.text(deployment, "metadata", "name") + "-" + hash);
        metadata.put("namespace", Json.text(deployment, "metadata", "namespace"));
        ObjectNode labels = metadata.putObject("labels");
        template.path("metadata").path("labels").properties().forEach(l -> labels.set(l.getKey(), l.getValue()));
        labels.put(HASH, hash);
        Owners.setController(type(), deployment, set);
        ObjectNode spec = set.putObject("spec");
        spec.set("template", template.deepCopy());
        ControllerUtils.label((ObjectNode) spec.path("template"), HASH, hash);
        ObjectNode selector = deployment.path("spec").path("selector").deepCopy();
        Json.child(selector, "matchLabels").put(HASH, hash);
        spec.set("selector", selector);
        if (deployment.path("spec").path("minReadySeconds").asInt() > 0) {
            spec.set("minReadySeconds", deployment.path("spec").path("minReadySeconds"));
        }
        int replicas = new RolloutPlan(deployment).newReplicas(0, total(older));
        spec.put("replicas", replicas);
        annotate(deployment, set, nextRevision(older));
        objects().create(replicaSets, set).ifPresent(created -> {
            setRevision(deployment, ControllerUtils.annotation(created, REVISION));
            if (replicas > 0) {
                scaled(deployment, created, 0, replicas);
            }
        });
    }

    private static long nextRevision(List<ObjectNode> older) {
        return older.stream().mapToLong(DeploymentController::revision).max().orElse(0) + 1;
    }

    static long revision(JsonNode set) {
        String revision = ControllerUtils.annotation(set, REVISION);
        try {
            return revision.isEmpty() ? 0 : Long.parseLong(revision);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Fields that a ReplicaSet gets from its Deployment: annotations and replicas. */
    private static void annotate(ObjectNode deployment, ObjectNode set, long revision) {
        deployment.path("metadata").path("annotations").properties().forEach(annotation -> {
            String name = annotation.getKey();
            if (!name.equals(REVISION) && !name.equals("kubectl.kubernetes.io/last-applied-configuration")) {
                ControllerUtils.annotate(set, name, annotation.getValue().asText());
            }
        });
        RolloutPlan plan = new RolloutPlan(deployment);
        ControllerUtils.annotate(set, DESIRED, Integer.toString(plan.desiredReplicas()));
        ControllerUtils.annotate(set, MOST, Integer.toString(plan.desiredReplicas() + plan.surge()));
        ControllerUtils.annotate(set, REVISION, Long.toString(revision));
    }

    private void setRevision(ObjectNode deployment, String revision) {
        objects().change(type(), deployment, present -> ControllerUtils.annotate(present, REVISION, revision));
    }

    /** Makes the set with the current template the newest one, and moves pods towards it. */
    private void rollOut(ObjectNode deployment, ObjectNode set, List<ObjectNode> older) {
        long revision = Math.max(revision(set), nextRevision(older));
        RolloutPlan plan = new RolloutPlan(deployment);
        objects().change(replicaSets, set, present -> {
            annotate(deployment, present, revision);
            JsonNode minReady = deployment.path("spec").path("minReadySeconds");
            if (minReady.asInt() > 0) {
                ((ObjectNode) present.path("spec")).set("minReadySeconds", minReady);
            }
        });
        setRevision(deployment, Long.toString(revision));
        int have = replicas(set);
        if (plan.recreates()) {
            older.forEach(old -> scale(deployment, old, 0));
            if (older.stream().noneMatch(this::hasPods)) {
                scale(deployment, set, plan.desiredReplicas());
            }
            return;
        }
        if (total(older) == 0) {
            scale(deployment, set, plan.desiredReplicas());
            return;
        }
        int grown = plan.newReplicas(have, total(older));
        scale(deployment, set, Math.min(grown, plan.desiredReplicas()));
        if (grown == have) {
            scaleDownOldReplicaSets(deployment, set, older, plan);
        }
    }

    /** First unavailable pods, then as many others as may be unavailable. */
    private void scaleDownOldReplicaSets(
            ObjectNode deployment, ObjectNode set, List<ObjectNode> older, RolloutPlan plan) {
        int all = total(older) + replicas(set);
        int notYet = replicas(set) - available(set);
        int removable = all - (plan.desiredReplicas() - plan.unavailable()) - notYet;
        if (removable <= 0) {
            return;
        }
        for (ObjectNode old : older) {
            int broken = Math.min(removable, replicas(old) - Math.min(available(old), replicas(old)));
            if (broken > 0) {
                scale(deployment, old, replicas(old) - broken);
                return;
            }
        }
        int present = older.stream().mapToInt(DeploymentController::available).sum() + available(set);
        // The status of a set that was just scaled down can be outdated.
        int spare = Math.min(removable, present - (plan.desiredReplicas() - plan.unavailable()));
        for (ObjectNode old : older) {
            int fewer = Math.min(replicas(old), Math.max(0, spare));
            if (fewer > 0) {
                scale(deployment, old, replicas(old) - fewer);
                spare -= fewer;
            }
        }
    }

    private void scale(ObjectNode deployment, ObjectNode set, int replicas) {
        int before = replicas(set);
        if (before == replicas) {
            return;
        }
        objects()
                .change(replicaSets, set, present -> Json.child(present, "spec").put("replicas", replicas));
        scaled(deployment, set, before, replicas);
    }

    private void scaled(ObjectNode deployment, ObjectNode set, int before, int after) {
        events.normal(
                type(),
                deployment,
                "ScalingReplicaSet",
                "Scaled " + (after > before ? "up" : "down") + " replica set " + Json.text(set, "metadata", "name")
                        + " from " + before + " to " + after);
    }

    private boolean hasPods(ObjectNode set) {
        return objects().list(pods, ObjectKey.of(set).namespace()).stream()
                .anyMatch(pod -> Owners.controls(set, pod) && !PodStates.isFinished(pod));
    }

    private void cleanUpOldReplicaSets(ObjectNode deployment, List<ObjectNode> older) {
        int kept = deployment.path("spec").path("revisionHistoryLimit").asInt(10);
        List<ObjectNode> empty = older.stream()
                .filter(set -> replicas(set) == 0
                        && set.path("status").path("replicas").asInt() == 0)
                .sorted(Comparator.comparingLong(DeploymentController::revision))
                .toList();
        empty.stream()
                .limit(Math.max(0, empty.size() - kept))
                .forEach(set -> objects().delete(replicaSets, set));
    }

    static int replicas(JsonNode set) {
        return set.path("spec").path("replicas").asInt(1);
    }

    static int available(JsonNode set) {
        return set.path("status").path("availableReplicas").asInt();
    }

    static int total(List<ObjectNode> sets) {
        return sets.stream().mapToInt(DeploymentController::replicas).sum();
    }

    /** The status of a Deployment from its ReplicaSets (pkg/controller/deployment/sync.go, progress.go). */
    static final class DeploymentStatus {
        private DeploymentStatus() {}

        static void update(
                Clientset objects,
                ResourceType type,
                ObjectNode deployment,
                Optional<ObjectNode> newest,
                List<ObjectNode> sets) {
            RolloutPlan plan = new RolloutPlan(deployment);
            int total = sum(sets, "replicas");
            int available = sum(sets, "availableReplicas");
            int updated = newest.map(set -> set.path("status").path("replicas").asInt())
                    .orElse(0);
            String now = objects.time();
            objects.changeStatus(type, deployment, status -> {
                status.put(
                        "observedGeneration",
                        deployment.path("metadata").path("generation").asLong());
                Counts.put(status, "replicas", total);
                Counts.put(status, "updatedReplicas", updated);
                Counts.put(status, "readyReplicas", sum(sets, "readyReplicas"));
                Counts.put(status, "availableReplicas", available);
                Counts.put(status, "unavailableReplicas", Math.max(0, plan.desiredReplicas() - available));
                availability(status, available >= plan.desiredReplicas() - plan.unavailable(), now);
                if (newest.isPresent()) {
                    boolean complete = updated == plan.desiredReplicas()
                            && total == plan.desiredReplicas()
                            && available >= plan.desiredReplicas();
                    progress(status, Json.text(newest.get(), "metadata", "name"), complete, now);
                }
            });
        }

        private static int sum(List<ObjectNode> sets, String field) {
            return sets.stream()
                    .mapToInt(set -> set.path("status").path(field).asInt())
                    .sum();
        }

        private static void availability(ObjectNode status, boolean enough, String now) {
            Conditions.set(
                    status,
                    "Available",
                    enough ? "True" : "False",
                    enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                    "Deployment " + (enough ? "has" : "does not have") + " minimum availability.",
                    now,
                    "lastUpdateTime");
        }

        /** A complete Deployment stays complete when it is scaled: only a new template is progress. */
        private static void progress(ObjectNode status, String set, boolean complete, String now) {
            String done = "ReplicaSet \"" + set + "\" has successfully progressed.";
            boolean before =
                    Json.text(Conditions.find(status, "Progressing"), "message").equals(done);
            if (complete || before) {
                Conditions.set(status, "Progressing", "True", "NewReplicaSetAvailable", done, now, "lastUpdateTime");
            } else {
                Conditions.set(
                        status,
                        "Progressing",
                        "True",
                        "ReplicaSetUpdated",
                        "ReplicaSet \"" + set + "\" is progressing.",
                        now,
                        "lastUpdateTime");
            }
        }
    }

    /** The maximum numbers of additional and of unavailable pods during a rollout (deployment_util.go). */
    record RolloutPlan(int desiredReplicas, int surge, int unavailable, boolean recreates) {
        RolloutPlan(JsonNode deployment) {
            this(
                    deployment.path("spec"),
                    deployment.path("spec").path("replicas").asInt(1));
        }

        private RolloutPlan(JsonNode spec, int desired) {
            this(
                    spec.path("strategy"),
                    desired,
                    Json.text(spec, "strategy", "type").equals("Recreate"));
        }

        private RolloutPlan(JsonNode strategy, int desired, boolean recreates) {
            this(
                    desired,
                    recreates
                            ? 0
                            : IntOrPercent.of(strategy.path("rollingUpdate").path("maxSurge"), desired, true),
                    recreates ? 0 : unavailable(strategy.path("rollingUpdate"), desired),
                    recreates);
        }

        /** Both must not be zero, because the rollout could not start. */
        private static int unavailable(JsonNode rolling, int desired) {
            int surge = IntOrPercent.of(rolling.path("maxSurge"), desired, true);
            int unavailable = IntOrPercent.of(rolling.path("maxUnavailable"), desired, false);
            return Math.min(desired, surge == 0 && unavailable == 0 ? 1 : unavailable);
        }

        /** The allowed replicas of the newest set, which has {@code present} pods next to {@code older} ones. */
        int newReplicas(int present, int older) {
            if (recreates) {
                return older == 0 ? desiredReplicas : present;
            }
            int room = desiredReplicas + surge - present - older;
            return room <= 0 ? present : present + Math.min(room, Math.max(0, desiredReplicas - present));
        }
    }
}
