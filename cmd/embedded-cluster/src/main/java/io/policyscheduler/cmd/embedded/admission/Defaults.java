package io.policyscheduler.cmd.embedded.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.cmd.embedded.api.StoredObjects;
import io.policyscheduler.engine.cluster.release.ComponentChange;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.resource.PodResources.QosClass;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.engine.creation.ObjectCreation;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The API server's defaults of workloads (pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go, their strategies). */
final class Defaults {
    private static final String DAEMON_GENERATION = "deprecated.daemonset.template.generation";

    private Defaults() {}

    /**
     * Completes an object in place; no effect on other kinds.
     *
     * @param release whose fields are kept
     * @param isNew whether a Job gets the selector and labels that are generated
     */
    static void complete(String resource, ObjectNode object, Release release, boolean isNew) {
        switch (resource) {
            case "deployments.apps" -> {
                ObjectNode spec = withTemplate(object, release);
                number(spec, "replicas", 1);
                number(spec, "revisionHistoryLimit", 10);
                number(spec, "progressDeadlineSeconds", 600);
                ObjectNode strategy = Json.child(spec, "strategy");
                Json.putIfAbsent(strategy, "type", "RollingUpdate");
                if (Json.text(strategy, "type").equals("RollingUpdate")) {
                    ObjectNode rolling = Json.child(strategy, "rollingUpdate");
                    for (String most : List.of("maxSurge", "maxUnavailable")) {
                        if (Json.at(rolling, most).isMissingNode()) {
                            rolling.put(most, "25%");
                        }
                    }
                }
            }
            case "replicasets.apps" -> number(withTemplate(object, release), "replicas", 1);
            case "replicationcontrollers" -> {
                boolean hasTemplate = object.path("spec").path("template").isObject();
                ObjectNode spec = withTemplate(object, release);
                number(spec, "replicas", 1);
                if (!hasTemplate) {
                    spec.remove("template");
                }
            }
            case "statefulsets.apps" -> statefulSet(withTemplate(object, release), release);
            case "daemonsets.apps" -> {
                ObjectNode spec = withTemplate(object, release);
                number(spec, "revisionHistoryLimit", 10);
                ObjectNode strategy = Json.child(spec, "updateStrategy");
                Json.putIfAbsent(strategy, "type", "RollingUpdate");
                if (Json.text(strategy, "type").equals("RollingUpdate")) {
                    number(Json.child(strategy, "rollingUpdate"), "maxUnavailable", 1);
                    if (ComponentChange.DAEMON_SET_SURGE.in(release)) {
                        number(Json.child(strategy, "rollingUpdate"), "maxSurge", 0);
                    }
                }
                ObjectNode annotations = Json.child(Json.child(object, "metadata"), "annotations");
                Json.putIfAbsent(annotations, DAEMON_GENERATION, "1");
            }
            case "jobs.batch" -> job(object, release, isNew);
            case "cronjobs.batch" -> {
                ObjectNode spec = Json.child(object, "spec");
                Json.putIfAbsent(spec, "concurrencyPolicy", "Allow");
                flag(spec, "suspend");
                number(spec, "successfulJobsHistoryLimit", 3);
                number(spec, "failedJobsHistoryLimit", 1);
                if (!release.atLeast(25)) {
                    spec.remove("timeZone");
                }
                JobValidation.complete(withTemplate(Json.child(spec, "jobTemplate"), release), release);
                Json.child(object, "status");
            }
            case "csidrivers.storage.k8s.io" -> driver(Json.child(object, "spec"), release);
            case "nodes" -> ranges(Json.child(object, "spec"), release);
            case "persistentvolumeclaims" -> {
                if (!isKnownSource(object.path("spec").path("dataSource"))) {
                    Json.child(object, "spec").remove("dataSource");
                }
            }
            default -> {}
        }
    }

    private static void driver(ObjectNode spec, Release release) {
        if (!Json.at(spec, "attachRequired").isBoolean()) {
            spec.put("attachRequired", true);
        }
        flag(spec, "podInfoOnMount");
        if (spec.path("volumeLifecycleModes").isEmpty()) {
            Json.list(spec, "volumeLifecycleModes").add("Persistent");
        }
        if (release.atLeast(20) && Json.at(spec, "fsGroupPolicy").isMissingNode()) {
            spec.put("fsGroupPolicy", "ReadWriteOnceWithFSType");
        }
        // The gates CSIStorageCapacity and CSIServiceAccountToken are on since 1.21.
        if (release.atLeast(21)) {
            flag(spec, "storageCapacity");
            flag(spec, "requiresRepublish");
        } else {
            spec.remove(List.of("storageCapacity", "requiresRepublish"));
        }
    }

    /** One of the two fields with the ranges of a node's pods is the first element of the other one. */
    private static void ranges(ObjectNode spec, Release release) {
        String first = Json.text(spec, "podCIDR");
        if (!first.isEmpty() && !first.equals(spec.path("podCIDRs").path(0).asText())) {
            spec.remove("podCIDRs");
            Json.list(spec, "podCIDRs").add(first);
        } else if (!spec.path("podCIDRs").isEmpty()) {
            spec.put("podCIDR", spec.path("podCIDRs").path(0).asText());
        }
        // The gate IPv6DualStack is on since 1.21.
        if (!release.atLeast(21) && spec.path("podCIDRs").size() > 1) {
            spec.putArray("podCIDRs").add(Json.text(spec, "podCIDR"));
        }
    }

    /** The API server drops the other sources of a claim. */
    private static boolean isKnownSource(JsonNode source) {
        String group = Json.text(source, "apiGroup");
        return switch (Json.text(source, "kind")) {
            case "PersistentVolumeClaim" -> group.isEmpty();
            case "VolumeSnapshot" -> group.equals("snapshot.storage.k8s.io");
            default -> false;
        };
    }

    /** Completes the group of the role and the users of a binding (pkg/apis/rbac/v1/defaults.go). */
    static void references(ResourceType type, ObjectNode object) {
        String group = type.group();
        if (!type.plural().endsWith("rolebindings") || !group.equals("rbac.authorization.k8s.io")) {
            return;
        }
        Json.putIfAbsent(Json.child(object, "roleRef"), "apiGroup", group);
        for (JsonNode subject : object.path("subjects")) {
            boolean isUser = List.of("User", "Group").contains(Json.text(subject, "kind"));
            if (isUser
                    && subject instanceof ObjectNode user
                    && Json.text(user, "apiGroup").isEmpty()) {
                user.put("apiGroup", group);
            }
        }
    }

    /** Adds the fields of a new object's status that the API server does not omit when they are zero. */
    static void emptyStatus(ResourceType type, ObjectNode object) {
        @Nullable
        List<String> counts = switch (type.qualifiedName()) {
            case "deployments.apps", "jobs.batch" -> List.of();
            case "replicasets.apps", "statefulsets.apps", "replicationcontrollers" -> List.of("replicas");
            case "daemonsets.apps" ->
                List.of("currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled", "numberReady");
            case "poddisruptionbudgets.policy" ->
                List.of("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods");
            default -> null;
        };
        if (counts != null) {
            ObjectNode status = Json.child(object, "status");
            counts.forEach(count -> number(status, count, 0));
        }
    }

    /** Moves the texts of a Secret to its data. */
    static void mergeTexts(ObjectNode secret) {
        JsonNode texts = secret.path("stringData");
        texts.properties().forEach(text -> {
            byte[] bytes = text.getValue().asText().getBytes(StandardCharsets.UTF_8);
            Json.child(secret, "data").put(text.getKey(), Base64.getEncoder().encodeToString(bytes));
        });
        secret.remove("stringData");
    }

    private static ObjectNode withTemplate(ObjectNode object, Release release) {
        ObjectNode spec = Json.child(object, "spec");
        ObjectNode template = Json.child(spec, "template");
        Json.child(template, "metadata");
        if (template.path("spec") instanceof ObjectNode podSpec) {
            NewerPodFields.drop(podSpec, release);
        }
        Rules rules = Rules.of(FeatureGates.defaults().at(release));
        new ObjectCreation(rules, Objects.NONE, null).templateDefaults(template);
        return spec;
    }

    private static void statefulSet(ObjectNode spec, Release release) {
        number(spec, "replicas", 1);
        number(spec, "revisionHistoryLimit", 10);
        Json.putIfAbsent(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = Json.child(spec, "updateStrategy");
        Json.putIfAbsent(strategy, "type", "RollingUpdate");
        if (Json.text(strategy, "type").equals("RollingUpdate")) {
            number(Json.child(strategy, "rollingUpdate"), "partition", 0);
        }
        if (ComponentChange.CLAIM_RETENTION_POLICY.in(release)) {
            ObjectNode retention = Json.child(spec, "persistentVolumeClaimRetentionPolicy");
            Json.putIfAbsent(retention, "whenDeleted", "Retain");
            Json.putIfAbsent(retention, "whenScaled", "Retain");
        }
    }

    /** A Job without a selector selects its pods by its own UID. */
    private static void job(ObjectNode job, Release release, boolean isNew) {
        ObjectNode spec = withTemplate(job, release);
        boolean alone = !spec.has("completions") && !spec.has("parallelism");
        if (alone) {
            spec.put("completions", 1);
        }
        number(spec, "parallelism", 1);
        JobValidation.complete(spec, release);
        number(spec, "backoffLimit", spec.has("backoffLimitPerIndex") ? Integer.MAX_VALUE : 6);
        if (ComponentChange.JOB_COMPLETION_MODE.in(release)) {
            Json.putIfAbsent(spec, "completionMode", "NonIndexed");
            flag(spec, "suspend");
        }
        if (ComponentChange.POD_REPLACEMENT_POLICY.in(release)) {
            Json.putIfAbsent(
                    spec, "podReplacementPolicy", spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
        }
        if (ComponentChange.MANUAL_SELECTOR_DEFAULT.in(release)) {
            flag(spec, "manualSelector");
        }
        JsonNode podLabels = spec.path("template").path("metadata").path("labels");
        if (!isNew && job.path("metadata").path("labels").isEmpty() && !podLabels.isEmpty()) {
            Json.child(job, "metadata").set("labels", podLabels.deepCopy());
        }
        String uid = Json.text(job, "metadata", "uid");
        if (!isNew || spec.path("manualSelector").asBoolean()) {
            return;
        }
        boolean hasPrefix = ComponentChange.JOB_LABEL_PREFIX.in(release);
        String selected = hasPrefix ? "batch.kubernetes.io/controller-uid" : "controller-uid";
        Json.child(Json.child(spec, "selector"), "matchLabels").put(selected, uid);
        // Labels that the manifest has are validated instead.
        ObjectNode labels = Json.child(Json.child(Json.child(spec, "template"), "metadata"), "labels");
        String name = Json.text(job, "metadata", "name");
        for (String prefix : hasPrefix ? List.of("", "batch.kubernetes.io/") : List.of("")) {
            Json.putIfAbsent(labels, prefix + "controller-uid", uid);
            Json.putIfAbsent(labels, prefix + "job-name", name);
        }
        // A Job without labels gets those of its pods.
        ObjectNode metadata = Json.child(job, "metadata");
        if (metadata.path("labels").isEmpty()) {
            metadata.set("labels", labels.deepCopy());
        }
    }

    private static void number(ObjectNode parent, String name, int value) {
        if (!parent.path(name).isValueNode() || parent.path(name).isNull()) {
            parent.put(name, value);
        }
    }

    private static void flag(ObjectNode parent, String name) {
        if (!parent.path(name).isBoolean()) {
            parent.put(name, false);
        }
    }

    /** Whether a change of the spec changes the pod template of a DaemonSet; its annotation counts these changes. */
    static void count(ObjectNode present, ObjectNode proposed) {
        if (!present.path("spec").path("template").equals(proposed.path("spec").path("template"))) {
            String before = Json.text(present, "metadata", "annotations", DAEMON_GENERATION);
            long next = before.isEmpty() ? 1 : Long.parseLong(before) + 1;
            Json.child(Json.child(proposed, "metadata"), "annotations").put(DAEMON_GENERATION, Long.toString(next));
        }
    }

    /** The API server's defaults of services, with an address of the cluster's range (pkg/registry/core/service). */
    static final class ServiceDefaults {
        /** The size of the range 10.96.0.0/16 without its first address, which is the API server's. */
        private static final int ADDRESSES = 65_534;

        private static final String POLICY = "externalTrafficPolicy";
        /** A cluster has addresses of one family. */
        private static final String OTHER_FAMILY = "IPv6";

        private final StoredObjects store;
        private final ResourceType services;
        private final Release release;

        /**
         * Defaults of services.
         *
         * @param release whose fields are kept
         */
        ServiceDefaults(StoredObjects store, ResourceType services, Release release) {
            this.store = store;
            this.services = services;
            this.release = release;
        }

        /** Completes a new service in place. */
        void complete(ObjectNode service) {
            ObjectNode spec = Json.child(service, "spec");
            fields(spec);
            Json.child(Json.child(service, "status"), "loadBalancer");
            boolean isOther = ComponentChange.IP_FAMILIES.in(release)
                    && Json.text(spec, "clusterIP").isEmpty()
                    && spec.path("ipFamilies").path(0).asText().equals(OTHER_FAMILY);
            if (!isNamed(spec) && !isOther) {
                Json.putIfAbsent(spec, "clusterIP", freeAddress());
                addressFamilies(spec);
            } else if (ComponentChange.CLUSTER_IPS.in(release) && spec.has("clusterIP")) {
                Json.list(spec, "clusterIPs").add(Json.text(spec, "clusterIP"));
            }
        }

        /** Completes a changed service in place: absent addresses are those of the stored one. */
        void change(ObjectNode present, ObjectNode proposed) {
            JsonNode before = present.path("spec");
            ObjectNode spec = Json.child(proposed, "spec");
            boolean isExposed = allocatesNodePorts(spec);
            if (allocatesNodePorts(before) && !isExposed && before.path(POLICY).equals(spec.path(POLICY))) {
                spec.remove(POLICY);
            }
            fields(spec);
            if (isNamed(spec)) {
                releaseAddress(before, spec);
            } else if (isNamed(before)) {
                Json.putIfAbsent(spec, "clusterIP", freeAddress());
                addressFamilies(spec);
            } else if (ComponentChange.KEPT_SERVICE_ADDRESS.in(release)) {
                Json.putIfAbsent(spec, "clusterIP", Json.text(before, "clusterIP"));
                if (spec.path("clusterIPs").isEmpty() && before.has("clusterIPs")) {
                    spec.set("clusterIPs", before.path("clusterIPs").deepCopy());
                }
                sameAddress(before, spec);
                addressFamilies(spec);
            } else {
                sameAddress(before, spec);
            }
        }

        /** A service that gets a name loses the address that it had. */
        private static void releaseAddress(JsonNode before, ObjectNode spec) {
            if (!isNamed(before)
                    && before.path("clusterIP").equals(spec.path("clusterIP"))
                    && before.path("clusterIPs").equals(spec.path("clusterIPs"))) {
                spec.remove(List.of("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"));
            }
        }

        /** Mirrors {@code NormalizeClusterIPs}: clients that do not write {@code clusterIPs} change {@code clusterIP} only. */
        private static void sameAddress(JsonNode before, ObjectNode spec) {
            boolean isSame = Json.text(before, "clusterIP").equals(Json.text(spec, "clusterIP"));
            boolean hasSameList = before.path("clusterIPs").equals(spec.path("clusterIPs"));
            if (isSame && spec.path("clusterIPs").isEmpty() && before.has("clusterIPs")) {
                spec.set("clusterIPs", before.path("clusterIPs").deepCopy());
            } else if (!isSame && hasSameList && Json.text(spec, "clusterIP").isEmpty()) {
                spec.remove("clusterIPs");
            } else if (!isSame && hasSameList && before.has("clusterIPs")) {
                spec.putArray("clusterIPs").add(Json.text(spec, "clusterIP"));
            }
        }

        private static boolean isNamed(JsonNode spec) {
            return Json.text(spec, "type").equals("ExternalName");
        }

        /**
         * Takes the address of a new service.
         *
         * @throws StatusError if another service has it
         */
        void allocate(ObjectNode service) {
            String address = Json.text(service, "spec", "clusterIP");
            String family = service.path("spec").path("ipFamilies").path(0).asText();
            if (address.isEmpty() && ComponentChange.IP_FAMILIES.in(release) && family.equals(OTHER_FAMILY)) {
                throw invalid(service, "spec.ipFamilies[0]", "\"" + family + "\": not configured on this cluster");
            }
            Set<Integer> ports = new HashSet<>();
            boolean isTaken = false;
            for (ObjectNode other : store.list(services, "").items()) {
                isTaken |= !address.isEmpty()
                        && !address.equals("None")
                        && Json.text(other, "spec", "clusterIP").equals(address);
                other.path("spec").path("ports").forEach(port -> ports.add(nodePort(port)));
            }
            if (isTaken) {
                boolean isOld = !ComponentChange.KEPT_SERVICE_ADDRESS.in(release);
                String why = isOld
                        ? "failed to allocated ip:" + address + " with error:"
                        : "failed to allocate IP " + address + ": ";
                throw invalid(
                        service,
                        "spec.clusterIPs",
                        "[\"" + address + "\"]: " + why + "provided IP is already allocated");
            }
            JsonNode own = service.path("spec").path("ports");
            for (int i = 0; i < own.size(); i++) {
                int port = nodePort(own.path(i));
                if (port != 0 && !ports.add(port)) {
                    throw invalid(
                            service, "spec.ports[" + i + "].nodePort", port + ": provided port is already allocated");
                }
            }
        }

        private static int nodePort(JsonNode port) {
            return port.path("nodePort").asInt();
        }

        private StatusError invalid(ObjectNode service, String field, String message) {
            return StatusError.invalid(
                    services,
                    Json.text(service, "metadata", "name"),
                    List.of(new Cause(field, "FieldValueInvalid", "Invalid value: " + message)));
        }

        /** Until 1.33, only the type counted. */
        private boolean allocatesNodePorts(JsonNode spec) {
            String type = Json.text(spec, "type");
            return List.of("NodePort", "LoadBalancer").contains(type)
                    || (ComponentChange.UPDATE_VALIDATION.in(release)
                            && List.of("", "ClusterIP").contains(type)
                            && !spec.path("externalIPs").isEmpty());
        }

        private void fields(ObjectNode spec) {
            Json.putIfAbsent(spec, "type", "ClusterIP");
            Json.putIfAbsent(spec, "sessionAffinity", "None");
            if (Json.text(spec, "sessionAffinity").equals("None")) {
                spec.remove("sessionAffinityConfig");
            }
            if (allocatesNodePorts(spec)) {
                Json.putIfAbsent(spec, POLICY, "Cluster");
            }
            for (JsonNode port : spec.path("ports")) {
                if (port instanceof ObjectNode object) {
                    Json.putIfAbsent(object, "protocol", "TCP");
                    JsonNode target = object.path("targetPort");
                    if (target.isMissingNode()
                            || target.asText().isEmpty()
                            || target.asText().equals("0")) {
                        object.set("targetPort", object.path("port"));
                    }
                }
            }
        }

        private void addressFamilies(ObjectNode spec) {
            if (ComponentChange.INTERNAL_TRAFFIC_POLICY.in(release)) {
                Json.putIfAbsent(spec, "internalTrafficPolicy", "Cluster");
            }
            if (ComponentChange.CLUSTER_IPS.in(release) && !spec.has("clusterIPs")) {
                spec.putArray("clusterIPs").add(Json.text(spec, "clusterIP"));
            }
            if (!ComponentChange.IP_FAMILIES.in(release)) {
                return;
            }
            Json.putIfAbsent(spec, "ipFamilyPolicy", "SingleStack");
            if (!spec.has("ipFamilies")) {
                spec.putArray("ipFamilies").add("IPv4");
            }
        }

        private String freeAddress() {
            Set<String> taken = store.list(services, "").items().stream()
                    .map(service -> Json.text(service, "spec", "clusterIP"))
                    .collect(Collectors.toSet());
            for (int i = 2; i <= ADDRESSES; i++) {
                String address = "10.96." + (i >> 8) + "." + (i & 0xFF);
                if (!taken.contains(address)) {
                    return address;
                }
            }
            return "None";
        }
    }

    /** The API server's defaults of a pod that no decision reads (admission ServiceAccount, the pod's strategy). */
    static final class PodDefaults {
        private static final List<String> CONTAINER_LISTS = List.of("containers", "initContainers");

        private PodDefaults() {}

        /** Completes a pod in place, after its other defaults. */
        static void complete(ObjectNode pod) {
            ObjectNode spec = Json.child(pod, "spec");
            Json.putIfAbsent(spec, "serviceAccountName", "default");
            Json.putIfAbsent(spec, "serviceAccount", Json.text(spec, "serviceAccountName"));
            ObjectNode status = Json.child(pod, "status");
            Json.putIfAbsent(status, "phase", "Pending");
            Json.putIfAbsent(status, "qosClass", qosClass(spec));
            if (!spec.path("schedulingGates").isEmpty() && !status.has("conditions")) {
                status.putArray("conditions")
                        .addObject()
                        .put("type", "PodScheduled")
                        .put("status", "False")
                        .put("reason", "SchedulingGated")
                        .put("message", "Scheduling is blocked due to non-empty scheduling gates")
                        .putNull("lastProbeTime")
                        .putNull("lastTransitionTime");
            }
        }

        /** Releases without pod-level resources have removed them already. */
        private static String qosClass(ObjectNode spec) {
            QosClass qos = new QosClass();
            if (spec.path("resources").isObject()) {
                add(spec, qos);
            } else {
                CONTAINER_LISTS.forEach(list -> spec.path(list).forEach(container -> add(container, qos)));
            }
            return qos.text();
        }

        private static void add(JsonNode parent, QosClass qos) {
            qos.add(
                    amount(parent, "requests", "cpu").milliValue(),
                    amount(parent, "limits", "cpu").milliValue(),
                    amount(parent, "requests", "memory").value(),
                    amount(parent, "limits", "memory").value());
        }

        private static Quantity amount(JsonNode parent, String list, String resource) {
            String text = Json.text(parent, "resources", list, resource);
            try {
                return Quantity.parse(text.isEmpty() ? "0" : text);
            } catch (IllegalArgumentException e) {
                return Quantity.parse("0");
            }
        }

        /** The containers of all kinds, with the path of each. */
        static Map<String, JsonNode> containers(JsonNode spec) {
            Map<String, JsonNode> result = new LinkedHashMap<>();
            for (String list : CONTAINER_LISTS) {
                for (int i = 0; i < spec.path(list).size(); i++) {
                    result.put("spec." + list + "[" + i + "]", spec.path(list).get(i));
                }
            }
            return result;
        }
    }

    /**
     * Fields of pods, with the first release whose API server keeps each of them; others drop it ({@code pkg/api/pod/util.go}).
     */
    static final class NewerPodFields {
        private static final ImmutableMap<String, Integer> SPEC = ImmutableMap.<String, Integer>builder()
                .put("topologySpreadConstraints", 18)
                .put("overhead", 18)
                .put("preemptionPolicy", 19)
                .put("setHostnameAsFQDN", 20)
                .put("os", 24)
                .put("schedulingGates", 27)
                .put("hostUsers", 33)
                .put("resourceClaims", 34)
                .put("resources", 34)
                .buildOrThrow();
        private static final ImmutableMap<String, Integer> CONTAINER =
                ImmutableMap.of("restartPolicy", 29, "resizePolicy", 33, "restartPolicyRules", 35);
        private static final ImmutableMap<String, Integer> VOLUME = ImmutableMap.of("ephemeral", 21);
        private static final ImmutableMap<String, Integer> CONSTRAINT = ImmutableMap.of(
                "nodeAffinityPolicy", 26, "nodeTaintsPolicy", 26, "minDomains", 27, "matchLabelKeys", 27);
        private static final ImmutableMap<String, Integer> AFFINITY_TERM =
                ImmutableMap.of("namespaceSelector", 22, "matchLabelKeys", 31, "mismatchLabelKeys", 31);
        private static final List<String> CONTAINER_LISTS = List.of("containers", "initContainers");
        private static final List<String> POD_AFFINITIES = List.of("podAffinity", "podAntiAffinity");
        private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
        private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

        private NewerPodFields() {}

        /** Drops the fields that a release with default gates does not store. */
        static void drop(ObjectNode spec, Release release) {
            drop(spec, SPEC, release);
            for (String list : CONTAINER_LISTS) {
                spec.path(list).forEach(container -> drop(container, CONTAINER, release));
            }
            spec.path("volumes").forEach(volume -> drop(volume, VOLUME, release));
            spec.path("topologySpreadConstraints").forEach(constraint -> drop(constraint, CONSTRAINT, release));
            forEachTerm(spec, term -> drop(term, AFFINITY_TERM, release));
        }

        private static void drop(JsonNode parent, ImmutableMap<String, Integer> fields, Release release) {
            if (parent instanceof ObjectNode object) {
                fields.forEach((field, since) -> {
                    if (!release.atLeast(since)) {
                        object.remove(field);
                    }
                });
            }
        }

        /** An operation on each term of inter-pod affinity. */
        @FunctionalInterface
        private interface TermAction {
            void on(ObjectNode term);
        }

        private static void forEachTerm(ObjectNode spec, TermAction action) {
            for (String kind : POD_AFFINITIES) {
                JsonNode affinity = spec.path("affinity").path(kind);
                for (JsonNode term : affinity.path(REQUIRED)) {
                    if (term instanceof ObjectNode object) {
                        action.on(object);
                    }
                }
                for (JsonNode weighted : affinity.path(PREFERRED)) {
                    if (weighted.path("podAffinityTerm") instanceof ObjectNode object) {
                        action.on(object);
                    }
                }
            }
        }
    }
}
