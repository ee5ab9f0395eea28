package io.policyscheduler.tests;

import static io.policyscheduler.tests.RandomValues.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Minimal manifests as people write them, to which an API server adds defaults. */
final class RandomManifests {
    private static final List<String> NAMESPACES = List.of("default", "prod", "test");
    private static final String HOSTNAME = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final RandomValues random;
    private final boolean modern;
    private final List<Map<String, Object>> objects = new ArrayList<>();
    private final List<String> priorityClasses = new ArrayList<>();
    private final List<String> runtimeClasses = new ArrayList<>();
    private int claims;

    /** @param modern whether fields newer than v1.17 are used */
    RandomManifests(RandomValues random, boolean modern) {
        this.random = random;
        this.modern = modern;
    }

    /** Returns the manifests in an order in which they can be created; nodes and pods are sorted by name, as an API server lists them. */
    List<Map<String, Object>> snapshot() {
        for (String namespace : NAMESPACES.subList(1, NAMESPACES.size())) {
            add("v1", "Namespace", object("name", namespace, "labels", labels(40)));
        }
        classes();
        for (String namespace : NAMESPACES) {
            for (int i = random.of(0, 0, 1, 1, 2); i > 0; i--) {
                limitRange(namespace, i);
            }
            if (random.percent(30)) {
                add("v1", "Service", object("name", "web", "namespace", namespace))
                        .put("spec", object("selector", object("app", "web"), "ports", List.of(object("port", 80))));
            }
        }
        for (int i = random.between(1, 5); i > 0; i--) {
            volume(i);
        }
        int nodes = random.between(1, 6);
        for (int i = 1; i <= nodes; i++) {
            node("n" + i);
        }
        if (modern) {
            devices(nodes);
        }
        int pods = random.between(2, 9);
        for (String namespace : NAMESPACES) {
            for (int i = 1; i <= pods; i++) {
                if (random.percent(50)) {
                    pod(namespace, "p" + i);
                }
            }
        }
        return objects;
    }

    private Map<String, Object> add(String apiVersion, String kind, Map<String, Object> metadata) {
        Map<String, Object> added = object("apiVersion", apiVersion, "kind", kind, "metadata", metadata);
        objects.add(added);
        return added;
    }

    private Map<String, Object> labels(int chance) {
        Map<String, Object> labels = object();
        random.maybe(chance, labels, "app", () -> random.of("web", "db"));
        random.maybe(chance / 2, labels, "tier", () -> random.of("front", "back"));
        return labels;
    }

    private void classes() {
        // The API server accepts one default only.
        boolean hasDefault = false;
        for (String name : List.of("high", "low", "never")) {
            if (random.percent(60)) {
                priorityClasses.add(name);
                Map<String, Object> one = add("scheduling.k8s.io/v1", "PriorityClass", object("name", name));
                one.put("value", random.between(-5, 1000));
                if (random.percent(30) && !hasDefault) {
                    one.put("globalDefault", true);
                    hasDefault = true;
                }
                random.maybe(20, one, "preemptionPolicy", () -> "Never");
            }
        }
        for (String name : List.of("gvisor", "kata")) {
            if (random.percent(60)) {
                runtimeClasses.add(name);
                String version = modern ? "node.k8s.io/v1" : "node.k8s.io/v1beta1";
                Map<String, Object> one = add(version, "RuntimeClass", object("name", name));
                one.put("handler", "runc");
                random.maybe(60, one, "overhead", () -> object("podFixed", object("cpu", "300m", "memory", "100Mi")));
                Map<String, Object> scheduling = object();
                random.maybe(40, scheduling, "nodeSelector", () -> object("pool", "a"));
                random.maybe(60, scheduling, "tolerations", () -> List.of(toleration()));
                one.put("scheduling", scheduling);
            }
        }
        int defaults = modern ? 2 : 1;
        for (String name : List.of("fast", "slow", "late")) {
            Map<String, Object> annotations = object();
            if (defaults > 0 && random.percent(40)) {
                defaults--;
                annotations.put("storageclass.kubernetes.io/is-default-class", "true");
            }
            Map<String, Object> one =
                    add("storage.k8s.io/v1", "StorageClass", object("name", name, "annotations", annotations));
            one.put("provisioner", random.of("kubernetes.io/no-provisioner", "csi.example.com"));
            random.maybe(60, one, "volumeBindingMode", () -> "WaitForFirstConsumer");
        }
    }

    private Map<String, Object> amounts(int chance) {
        Map<String, Object> amounts = object();
        random.maybe(chance, amounts, "cpu", () -> random.of("100m", "1", 2, "1500u", 0.5));
        random.maybe(chance, amounts, "memory", () -> random.of("100Mi", "1Gi", "3G", 1000));
        return amounts;
    }

    private void limitRange(String namespace, int number) {
        List<Map<String, Object>> items = new ArrayList<>();
        if (random.percent(75)) {
            Map<String, Object> item = object("type", "Container");
            for (String part : List.of("default", "defaultRequest")) {
                random.maybe(50, item, part, () -> object("cpu", "500m", "memory", "200Mi"));
            }
            random.maybe(30, item, "max", () -> object("cpu", random.of("2", "1500m")));
            random.maybe(30, item, "min", () -> object("memory", random.of("50Mi", "150M")));
            random.maybe(15, item, "maxLimitRequestRatio", () -> object("cpu", random.of("2", "1500m")));
            items.add(item);
        }
        if (random.percent(25)) {
            Map<String, Object> item = object("type", "Pod");
            random.maybe(60, item, "max", () -> object("cpu", random.of("2", "4")));
            random.maybe(30, item, "min", () -> object("memory", "150Mi"));
            items.add(item);
        }
        if (random.percent(25)) {
            Map<String, Object> item = object("type", "PersistentVolumeClaim");
            random.maybe(50, item, "max", () -> object("storage", "1536Mi"));
            random.maybe(30, item, "min", () -> object("storage", "1100M"));
            // The API server requires a minimum or a maximum.
            item.putIfAbsent(item.containsKey("min") ? "min" : "max", object("storage", "1536Mi"));
            items.add(item);
        }
        add("v1", "LimitRange", object("name", "limits-" + number, "namespace", namespace))
                .put("spec", object("limits", items));
    }

    private void volume(int number) {
        Map<String, Object> spec = object(
                "capacity",
                object("storage", random.of("1Gi", "5Gi")),
                "accessModes",
                List.of("ReadWriteOnce"),
                "hostPath",
                object("path", "/data"));
        random.maybe(80, spec, "storageClassName", () -> random.of("fast", "slow", "late"));
        random.maybe(
                40,
                spec,
                "nodeAffinity",
                () -> object(
                        "required",
                        object(
                                "nodeSelectorTerms",
                                List.of(object(
                                        "matchExpressions",
                                        List.of(object("key", "pool", "operator", "In", "values", List.of("a"))))))));
        add("v1", "PersistentVolume", object("name", "pv-" + number)).put("spec", spec);
    }

    private void node(String name) {
        Map<String, Object> labels = object(HOSTNAME, name);
        random.maybe(70, labels, ZONE, () -> random.of("za", "zb"));
        random.maybe(50, labels, "pool", () -> random.of("a", "b"));
        Map<String, Object> spec = object();
        random.maybe(20, spec, "unschedulable", () -> true);
        random.maybe(
                30,
                spec,
                "taints",
                () -> List.of(object(
                        "key", random.of("team", "sandbox"), "effect", random.of("NoSchedule", "PreferNoSchedule"))));
        Map<String, Object> amounts =
                object("cpu", random.of("2", "4", 3), "memory", random.of("4Gi", "8Gi"), "pods", random.of("3", "110"));
        Map<String, Object> status = object("capacity", amounts);
        random.maybe(30, status, "allocatable", () -> object("cpu", "1500m", "memory", "3Gi", "pods", "4"));
        random.maybe(30, status, "conditions", () -> List.of(condition()));
        Map<String, Object> node = add("v1", "Node", object("name", name, "labels", labels));
        node.put("spec", spec);
        node.put("status", status);
    }

    private Map<String, Object> condition() {
        return random.percent(50)
                ? object("type", "Ready", "status", random.of("True", "False", "Unknown"))
                : object("type", random.of("MemoryPressure", "DiskPressure"), "status", random.of("True", "False"));
    }

    private Map<String, Object> toleration() {
        Map<String, Object> toleration = object();
        random.maybe(80, toleration, "key", () -> random.of("team", "sandbox", "node.kubernetes.io/not-ready"));
        if (toleration.isEmpty() || random.percent(50)) {
            toleration.put("operator", "Exists");
        }
        random.maybe(50, toleration, "effect", () -> random.of("NoSchedule", "NoExecute"));
        return toleration;
    }

    private void pod(String namespace, String name) {
        Map<String, Object> spec = object();
        random.maybe(20, spec, "nodeName", () -> "n1");
        random.maybe(30, spec, "hostNetwork", () -> true);
        if (!priorityClasses.isEmpty()) {
            random.maybe(30, spec, "priorityClassName", () -> random.of(priorityClasses));
        }
        if (!runtimeClasses.isEmpty()) {
            random.maybe(30, spec, "runtimeClassName", () -> random.of(runtimeClasses));
        }
        random.maybe(20, spec, "tolerations", () -> random.several(1, 2, this::toleration));
        random.maybe(30, spec, "affinity", this::affinity);
        random.maybe(30, spec, "topologySpreadConstraints", () -> List.of(spread()));
        List<Map<String, Object>> containers = new ArrayList<>();
        for (int i = random.between(1, 2); i > 0; i--) {
            containers.add(container("c" + i));
        }
        spec.put("containers", containers);
        if (random.percent(20)) {
            Map<String, Object> init = container("init");
            if (modern) {
                random.maybe(50, init, "restartPolicy", () -> "Always");
            }
            spec.put("initContainers", List.of(init));
        }
        if (modern && random.percent(20)) {
            spec.put("resources", object("limits", object("cpu", 3, "memory", "6Gi")));
        }
        List<Map<String, Object>> volumes = new ArrayList<>();
        if (random.percent(25)) {
            volumes.add(object("name", "data", "persistentVolumeClaim", object("claimName", claim(namespace))));
        }
        if (modern && random.percent(25)) {
            volumes.add(
                    object("name", "scratch", "ephemeral", object("volumeClaimTemplate", object("spec", claimSpec()))));
        }
        spec.put("volumes", volumes);
        if (modern && random.percent(35)) {
            spec.put("resourceClaims", resourceClaims());
        }
        add("v1", "Pod", object("name", name, "namespace", namespace, "labels", labels(70)))
                .put("spec", spec);
    }

    private Map<String, Object> container(String name) {
        Map<String, Object> container = object("name", name, "image", random.of("nginx", "busybox:1.36"));
        Map<String, Object> limits = amounts(30);
        Map<String, Object> resources = object("limits", limits);
        if (limits.isEmpty() || random.percent(20)) {
            resources.put("requests", smallAmounts());
        }
        random.maybe(70, container, "resources", () -> resources);
        random.maybe(
                40,
                container,
                "ports",
                () -> List.of(object("containerPort", name.equals("c1") ? random.of(80, 8080) : 9090)));
        return container;
    }

    private Map<String, Object> smallAmounts() {
        Map<String, Object> amounts = object();
        random.maybe(40, amounts, "cpu", () -> random.of("100m", "0.25"));
        random.maybe(40, amounts, "memory", () -> random.of("100Mi", "1e7"));
        random.maybe(2, amounts, "example.com/part", () -> random.of("1", "500m"));
        return amounts;
    }

    private Map<String, Object> affinity() {
        Map<String, Object> term =
                object("topologyKey", random.of(HOSTNAME, ZONE), "labelSelector", object("matchLabels", labels(50)));
        random.maybe(40, term, "matchLabelKeys", () -> List.of("tier"));
        if (!term.containsKey("matchLabelKeys")) {
            random.maybe(30, term, "mismatchLabelKeys", () -> List.of("tier"));
        }
        random.maybe(
                30,
                term,
                "namespaceSelector",
                () -> object("matchLabels", object("kubernetes.io/metadata.name", random.of(NAMESPACES))));
        String kind = random.of("podAffinity", "podAntiAffinity", "podAntiAffinity");
        return object(
                kind,
                random.percent(60)
                        ? object("requiredDuringSchedulingIgnoredDuringExecution", List.of(term))
                        : object(
                                "preferredDuringSchedulingIgnoredDuringExecution",
                                List.of(object("weight", 10, "podAffinityTerm", term))));
    }

    private Map<String, Object> spread() {
        Map<String, Object> constraint = object(
                "maxSkew",
                1,
                "topologyKey",
                random.of(HOSTNAME, ZONE),
                "whenUnsatisfiable",
                random.of("DoNotSchedule", "ScheduleAnyway"),
                "labelSelector",
                object("matchLabels", object("app", "web")));
        random.maybe(40, constraint, "matchLabelKeys", () -> List.of("tier"));
        return constraint;
    }

    private Map<String, Object> claimSpec() {
        Map<String, Object> spec = object(
                "accessModes",
                List.of("ReadWriteOnce"),
                "resources",
                object("requests", object("storage", random.of("1Gi", "2Gi"))));
        random.maybe(50, spec, "storageClassName", () -> random.of("fast", "slow", "late", ""));
        return spec;
    }

    /** Returns device classes, slices of nodes, and claims and templates for each namespace. */
    private void devices(int nodes) {
        String group = "resource.k8s.io/v1";
        add(group, "DeviceClass", object("name", "any")).put("spec", object());
        String big = "device.attributes['dev.example.com'].?size.orValue(0) > 1";
        add(group, "DeviceClass", object("name", "big"))
                .put("spec", object("selectors", List.of(object("cel", object("expression", big)))));
        for (int i = 1; i <= nodes; i++) {
            if (random.percent(70)) {
                List<Map<String, Object>> devices = new ArrayList<>();
                for (int d = random.between(1, 3); d > 0; d--) {
                    Map<String, Object> device = object("name", "d" + d);
                    random.maybe(80, device, "attributes", () -> object("size", object("int", random.between(1, 2))));
                    devices.add(device);
                }
                Map<String, Object> spec = object("driver", "dev.example.com", "nodeName", "n" + i);
                spec.put("pool", object("name", "n" + i, "generation", 1, "resourceSliceCount", 1));
                spec.put("devices", devices);
                add(group, "ResourceSlice", object("name", "of-n" + i)).put("spec", spec);
            }
        }
        for (String namespace : NAMESPACES) {
            add(group, "ResourceClaim", object("name", "shared", "namespace", namespace))
                    .put("spec", deviceSpec());
            for (String name : List.of("one", "other")) {
                if (random.percent(85)) {
                    Map<String, Object> spec = object("spec", deviceSpec());
                    random.maybe(30, spec, "metadata", () -> object("labels", object("of", name)));
                    add(group, "ResourceClaimTemplate", object("name", name, "namespace", namespace))
                            .put("spec", spec);
                }
            }
        }
    }

    private Map<String, Object> deviceSpec() {
        List<Map<String, Object>> requests = new ArrayList<>();
        for (int i = random.of(1, 1, 2); i > 0; i--) {
            Map<String, Object> exactly = object("deviceClassName", random.of("any", "big", "big", "gone"));
            random.maybe(20, exactly, "count", () -> 2);
            random.maybe(20, exactly, "allocationMode", () -> "ExactCount");
            requests.add(object("name", "r" + i, "exactly", exactly));
        }
        return object("devices", object("requests", requests));
    }

    private List<Map<String, Object>> resourceClaims() {
        List<Map<String, Object>> entries = new ArrayList<>();
        for (int i = random.of(1, 1, 2); i > 0; i--) {
            Map<String, Object> entry = object("name", "e" + i);
            if (random.percent(25)) {
                entry.put("resourceClaimName", "shared");
            } else {
                entry.put("resourceClaimTemplateName", random.of("one", "other"));
            }
            entries.add(entry);
        }
        return entries;
    }

    private String claim(String namespace) {
        String name = "claim-" + ++claims;
        add("v1", "PersistentVolumeClaim", object("name", name, "namespace", namespace))
                .put("spec", claimSpec());
        return name;
    }
}
