package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Objects of the simulation, with quantities in a single format that is easy to add. */
public final class Manifests {
    static final String OURS = "policy-scheduler";
    static final String THEIRS = "other-scheduler";
    static final String NAMESPACE = "default";
    static final String OTHER_NAMESPACE = "other";
    static final String HOSTNAME = "kubernetes.io/hostname";
    static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    private static final String HOLD = "example.com/hold";

    private Manifests() {}

    static ObjectNode object(String apiVersion, String kind, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", apiVersion).put("kind", kind);
        object.putObject("metadata").put("name", name);
        return object;
    }

    static ObjectNode node(String name, int milliCpu, int mebiBytes, int pods) {
        ObjectNode node = object("v1", "Node", name);
        node.withObject("/metadata/labels").put(HOSTNAME, name);
        ObjectNode allocatable = node.withObject("/status/allocatable");
        allocatable.put("cpu", milliCpu + "m").put("memory", mebiBytes + "Mi").put("pods", String.valueOf(pods));
        node.withObject("/status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", "True");
        return node;
    }

    static ObjectNode pod(String name, String scheduler, int milliCpu, int mebiBytes, int priority, int grace) {
        ObjectNode pod = object("v1", "Pod", name);
        pod.withObject("/metadata").put("namespace", namespaceOf(name));
        ObjectNode spec = pod.putObject("spec");
        spec.put("schedulerName", scheduler).put("priority", priority).put("terminationGracePeriodSeconds", grace);
        ObjectNode container = spec.putArray("containers").addObject();
        container.put("name", "c").put("image", "i");
        container.withObject("/resources/requests").put("cpu", milliCpu + "m").put("memory", mebiBytes + "Mi");
        return pod;
    }

    /** The namespace of a pod. No two pods of a world have the same name. */
    static String namespaceOf(String pod) {
        return pod.startsWith("q") ? OTHER_NAMESPACE : NAMESPACE;
    }

    static String podPath(String pod) {
        return "/api/v1/namespaces/" + namespaceOf(pod) + "/pods/" + pod;
    }

    /** A deleted pod keeps its node until its finalizer is removed. */
    static void hold(ObjectNode pod) {
        pod.withObject("/metadata").putArray("finalizers").add(HOLD);
    }

    static boolean isHeld(ObjectNode pod) {
        return pod.path("metadata").path("finalizers").path(0).asText().equals(HOLD);
    }

    /** A deleted pod keeps its node until {@link #release}. */
    static void linger(ObjectNode pod) {
        pod.withObject("/metadata").putArray("finalizers").add("example.com/linger");
    }

    /** Removes the finalizers of a pod. Returns null if no kubelet has to end the deleted pod, as the API server does. */
    static @Nullable ObjectNode release(ObjectNode pod) {
        pod.withObject("/metadata").remove("finalizers");
        return isTerminating(pod) && nodeOf(pod).isEmpty() ? null : pod;
    }

    /** Keeps the pods away from a node that do not {@linkplain #tolerateReserved tolerate} its taint. */
    static ObjectNode reserved(ObjectNode node) {
        node.withObject("/spec")
                .putArray("taints")
                .addObject()
                .put("key", "reserved")
                .put("effect", "NoSchedule");
        return node;
    }

    static void tolerateReserved(ObjectNode pod) {
        pod.withObject("/spec")
                .putArray("tolerations")
                .addObject()
                .put("key", "reserved")
                .put("operator", "Exists");
    }

    static void gate(ObjectNode pod) {
        pod.withObject("/spec").putArray("schedulingGates").addObject().put("name", "example.com/later");
    }

    static boolean isGated(ObjectNode pod) {
        return !pod.path("spec").path("schedulingGates").isEmpty();
    }

    /** Lets a pod use more than the requests of its container. */
    static void grow(ObjectNode pod, RandomChoices random) {
        ObjectNode spec = pod.withObject("/spec");
        int kind = random.between(0, 5);
        if (kind == 0) {
            spec.putObject("overhead").put("cpu", "300m").put("memory", "128Mi");
        } else if (kind == 1) {
            ObjectNode sidecar = spec.putArray("initContainers").addObject();
            sidecar.put("name", "s").put("image", "i").put("restartPolicy", "Always");
            sidecar.withObject("/resources/requests").put("cpu", "400m").put("memory", "256Mi");
        } else if (kind == 2) {
            spec.withObject("/resources/requests").put("cpu", "1900m").put("memory", "2048Mi");
        }
    }

    static void spread(ObjectNode pod, String app) {
        term(pod, "podAntiAffinity", app);
    }

    static void near(ObjectNode pod, String app) {
        term(pod, "podAffinity", app);
    }

    /** Lets the last term of a pod select the pods of other namespaces. */
    static void elsewhere(ObjectNode term, boolean newer, RandomChoices random) {
        switch (newer ? random.between(0, 3) : 0) {
            case 0 -> term.putArray("namespaces").add(random.of(NAMESPACE, OTHER_NAMESPACE));
            case 1 -> term.withObject("/namespaceSelector/matchLabels").put("team", "ours");
            case 2 ->
                term.withObject("/namespaceSelector")
                        .putArray("matchExpressions")
                        .addObject()
                        .put("key", "kubernetes.io/metadata.name")
                        .put("operator", "NotIn")
                        .putArray("values")
                        .add(random.of(NAMESPACE, OTHER_NAMESPACE));
            default -> term.putObject("namespaceSelector");
        }
    }

    /** Returns the term, for {@link #elsewhere}. */
    static ObjectNode term(ObjectNode pod, String kind, String app) {
        ObjectNode term = pod.withObject("/spec/affinity/" + kind)
                .putArray("requiredDuringSchedulingIgnoredDuringExecution")
                .addObject();
        term.put("topologyKey", HOSTNAME);
        term.withObject("/labelSelector/matchLabels").put("app", app);
        return term;
    }

    static void hostPort(ObjectNode pod, int port) {
        ObjectNode container = (ObjectNode) pod.path("spec").path("containers").get(0);
        container
                .putArray("ports")
                .addObject()
                .put("containerPort", port)
                .put("hostPort", port)
                .put("protocol", "TCP");
    }

    static ObjectNode storageClass(String name, String provisioner) {
        return object("storage.k8s.io/v1", "StorageClass", name)
                .put("provisioner", provisioner)
                .put("volumeBindingMode", "WaitForFirstConsumer");
    }

    static ObjectNode volume(String name, String node, String storageClass) {
        ObjectNode volume = object("v1", "PersistentVolume", name);
        ObjectNode spec = volume.putObject("spec");
        spec.put("storageClassName", storageClass);
        spec.putObject("capacity").put("storage", "1Gi");
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.putObject("local").put("path", "/mnt");
        ObjectNode expression = spec.withObject("/nodeAffinity/required")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchExpressions")
                .addObject();
        expression.put("key", HOSTNAME).put("operator", "In").putArray("values").add(node);
        return volume;
    }

    static ObjectNode claimObject(String name, String storageClass) {
        ObjectNode claim = object("v1", "PersistentVolumeClaim", name);
        claim.withObject("/metadata").put("namespace", NAMESPACE);
        ObjectNode spec = claim.putObject("spec");
        spec.put("storageClassName", storageClass);
        spec.putArray("accessModes").add("ReadWriteOnce");
        spec.withObject("/resources/requests").put("storage", "1Gi");
        return claim;
    }

    static ObjectNode budget(String name, String app, int allowed) {
        ObjectNode budget = object("policy/v1", "PodDisruptionBudget", name);
        budget.withObject("/metadata").put("namespace", NAMESPACE);
        budget.withObject("/spec").put("minAvailable", 1);
        budget.withObject("/spec/selector/matchLabels").put("app", app);
        budget.withObject("/status").put("disruptionsAllowed", allowed);
        return budget;
    }

    static String text(JsonNode object, String... path) {
        JsonNode at = object;
        for (String name : path) {
            at = at.path(name);
        }
        return at.asText("");
    }

    static String uid(JsonNode object) {
        return text(object, "metadata", "uid");
    }

    static String name(JsonNode object) {
        return text(object, "metadata", "name");
    }

    static String nodeOf(JsonNode pod) {
        return text(pod, "spec", "nodeName");
    }

    static boolean isFinished(JsonNode pod) {
        String phase = text(pod, "status", "phase");
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    static boolean isTerminating(JsonNode object) {
        return object.path("metadata").has("deletionTimestamp");
    }

    static boolean isOurs(JsonNode pod) {
        return text(pod, "spec", "schedulerName").equals(OURS);
    }

    /** Returns the number before {@code m} or {@code Mi}. */
    static int number(JsonNode quantity) {
        String text = quantity.asText("0");
        int end = 0;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        return end == 0 ? 0 : Integer.parseInt(text.substring(0, end));
    }
}
