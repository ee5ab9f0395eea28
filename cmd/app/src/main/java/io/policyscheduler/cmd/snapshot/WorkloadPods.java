package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * The objects that controllers create for the manifest of a workload: pods with the names, labels, and owners that they would have,
 * the ReplicaSet of a Deployment, and the claims of a StatefulSet. Ends of names that are random in a cluster depend on the manifest
 * here, so that a command prints the same names each time. Mirrors {@code pkg/controller}.
 */
final class WorkloadPods {
    /** Kinds of workloads, in all API groups and versions that had them. */
    static final Set<String> KINDS =
            Set.of("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob");

    private static final String ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
    private static final int SUFFIX = 5;

    private final ObjectNode workload;
    private final String kind;
    private final String name;
    private final String namespace;
    private final JsonNode spec;
    private final List<ObjectNode> created = new ArrayList<>();

    private WorkloadPods(ObjectNode workload) {
        this.workload = workload;
        this.kind = workload.path("kind").asText();
        JsonNode metadata = workload.path("metadata");
        this.name = metadata.path("name").asText(metadata.path("generateName").asText());
        this.namespace = metadata.path("namespace").asText(Dump.DEFAULT_NAMESPACE);
        this.spec = workload.path("spec");
    }

    /**
     * Returns what the controllers create, in their order.
     *
     * @param nodes the nodes of the cluster, which get a pod each of a DaemonSet
     */
    static List<ObjectNode> of(ObjectNode workload, List<Node> nodes) {
        WorkloadPods pods = new WorkloadPods(workload);
        pods.create(nodes);
        return List.copyOf(pods.created);
    }

    /** Whether a pod of the files belongs to the workload, so that its controllers have created the pods already. */
    static boolean owns(ObjectNode workload, ClusterObject object) {
        WorkloadPods pods = new WorkloadPods(workload);
        if (!(object instanceof PodInfo pod) || !pod.namespace().equals(pods.namespace)) {
            return false;
        }
        OwnerReference controller = pod.controller();
        if (controller == null) {
            return false;
        }
        return switch (pods.kind) {
            case "Deployment" ->
                controller.kind().equals("ReplicaSet") && controller.name().startsWith(pods.name + "-");
            case "CronJob" ->
                controller.kind().equals("Job") && controller.name().startsWith(pods.name + "-");
            default -> controller.kind().equals(pods.kind) && controller.name().equals(pods.name);
        };
    }

    /** Whether another workload owns this one, as a Deployment owns a ReplicaSet. */
    static boolean isPart(ObjectNode workload) {
        for (JsonNode owner : workload.at("/metadata/ownerReferences")) {
            if (owner.path("controller").asBoolean()) {
                return true;
            }
        }
        return false;
    }

    private void create(List<Node> nodes) {
        switch (kind) {
            case "Deployment" -> deployment();
            case "ReplicaSet", "ReplicationController" ->
                replicas(kind, workload.path("apiVersion").asText("apps/v1"), name, count("replicas", 1), Map.of());
            case "StatefulSet" -> statefulSet();
            case "DaemonSet" -> daemonSet(nodes);
            case "Job" -> job("batch/v1", name, spec);
            case "CronJob" ->
                job("batch/v1", name + "-0", spec.path("jobTemplate").path("spec"));
            default -> throw new IllegalArgumentException(kind);
        }
    }

    private int count(String field, int byDefault) {
        return Math.max(0, spec.path(field).asInt(byDefault));
    }

    private void deployment() {
        String hash = suffix(spec.path("template").toString(), 10);
        String replicaSet = name + "-" + hash;
        Map<String, String> label = Map.of("pod-template-hash", hash);
        ObjectNode set = object("apps/v1", "ReplicaSet", replicaSet, "Deployment", "apps/v1", name);
        ObjectNode own = set.putObject("spec");
        own.put("replicas", count("replicas", 1));
        ObjectNode template = template(spec.path("template"));
        JsonNode selector = spec.path("selector");
        ObjectNode selected = selector.isObject() ? selector.deepCopy() : JsonNodeFactory.instance.objectNode();
        if (selected.isEmpty()) {
            // Versions before apps/v1 default to the labels of the template.
            selected.set(
                    "matchLabels", child(child(template, "metadata"), "labels").deepCopy());
        }
        label.forEach((key, value) -> {
            child(selected, "matchLabels").put(key, value);
            child(child(template, "metadata"), "labels").put(key, value);
        });
        own.set("selector", selected);
        own.set("template", template);
        created.add(set);
        replicas("ReplicaSet", "apps/v1", replicaSet, count("replicas", 1), label);
    }

    private void replicas(String ownerKind, String version, String owner, int replicas, Map<String, String> labels) {
        for (int i = 0; i < replicas; i++) {
            pod(spec.path("template"), owner + "-" + suffix(owner + i, SUFFIX), ownerKind, version, owner, labels);
        }
    }

    private void statefulSet() {
        int first = spec.path("ordinals").path("start").asInt(0);
        for (int i = first; i < first + count("replicas", 1); i++) {
            String podName = name + "-" + i;
            Map<String, String> labels = new TreeMap<>();
            labels.put("statefulset.kubernetes.io/pod-name", podName);
            labels.put("apps.kubernetes.io/pod-index", String.valueOf(i));
            List<ObjectNode> volumes = new ArrayList<>();
            for (JsonNode claimTemplate : spec.path("volumeClaimTemplates")) {
                String volume = claimTemplate.path("metadata").path("name").asText();
                ObjectNode claim = template(claimTemplate);
                claim.put("apiVersion", "v1").put("kind", "PersistentVolumeClaim");
                child(claim, "metadata").put("name", volume + "-" + podName).put("namespace", namespace);
                created.add(claim);
                ObjectNode mounted = JsonNodeFactory.instance.objectNode().put("name", volume);
                mounted.putObject("persistentVolumeClaim").put("claimName", volume + "-" + podName);
                volumes.add(mounted);
            }
            ObjectNode pod = pod(spec.path("template"), podName, kind, "apps/v1", name, labels);
            volumes.forEach(list(child(pod, "spec"), "volumes")::add);
            child(pod, "spec").put("hostname", podName);
        }
    }

    private void daemonSet(List<Node> nodes) {
        ObjectNode template = template(spec.path("template"));
        ArrayNode tolerations = list(child(template, "spec"), "tolerations");
        for (String key : List.of("not-ready", "unreachable")) {
            tolerate(tolerations, key, "NoExecute");
        }
        for (String key : List.of("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")) {
            tolerate(tolerations, key, "NoSchedule");
        }
        for (Node node : nodes) {
            if (!selects(template.at("/spec/nodeSelector"), node.labels()) || repels(node, tolerations)) {
                continue;
            }
            ObjectNode pod =
                    pod(template, name + "-" + suffix(name + node.name(), SUFFIX), kind, "apps/v1", name, Map.of());
            ObjectNode nodeAffinity = child(child(child(pod, "spec"), "affinity"), "nodeAffinity");
            ObjectNode required = child(nodeAffinity, "requiredDuringSchedulingIgnoredDuringExecution");
            ArrayNode terms = list(required, "nodeSelectorTerms");
            if (terms.isEmpty()) {
                terms.addObject();
            }
            for (JsonNode term : terms) {
                if (term instanceof ObjectNode object) {
                    object.putArray("matchFields")
                            .addObject()
                            .put("key", "metadata.name")
                            .put("operator", "In")
                            .putArray("values")
                            .add(node.name());
                }
            }
        }
    }

    private static void tolerate(ArrayNode tolerations, String key, String effect) {
        tolerations
                .addObject()
                .put("key", "node.kubernetes.io/" + key)
                .put("operator", "Exists")
                .put("effect", effect);
    }

    private static boolean selects(JsonNode selector, Labels labels) {
        return selector.properties().stream()
                .allMatch(expected -> expected.getValue().asText().equals(labels.get(expected.getKey())));
    }

    private static boolean repels(Node node, JsonNode tolerations) {
        for (Taint taint : node.taints()) {
            if (taint.effect().equals("PreferNoSchedule")) {
                continue;
            }
            boolean tolerated = false;
            for (JsonNode toleration : tolerations) {
                String key = toleration.path("key").asText();
                String effect = toleration.path("effect").asText();
                boolean exists = toleration.path("operator").asText("Equal").equals("Exists");
                tolerated |= (key.equals(taint.key()) || (key.isEmpty() && exists))
                        && (effect.isEmpty() || effect.equals(taint.effect()))
                        && (exists || toleration.path("value").asText().equals(taint.value()));
            }
            if (!tolerated) {
                return true;
            }
        }
        return false;
    }

    private void job(String version, String job, JsonNode jobSpec) {
        int parallelism = jobSpec.path("parallelism").asInt(1);
        int completions = jobSpec.path("completions").asInt(parallelism);
        boolean indexed = jobSpec.path("completionMode").asText().equals("Indexed");
        for (int i = 0;
                i < Math.min(parallelism, completions)
                        && !jobSpec.path("suspend").asBoolean();
                i++) {
            Map<String, String> labels = new TreeMap<>(Map.of("job-name", job, "controller-uid", uid("Job", job)));
            String middle = "";
            if (indexed) {
                labels.put("batch.kubernetes.io/job-completion-index", String.valueOf(i));
                middle = "-" + i;
            }
            pod(jobSpec.path("template"), job + middle + "-" + suffix(job + i, SUFFIX), "Job", version, job, labels);
        }
    }

    /** A field that is an object, which is added if it is absent. A value of another type stays, and fails when the pod is read. */
    private static ObjectNode child(ObjectNode parent, String field) {
        JsonNode value = parent.path(field);
        return value.isMissingNode() || value.isNull()
                ? parent.putObject(field)
                : value instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode();
    }

    /** As {@link #child}, for a list. */
    private static ArrayNode list(ObjectNode parent, String field) {
        JsonNode value = parent.path(field);
        return value.isMissingNode() || value.isNull()
                ? parent.putArray(field)
                : value instanceof ArrayNode array ? array : JsonNodeFactory.instance.arrayNode();
    }

    private static ObjectNode template(JsonNode template) {
        return template.isObject() ? template.deepCopy() : JsonNodeFactory.instance.objectNode();
    }

    private ObjectNode pod(
            JsonNode template,
            String podName,
            String ownerKind,
            String ownerVersion,
            String owner,
            Map<String, String> labels) {
        ObjectNode pod = object("v1", "Pod", podName, ownerKind, ownerVersion, owner);
        JsonNode metadata = template.path("metadata");
        for (String field : List.of("labels", "annotations")) {
            if (metadata.path(field).isObject()) {
                child(pod, "metadata").set(field, metadata.path(field).deepCopy());
            }
        }
        labels.forEach((key, value) -> child(child(pod, "metadata"), "labels").put(key, value));
        pod.set("spec", template(template.path("spec")));
        created.add(pod);
        return pod;
    }

    private ObjectNode object(
            String version, String objectKind, String objectName, String ownerKind, String ownerVersion, String owner) {
        ObjectNode object =
                JsonNodeFactory.instance.objectNode().put("apiVersion", version).put("kind", objectKind);
        ObjectNode metadata =
                object.putObject("metadata").put("name", objectName).put("namespace", namespace);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", ownerVersion)
                .put("kind", ownerKind)
                .put("name", owner)
                .put("uid", uid(ownerKind, owner))
                .put("controller", true);
        return object;
    }

    private String uid(String ownerKind, String owner) {
        return ownerKind + "/" + namespace + "/" + owner;
    }

    /** An end of a name that is random in a cluster, and depends on the text here. */
    static String suffix(String text) {
        return suffix(text, SUFFIX);
    }

    private static String suffix(String text, int length) {
        CRC32 checksum = new CRC32();
        checksum.update(text.getBytes(StandardCharsets.UTF_8));
        long value = checksum.getValue();
        StringBuilder suffix = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            suffix.append(ALPHABET.charAt((int) (value % ALPHABET.length())));
            value = value / ALPHABET.length() + 7919L * (i + 1);
        }
        return suffix.toString();
    }
}
