package io.policyscheduler.cmd.embedded.controller.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ObjectKey;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.controller.core.ApiObjects;
import io.policyscheduler.cmd.embedded.controller.core.EventWriter;
import io.policyscheduler.cmd.embedded.controller.core.KeyedController;
import io.policyscheduler.cmd.embedded.controller.core.Owners;
import io.policyscheduler.cmd.embedded.controller.core.PodStates;
import io.policyscheduler.cmd.embedded.controller.core.PodTemplates;
import io.policyscheduler.cmd.embedded.controller.core.Tolerations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A pod on every node that a DaemonSet wants; the scheduler binds it, as its affinity says where (pkg/controller/daemon). */
public final class DaemonSetController extends KeyedController {
    private static final String GENERATION = "deprecated.daemonset.template.generation";

    private final ResourceType pods;
    private final ResourceType nodes;
    private final Revisions revisions;
    private final EventWriter events;

    public DaemonSetController(ApiObjects objects) {
        super(objects, "daemonsets.apps", "pods", "nodes");
        this.pods = objects.type("pods");
        this.nodes = objects.type("nodes");
        this.revisions = new Revisions(objects, type());
        this.events = new EventWriter(objects, "daemonset-controller");
    }

    @Override
    public void seeOther(ResourceType other, ObjectNode object) {
        if (other.equals(nodes)) {
            objects().list(type(), "").forEach(set -> look(ObjectKey.of(set)));
        } else {
            super.seeOther(other, object);
        }
    }

    @Override
    public void reconcile(ObjectNode set) {
        List<ObjectNode> owned = Owners.controlled(objects(), type(), set, pods);
        Optional<ObjectNode> revision = revisions.current(set, owned);
        if (revision.isEmpty() || ApiObjects.isDeleted(set)) {
            return;
        }
        String hash = Revisions.hash(revision.get());
        Map<String, List<ObjectNode>> byNode = new LinkedHashMap<>();
        for (ObjectNode pod : owned) {
            if (PodStates.isFinished(pod) && !ApiObjects.isDeleted(pod)) {
                delete(set, pod);
            }
            byNode.computeIfAbsent(target(pod), node -> new ArrayList<>()).add(pod);
        }
        ObjectNode sample = pod(set, hash, "");
        DaemonCount count = new DaemonCount(set, hash, objects().now());
        for (ObjectNode node : objects().list(nodes, "")) {
            String name = ObjectKey.of(node).name();
            List<ObjectNode> present = PodStates.active(byNode.getOrDefault(name, List.of()));
            boolean wanted = DaemonNodes.belongs(sample, node);
            count.node(wanted, present);
            if (wanted && byNode.getOrDefault(name, List.of()).isEmpty()) {
                create(set, hash, name);
            } else if (!DaemonNodes.mayStay(sample, node)) {
                present.forEach(pod -> delete(set, pod));
            } else {
                present.stream().skip(1).forEach(pod -> delete(set, pod));
            }
        }
        if (!Json.text(set, "spec", "updateStrategy", "type").equals("OnDelete")) {
            count.outdated().forEach(pod -> delete(set, pod));
        }
        count.nextAvailable().ifPresent(at -> lookAt(at, set));
        objects().changeStatus(type(), set, count::write);
        revisions.truncate(set, List.of(ObjectKey.of(revision.get()).name()));
    }

    /** The node on which a pod is or is to be. */
    private static String target(JsonNode pod) {
        String bound = Json.text(pod, "spec", "nodeName");
        if (!bound.isEmpty()) {
            return bound;
        }
        return pod.at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0"
                        + "/matchFields/0/values/0")
                .asText();
    }

    private ObjectNode pod(ObjectNode set, String hash, String node) {
        ObjectNode pod = PodTemplates.pod(type(), set, set.path("spec").path("template"));
        Json.child(pod, "metadata").put("generateName", Json.text(set, "metadata", "name") + "-");
        PodTemplates.label(pod, StatefulSetController.REVISION, hash);
        String generation = PodTemplates.annotation(set, GENERATION);
        if (!generation.isEmpty()) {
            PodTemplates.label(pod, "pod-template-generation", generation);
        }
        Tolerations.addOfDaemons(pod);
        if (!node.isEmpty()) {
            ObjectNode required = Json.child(
                    Json.child(Json.child(Json.child(pod, "spec"), "affinity"), "nodeAffinity"),
                    "requiredDuringSchedulingIgnoredDuringExecution");
            if (required.path("nodeSelectorTerms").isEmpty()) {
                required.putArray("nodeSelectorTerms").addObject();
            }
            for (JsonNode term : required.path("nodeSelectorTerms")) {
                ObjectNode field = ((ObjectNode) term).putArray("matchFields").addObject();
                field.put("key", "metadata.name").put("operator", "In");
                field.putArray("values").add(node);
            }
        }
        return pod;
    }

    private void create(ObjectNode set, String hash, String node) {
        objects()
                .create(pods, pod(set, hash, node))
                .ifPresent(created -> events.normal(
                        type(),
                        set,
                        "SuccessfulCreate",
                        "Created pod: " + ObjectKey.of(created).name()));
    }

    private void delete(ObjectNode set, ObjectNode pod) {
        objects().delete(pods, pod);
        events.normal(
                type(),
                set,
                "SuccessfulDelete",
                "Deleted pod: " + ObjectKey.of(pod).name());
    }
}
