package io.policyscheduler.cmd.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.insight.lab.ClusterTrace.Arrival;
import io.policyscheduler.framework.insight.lab.TraceRun.PodLife;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes a dump of one moment of a run: the objects of the snapshot as in its files, with the nodes and the pods of that moment.
 */
final class MomentDump {
    private final Supplier<List<ObjectNode>> cluster;
    private final List<Path> templateFiles;
    private final Map<PodInfo, ObjectNode> described;
    private final Instant start;

    /**
     * @param cluster returns the objects of the snapshot
     * @param described objects of the templates that the arrivals describe themselves
     * @param start the instant of second 0
     */
    MomentDump(
            Supplier<List<ObjectNode>> cluster,
            List<Path> templateFiles,
            Map<PodInfo, ObjectNode> described,
            Instant start) {
        this.cluster = cluster;
        this.templateFiles = templateFiles;
        this.described = described;
        this.start = start;
    }

    /** Returns the objects of files. */
    static List<ObjectNode> objects(List<Path> files) {
        List<ObjectNode> objects = new ArrayList<>();
        for (Path file : files) {
            for (JsonNode document : ManifestFiles.read(file)) {
                if (document.path("items").isArray()) {
                    String kind = document.path("kind").asText();
                    for (JsonNode item : document.path("items")) {
                        ObjectNode object = item.deepCopy();
                        // Items of a PodList have no kind of their own.
                        if (!object.has("kind") && kind.endsWith("List") && !kind.equals("List")) {
                            object.put("kind", kind.substring(0, kind.length() - "List".length()));
                            object.put("apiVersion", document.path("apiVersion").asText());
                        }
                        objects.add(object);
                    }
                } else {
                    objects.add((ObjectNode) document);
                }
            }
        }
        return objects;
    }

    private static boolean isOf(ObjectNode object, String kind) {
        return object.path("kind").asText().equals(kind);
    }

    private static String key(ObjectNode pod) {
        return pod.at("/metadata/namespace").asText("default") + "/" + name(pod);
    }

    private static String name(ObjectNode object) {
        return object.at("/metadata/name").asText();
    }

    /**
     * Returns the dump.
     *
     * @param nodes that are there
     * @param pods that have not ended
     * @param warnings receives a line if pods are omitted
     */
    ObjectNode of(List<Node> nodes, List<PodLife> pods, Consumer<String> warnings) {
        Map<String, Node> present = nodes.stream().collect(Collectors.toMap(Node::name, node -> node));
        Map<String, ObjectNode> snapshotPods = new HashMap<>();
        Map<String, ObjectNode> templates = new HashMap<>();
        List<ObjectNode> workloads = new ArrayList<>();
        ObjectNode list =
                JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "List");
        ArrayNode items = list.putArray("items");
        for (ObjectNode recorded : cluster.get()) {
            ObjectNode object = recorded.deepCopy();
            if (isOf(object, "Pod")) {
                snapshotPods.put(key(object), object);
            } else if (!isOf(object, "Node")) {
                if (object.at("/spec/template/spec").isObject()) {
                    workloads.add(object);
                    stored(object);
                }
                items.add(object);
            } else if (present.containsKey(name(object))) {
                Node node = present.get(name(object));
                if (node != null && node.unschedulable()) {
                    object.withObject("/spec").put("unschedulable", true);
                }
                items.add(object);
            }
        }
        objects(templateFiles).stream()
                .filter(object -> isOf(object, "Pod"))
                .forEach(pod -> templates.put(name(pod), pod));
        int missing = 0;
        for (PodLife life : pods) {
            ObjectNode object = object(life, snapshotPods, templates, workloads);
            if (object == null) {
                missing++;
            } else {
                items.add(completed(object.deepCopy(), life));
            }
        }
        if (missing > 0) {
            warnings.accept(missing + " pods are omitted, because no file contains them or their workload");
        }
        return list;
    }

    private @Nullable ObjectNode object(
            PodLife life,
            Map<String, ObjectNode> snapshotPods,
            Map<String, ObjectNode> templates,
            List<ObjectNode> workloads) {
        Arrival arrival = life.arrival();
        PodInfo changed = life.changedTo();
        ObjectNode last = changed == null ? null : described.get(changed);
        if (arrival == null) {
            ObjectNode pod = snapshotPods.get(life.pod().key());
            if (pod != null && last != null) {
                ClusterRecorder.update(pod, last);
            }
            return pod != null ? pod : ofWorkload(life.pod(), workloads);
        }
        ObjectNode own = described.get(last == null ? arrival.template() : changed);
        if (own == null) {
            own = templates.get(arrival.template().name());
        }
        // The clone of a pod of the snapshot.
        if (own == null) {
            own = snapshotPods.get(arrival.template().key());
        }
        return own != null ? own : ofWorkload(arrival.template(), workloads);
    }

    /** The pods of a workload with a UID are already in the snapshot. */
    private static void stored(ObjectNode workload) {
        ObjectNode metadata = workload.withObject("/metadata");
        if (!metadata.has("uid")) {
            metadata.put("uid", workload.path("kind").asText() + "/" + key(workload))
                    .put("resourceVersion", "1");
        }
    }

    /** The pod of a workload's manifest; null if none owns it. */
    private static @Nullable ObjectNode ofWorkload(PodInfo pod, List<ObjectNode> workloads) {
        PodInfo.OwnerReference owner = pod.controller();
        if (owner == null) {
            return null;
        }
        for (ObjectNode workload : workloads) {
            boolean isOwner = isOf(workload, owner.kind()) && name(workload).equals(owner.name());
            // A Deployment owns the ReplicaSet that owns the pod.
            boolean isDeployment = isOf(workload, "Deployment")
                    && owner.kind().equals("ReplicaSet")
                    && owner.name().startsWith(name(workload) + "-");
            boolean sameNamespace =
                    workload.at("/metadata/namespace").asText("default").equals(pod.namespace());
            if (sameNamespace && (isOwner || isDeployment)) {
                ObjectNode object = JsonNodeFactory.instance
                        .objectNode()
                        .put("apiVersion", "v1")
                        .put("kind", "Pod");
                ObjectNode metadata = object.putObject("metadata");
                pod.labels().forEach(metadata.withObject("/labels")::put);
                metadata.putArray("ownerReferences")
                        .addObject()
                        .put("apiVersion", owner.apiVersion())
                        .put("kind", owner.kind())
                        .put("name", owner.name())
                        .put("uid", owner.uid())
                        .put("controller", true);
                object.set("spec", workload.at("/spec/template/spec").deepCopy());
                return object;
            }
        }
        return null;
    }

    private ObjectNode completed(ObjectNode object, PodLife life) {
        PodInfo pod = life.pod();
        ObjectNode metadata = object.withObject("/metadata");
        metadata.put("name", pod.name()).put("namespace", pod.namespace()).put("uid", pod.uid());
        if (life.arrival() != null) {
            metadata.put("creationTimestamp", instant(life.arrived()));
        }
        PodInfo.OwnerReference owner = pod.controller();
        for (JsonNode reference : metadata.path("ownerReferences")) {
            if (owner != null && reference.path("controller").asBoolean()) {
                // Clones have the template of another workload.
                ((ObjectNode) reference).put("name", owner.name()).put("uid", owner.uid());
            }
        }
        ObjectNode spec = object.withObject("/spec");
        ObjectNode status = object.withObject("/status");
        status.put("phase", pod.phase().isEmpty() ? "Pending" : pod.phase());
        if (life.node().isEmpty()) {
            spec.remove("nodeName");
        } else {
            spec.put("nodeName", life.node());
            if (life.arrival() != null && pod.startTimeMillis() != PodInfo.NO_TIME) {
                status.put(
                        "startTime",
                        Instant.ofEpochMilli(pod.startTimeMillis())
                                .truncatedTo(ChronoUnit.SECONDS)
                                .toString());
            }
        }
        if (!pod.nominatedNodeName().isEmpty() && life.node().isEmpty()) {
            status.put("nominatedNodeName", pod.nominatedNodeName());
        }
        return object;
    }

    private String instant(long nanos) {
        return start.plusNanos(nanos).truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
