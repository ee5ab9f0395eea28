package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The checks of {@code preflight}. They read complete objects, because a scheduler does not read most of what an upgrade removes
 * (API versions, flags of other programs, annotations). The releases are those of the deprecation guide and the CSI migration of
 * Kubernetes. Not thread-safe.
 */
final class PreflightChecks {
    private static final String MASTER = "node-role.kubernetes.io/master";
    private static final String CONTROL_PLANE = "node-role.kubernetes.io/control-plane";
    private static final String AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods";
    private static final String LEADER = "control-plane.alpha.kubernetes.io/leader";

    /** The kinds of problems. The keys are stable: programs match on them. */
    enum Check {
        POLICY_FLAG("start policy-scheduler instead, with the same flags"),
        LOCK("use a leases lock: --leader-elect-resource-lock=leases"),
        BETA_LABEL("use the topology.kubernetes.io, node.kubernetes.io, or kubernetes.io label, and label all nodes"),
        IN_TREE_VOLUME("install the CSI driver on all nodes before the release in SINCE"),
        VOLUME_LIMIT("add MaxCSIVolumeCountPred, and check the limits in the CSINode objects"),
        AVOID_PODS("taint these nodes (PreferNoSchedule) if a default profile ever schedules the pods"),
        MASTER_LABEL("select node-role.kubernetes.io/control-plane"),
        MASTER_TAINT("also tolerate node-role.kubernetes.io/control-plane"),
        API_VERSION("change manifests and clients to the newer API version");

        private final String action;

        Check(String action) {
            this.action = action;
        }

        String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        String action() {
            return action;
        }
    }

    /**
     * Something that breaks.
     *
     * @param since the first release without it; for a label, the release that deprecates it; for a volume, the release that needs the CSI driver
     * @param value the flag, label, kind of volume, or API version
     * @param places the objects or the policy that have it: {@code Deployment shop/web}
     */
    record Finding(Check check, Release since, String value, List<String> places) {
        Finding {
            places = List.copyOf(places);
        }
    }

    /** Problems that a dump does not show, and how to check for them. */
    static final Map<String, String> REST = ImmutableMap.<String, String>builder()
            .put("extenders", "each extender of the policy is reachable from the new control plane")
            .put("manifests in Git and Helm", "no removed API version, label, or toleration is applied again")
            .put("cluster autoscaler, Karpenter", "they simulate the default plugins, not the policy: test a scale-up")
            .put("metrics and alerts", "names of kube-scheduler metrics and texts of events that alerts match")
            .put("new nodes", "they get every label that the policy names")
            .put("RBAC", "the manifests of this program are applied before its first start")
            .put("decisions", "validate --explain --release 1.N POLICY lists the effect of newer pod fields")
            .buildOrThrow();

    private static final Map<String, String> FLAGS = Map.of(
            "--policy-config-file", "1.23",
            "--policy-configmap", "1.23",
            "--policy-configmap-namespace", "1.23",
            "--use-legacy-policy-config", "1.23",
            "--algorithm-provider", "1.23");

    private static final Map<String, String> LOCKS = Map.of(
            "endpoints", "1.24",
            "configmaps", "1.24",
            "endpointsleases", "1.28",
            "configmapsleases", "1.28");

    /** Labels that are deprecated. New nodes may not have them. */
    private static final Set<String> BETA_LABELS = Set.of(
            "failure-domain.beta.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/region",
            "beta.kubernetes.io/instance-type",
            "beta.kubernetes.io/os",
            "beta.kubernetes.io/arch");

    /**
     * In-tree volumes, and the release from which their in-tree plugin does not work any more: the first one that passes them to a CSI
     * driver by default (CSI migration), or, without migration, the first one whose kubelet has no such plugin.
     */
    private static final Map<String, String> VOLUMES = ImmutableMap.<String, String>builder()
            .put("awsElasticBlockStore", "1.23")
            .put("azureDisk", "1.23")
            .put("azureFile", "1.24")
            .put("cephfs", "1.31")
            .put("cinder", "1.21")
            .put("flocker", "1.25")
            .put("gcePersistentDisk", "1.23")
            .put("glusterfs", "1.26")
            .put("quobyte", "1.25")
            .put("rbd", "1.31")
            .put("scaleIO", "1.22")
            .put("storageos", "1.25")
            .put("vsphereVolume", "1.25")
            .buildOrThrow();

    private static final Map<String, String> PROVISIONERS = Map.of(
            "kubernetes.io/aws-ebs", "1.23",
            "kubernetes.io/azure-disk", "1.23",
            "kubernetes.io/azure-file", "1.24",
            "kubernetes.io/cinder", "1.21",
            "kubernetes.io/gce-pd", "1.23",
            "kubernetes.io/glusterfs", "1.26",
            "kubernetes.io/rbd", "1.31",
            "kubernetes.io/vsphere-volume", "1.25");

    /** Limits of in-tree volumes, and the release that counts these volumes as those of a CSI driver by default. */
    private static final Map<String, String> LIMITS = Map.of(
            "MaxEBSVolumeCount", "1.23",
            "MaxAzureDiskVolumeCount", "1.23",
            "MaxCinderVolumeCount", "1.21",
            "MaxGCEPDVolumeCount", "1.23");

    /** API versions and the first release that does not serve them, by group version and kind. */
    private static final Map<String, String> API_VERSIONS = ImmutableMap.<String, String>builder()
            .put("policy/v1beta1 PodDisruptionBudget", "1.25")
            .put("policy/v1beta1 PodSecurityPolicy", "1.25")
            .put("batch/v1beta1 CronJob", "1.25")
            .put("scheduling.k8s.io/v1beta1 PriorityClass", "1.22")
            .put("storage.k8s.io/v1beta1 StorageClass", "1.22")
            .put("storage.k8s.io/v1beta1 CSINode", "1.22")
            .put("storage.k8s.io/v1beta1 CSIDriver", "1.22")
            .put("storage.k8s.io/v1beta1 VolumeAttachment", "1.22")
            .put("storage.k8s.io/v1beta1 CSIStorageCapacity", "1.27")
            .put("coordination.k8s.io/v1beta1 Lease", "1.22")
            .put("autoscaling/v2beta1 HorizontalPodAutoscaler", "1.25")
            .put("autoscaling/v2beta2 HorizontalPodAutoscaler", "1.26")
            .put("extensions/v1beta1 Ingress", "1.22")
            .put("networking.k8s.io/v1beta1 Ingress", "1.22")
            .put("rbac.authorization.k8s.io/v1beta1 ClusterRole", "1.22")
            .put("rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding", "1.22")
            .buildOrThrow();

    private record Key(Check check, String value) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int order = check.compareTo(other.check);
            return order == 0 ? value.compareTo(other.value) : order;
        }
    }

    private final Release target;
    private final String policyName;
    private final Map<Key, Release> since = new TreeMap<>();
    private final Map<Key, Set<String>> places = new TreeMap<>();
    private int objects;

    /**
     * Checks without findings yet.
     *
     * @param target release of the upgrade; removals in later releases are not reported
     * @param policyName the place of findings in the policy
     */
    PreflightChecks(Release target, String policyName) {
        this.target = target;
        this.policyName = policyName;
    }

    /** Checks a document with a policy. */
    void policy(JsonNode policy) {
        texts(policy, (field, text) -> {
            if (BETA_LABELS.contains(text)) {
                add(Check.BETA_LABEL, "1.17", text, policyName);
            }
            if (text.equals(MASTER)) {
                add(Check.MASTER_LABEL, "1.24", text, policyName);
            }
            if (field.equals("name") && LIMITS.containsKey(text)) {
                add(Check.VOLUME_LIMIT, LIMITS.getOrDefault(text, ""), text, policyName);
            }
        });
    }

    /** Checks an object, or each object of a list. */
    void object(JsonNode object) {
        if (object.path("kind").asText().endsWith("List")
                && object.path("items").isArray()) {
            object.path("items").forEach(this::object);
            return;
        }
        objects++;
        String kind = object.path("kind").asText();
        String namespace = object.path("metadata").path("namespace").asText();
        String place = kind + " " + (namespace.isEmpty() ? "" : namespace + "/")
                + object.path("metadata").path("name").asText();
        String version = object.path("apiVersion").asText() + " " + kind;
        String removed = API_VERSIONS.get(version);
        if (removed != null) {
            add(Check.API_VERSION, removed, version, place);
        }
        JsonNode annotations = object.path("metadata").path("annotations");
        switch (kind) {
            case "Node" -> {
                if (annotations.has(AVOID_PODS)) {
                    add(Check.AVOID_PODS, "1.23", "preferAvoidPods", place);
                }
            }
            case "Endpoints", "ConfigMap" -> {
                boolean ofScheduler =
                        object.path("metadata").path("name").asText().contains("scheduler");
                if (ofScheduler && annotations.has(LEADER)) {
                    add(Check.LOCK, "1.24", kind.toLowerCase(Locale.ROOT) + " lock", place);
                }
            }
            case "PersistentVolume" -> {
                volume(object.path("spec"), place);
                selected(object.path("spec").path("nodeAffinity"), place);
            }
            case "StorageClass" -> {
                String provisioner = object.path("provisioner").asText();
                add(Check.IN_TREE_VOLUME, PROVISIONERS.get(provisioner), provisioner, place);
            }
            case "CronJob" ->
                podSpec(
                        object.path("spec")
                                .path("jobTemplate")
                                .path("spec")
                                .path("template")
                                .path("spec"),
                        place);
            case "Pod" -> podSpec(object.path("spec"), place);
            default -> podSpec(object.path("spec").path("template").path("spec"), place);
        }
    }

    private void schedulerFlags(JsonNode container, String place) {
        List<String> words = new ArrayList<>();
        container.path("command").forEach(word -> words.add(word.asText()));
        container.path("args").forEach(word -> words.add(word.asText()));
        boolean ofStock = words.stream().anyMatch(word -> word.endsWith("kube-scheduler"));
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            int equals = word.indexOf('=');
            String flag = equals < 0 ? word : word.substring(0, equals);
            // The flag and its value can be two arguments.
            String value = equals >= 0 ? word.substring(equals + 1) : i + 1 < words.size() ? words.get(i + 1) : "";
            if (ofStock && FLAGS.containsKey(flag)) {
                add(Check.POLICY_FLAG, FLAGS.get(flag), flag, place);
            }
            if (flag.equals("--leader-elect-resource-lock")) {
                add(Check.LOCK, LOCKS.get(value), flag + "=" + value, place);
            }
        }
    }

    private void podSpec(JsonNode pod, String place) {
        pod.path("containers").forEach(container -> schedulerFlags(container, place));
        pod.path("volumes").forEach(volume -> volume(volume, place));
        selected(pod.path("nodeSelector"), place);
        selected(pod.path("affinity"), place);
        selected(pod.path("topologySpreadConstraints"), place);
        Set<String> tolerated = new LinkedHashSet<>();
        pod.path("tolerations")
                .forEach(toleration -> tolerated.add(toleration.path("key").asText()));
        if (tolerated.contains(MASTER) && !tolerated.contains(CONTROL_PLANE) && !tolerated.contains("")) {
            add(Check.MASTER_TAINT, "1.24", MASTER, place);
        }
    }

    /** Checks the labels in a selector, an affinity, or a constraint: as keys, or as values of {@code key} and {@code topologyKey}. */
    private void selected(JsonNode part, String place) {
        texts(part, (field, text) -> {
            for (String label : List.of(field, text)) {
                if (BETA_LABELS.contains(label)) {
                    add(Check.BETA_LABEL, "1.17", label, place);
                }
                if (label.equals(MASTER)) {
                    add(Check.MASTER_LABEL, "1.24", label, place);
                }
            }
        });
    }

    private void volume(JsonNode volume, String place) {
        VOLUMES.forEach((source, removed) -> {
            if (volume.has(source)) {
                add(Check.IN_TREE_VOLUME, removed, source, place);
            }
        });
    }

    /** Passes each text below a node with the name of its field; of an array, with the name of the field of the array. */
    private static void texts(JsonNode node, BiConsumer<String, String> found) {
        texts("", node, found);
    }

    private static void texts(String field, JsonNode node, BiConsumer<String, String> found) {
        if (node.isObject()) {
            node.properties().forEach(entry -> texts(entry.getKey(), entry.getValue(), found));
        } else if (node.isArray()) {
            node.forEach(item -> texts(field, item, found));
        } else if (node.isTextual()) {
            found.accept(field, node.asText());
        }
    }

    private void add(Check check, @Nullable String removed, String value, String place) {
        if (removed == null) {
            return;
        }
        Release release = Release.parse(removed);
        if (target.compareTo(release) >= 0) {
            Key key = new Key(check, value);
            since.put(key, release);
            places.computeIfAbsent(key, missing -> new LinkedHashSet<>()).add(place);
        }
    }

    /** Returns the findings in the order of the checks. */
    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        since.forEach((key, release) -> findings.add(
                new Finding(key.check(), release, key.value(), List.copyOf(places.getOrDefault(key, Set.of())))));
        return findings;
    }

    /** Returns the number of objects in the dump. */
    int objects() {
        return objects;
    }
}
