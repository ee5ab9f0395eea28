package io.policyscheduler.tests;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random snapshots with devices and claims, in the form of recordings. The result for a seed never changes, because recordings depend on it. */
final class DeviceCluster {
    private static final List<String> DRIVERS = List.of("gpu.example.com", "nic.example.com");
    private static final List<String> MODELS = List.of("a100", "h100", "l4");
    private static final List<String> SELECTORS = List.of(
            "device.driver == 'gpu.example.com'",
            "device.attributes['gpu.example.com'].model == 'a100'",
            "device.attributes['gpu.example.com'].?model.orValue('') in ['h100', 'l4']",
            "device.attributes['gpu.example.com'].memory >= 40",
            "'numa' in device.attributes['gpu.example.com'] && device.attributes['gpu.example.com'].numa == 0",
            "has(device.attributes['example.org'].rack) && device.attributes['example.org'].rack.startsWith('r')",
            "device.capacity['gpu.example.com'].?memory.orValue(quantity('0')).compareTo(quantity('40Gi')) >= 0",
            "device.attributes['gpu.example.com'].?version.orValue(semver('0.0.0')).isGreaterThan(semver('1.2.0'))",
            "!(device.attributes['gpu.example.com'].?healthy.orValue(false))",
            "cel.bind(a, device.attributes['gpu.example.com'], size(a) > 3)",
            "device.attributes.exists(d, d == 'example.org')",
            "device.attributes['nic.example.com'].speed > 10",
            "true");

    private final Random random;
    private final ObjectNode dumped = JsonNodeFactory.instance.objectNode();
    private final ArrayNode cluster = dumped.putArray("cluster");
    private int claims;

    private DeviceCluster(long seed) {
        this.random = new Random(seed);
        dumped.put("name", "devices/" + seed);
    }

    /** Returns a scenario. */
    static ObjectNode scenario(long seed) {
        DeviceCluster made = new DeviceCluster(seed);
        made.fill();
        return made.dumped;
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private void fill() {
        if (chance(80)) {
            dumped.put("bind", true);
        }
        int nodes = 1 + random.nextInt(6);
        for (int i = 0; i < nodes; i++) {
            node("n" + i);
        }
        classes();
        if (chance(30)) {
            fabric(nodes);
        }
        int shared = random.nextInt(3);
        for (int i = 0; i < shared; i++) {
            ObjectNode claim = claim("s" + i, null);
            if (chance(25)) {
                allocated(claim, "n" + random.nextInt(nodes));
            }
        }
        ArrayNode pending = dumped.putArray("pending");
        int pods = 1 + random.nextInt(6);
        for (int i = 0; i < pods; i++) {
            pending.add(pod("p" + i, shared));
        }
    }

    private static ObjectNode object(String apiVersion, String kind, String name) {
        ObjectNode object = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", apiVersion)
                .put("kind", kind);
        object.putObject("metadata").put("name", name).put("uid", name + "-uid").put("resourceVersion", "1");
        return object;
    }

    private void node(String name) {
        ObjectNode node = object("v1", "Node", name);
        ObjectNode labels = node.withObject("/metadata/labels");
        labels.put("kubernetes.io/hostname", name).put("fabric", one(List.of("a", "b")));
        node.putObject("spec").put("unschedulable", chance(5));
        ObjectNode status = node.putObject("status");
        for (String field : List.of("allocatable", "capacity")) {
            status.putObject(field).put("cpu", "4").put("memory", "16Gi").put("pods", "5");
        }
        cluster.add(node);
        for (String driver : DRIVERS) {
            if (chance(70)) {
                slices(name, driver);
            }
        }
    }

    private void slices(String node, String driver) {
        int count = chance(15) ? 2 : 1;
        int generation = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            ObjectNode slice = object("resource.k8s.io/v1", "ResourceSlice", node + "-" + driver.charAt(0) + i);
            ObjectNode spec = slice.putObject("spec").put("driver", driver).put("nodeName", node);
            spec.putObject("pool")
                    .put("name", node)
                    .put("generation", chance(10) ? generation + i : generation)
                    .put("resourceSliceCount", chance(8) ? count + 1 : count);
            ArrayNode devices = spec.putArray("devices");
            int size = random.nextInt(4);
            for (int d = 0; d < size; d++) {
                devices.add(device("d" + (chance(2) ? 0 : d) + "-" + i));
            }
            cluster.add(slice);
        }
    }

    private ObjectNode device(String name) {
        ObjectNode device = JsonNodeFactory.instance.objectNode().put("name", name);
        ObjectNode attributes = device.putObject("attributes");
        attributes.putObject("model").put("string", one(MODELS));
        attributes.putObject("memory").put("int", one(List.of(24, 40, 80)));
        attributes.putObject("speed").put("int", one(List.of(10, 100)));
        if (chance(70)) {
            attributes.putObject("healthy").put("bool", chance(80));
        }
        if (chance(70)) {
            attributes.putObject("version").put("version", one(List.of("1.2.0", "1.10.0", "2.0.0-rc.1")));
        }
        if (chance(60)) {
            attributes.putObject("numa").put("int", random.nextInt(2));
        }
        if (chance(50)) {
            attributes.putObject("example.org/rack").put("string", "r" + random.nextInt(2));
        }
        if (chance(80)) {
            device.withObject("/capacity/memory").put("value", one(List.of("24Gi", "40Gi", "80Gi")));
        }
        return device;
    }

    private void fabric(int nodes) {
        ObjectNode slice = object("resource.k8s.io/v1", "ResourceSlice", "fabric");
        ObjectNode spec = slice.putObject("spec").put("driver", "fab.example.com");
        spec.putObject("pool").put("name", "fabric").put("generation", 1).put("resourceSliceCount", 1);
        if (chance(40)) {
            spec.put("allNodes", true);
        } else {
            ObjectNode requirement = spec.withArray("/nodeSelector/nodeSelectorTerms")
                    .addObject()
                    .putArray("matchExpressions")
                    .addObject();
            requirement
                    .put("key", "fabric")
                    .put("operator", "In")
                    .putArray("values")
                    .add("a");
        }
        ArrayNode devices = spec.putArray("devices");
        for (int i = 0; i < nodes; i++) {
            devices.add(device("f" + i));
        }
        cluster.add(slice);
    }

    private void classes() {
        for (String name : List.of("gpu", "nic", "fab")) {
            ObjectNode type = object("resource.k8s.io/v1", "DeviceClass", name);
            ArrayNode selectors = type.putObject("spec").putArray("selectors");
            selectors.addObject().putObject("cel").put("expression", "device.driver == '" + name + ".example.com'");
            if (chance(15)) {
                selectors.addObject().putObject("cel").put("expression", one(SELECTORS));
            }
            if (chance(20)) {
                type.withArray("/spec/config")
                        .addObject()
                        .putObject("opaque")
                        .put("driver", name + ".example.com")
                        .putObject("parameters")
                        .put("mode", "fast");
            }
            cluster.add(type);
        }
    }

    /** @param owner the pod for which the claim was generated; null for a shared claim */
    private ObjectNode claim(String name, @Nullable String owner) {
        ObjectNode claim = object("resource.k8s.io/v1", "ResourceClaim", name);
        ObjectNode metadata = claim.withObject("/metadata").put("namespace", "default");
        if (owner != null) {
            metadata.withArray("/ownerReferences")
                    .addObject()
                    .put("apiVersion", "v1")
                    .put("kind", "Pod")
                    .put("name", owner)
                    .put("uid", owner + "-uid")
                    .put("controller", !chance(3));
        }
        if (chance(2)) {
            metadata.put("deletionTimestamp", "2026-01-01T00:00:00Z")
                    .putArray("finalizers")
                    .add("example.com/x");
        }
        ObjectNode devices = claim.putObject("spec").putObject("devices");
        ArrayNode requests = devices.putArray("requests");
        int count = 1 + (chance(30) ? 1 : 0);
        for (int i = 0; i < count; i++) {
            ObjectNode request = requests.addObject().put("name", "r" + i);
            if (chance(25)) {
                ArrayNode alternatives = request.putArray("firstAvailable");
                int choices = 1 + random.nextInt(3);
                for (int c = 0; c < choices; c++) {
                    exactRequest(alternatives.addObject().put("name", "s" + c));
                }
            } else {
                ObjectNode exactly = exactRequest(request.putObject("exactly"));
                if (chance(6)) {
                    exactly.put("adminAccess", true);
                }
            }
        }
        if (chance(20)) {
            ObjectNode constraint = devices.putArray("constraints").addObject();
            constraint.put(
                    "matchAttribute",
                    one(List.of("gpu.example.com/numa", "example.org/rack", "gpu.example.com/model")));
            if (chance(30)) {
                constraint.putArray("requests").add("r0");
            }
        }
        if (chance(15)) {
            ObjectNode config = devices.putArray("config").addObject();
            config.putObject("opaque")
                    .put("driver", "gpu.example.com")
                    .putObject("parameters")
                    .put("n", 1);
            if (chance(50)) {
                config.putArray("requests").add("r0");
            }
        }
        cluster.add(claim);
        return claim;
    }

    private ObjectNode exactRequest(ObjectNode exactRequest) {
        exactRequest.put("deviceClassName", chance(1) ? "none" : one(List.of("gpu", "gpu", "gpu", "nic", "fab")));
        if (chance(10)) {
            exactRequest.put("allocationMode", "All");
        } else {
            exactRequest.put("allocationMode", "ExactCount").put("count", chance(75) ? 1 : 1 + random.nextInt(3));
        }
        if (chance(40)) {
            exactRequest.putArray("selectors").addObject().putObject("cel").put("expression", one(SELECTORS));
        }
        return exactRequest;
    }

    private void allocated(ObjectNode claim, String node) {
        ObjectNode status = claim.putObject("status");
        ObjectNode allocation = status.putObject("allocation");
        allocation
                .withArray("/devices/results")
                .addObject()
                .put("request", "r0")
                .put("driver", "gpu.example.com")
                .put("pool", node)
                .put("device", "d0-0");
        if (chance(80)) {
            ObjectNode requirement = allocation
                    .withArray("/nodeSelector/nodeSelectorTerms")
                    .addObject()
                    .putArray("matchFields")
                    .addObject();
            requirement
                    .put("key", "metadata.name")
                    .put("operator", "In")
                    .putArray("values")
                    .add(node);
        }
        if (chance(40)) {
            status.putArray("reservedFor")
                    .addObject()
                    .put("resource", "pods")
                    .put("name", "other")
                    .put("uid", "other-uid");
        }
    }

    private ObjectNode pod(String name, int shared) {
        ObjectNode pod = object("v1", "Pod", name);
        pod.withObject("/metadata").put("namespace", "default");
        ObjectNode spec = pod.putObject("spec");
        ObjectNode container = spec.putArray("containers").addObject().put("name", "c");
        container.putObject("resources").putObject("requests").put("cpu", one(List.of("1", "2", "500m")));
        if (chance(25)) {
            spec.put("priority", random.nextInt(3));
        }
        ArrayNode wants = spec.putArray("resourceClaims");
        int count = chance(10) ? 0 : 1 + (chance(25) ? 1 : 0);
        for (int i = 0; i < count; i++) {
            ObjectNode entry = wants.addObject().put("name", "k" + i);
            if (shared > 0 && chance(40)) {
                entry.put("resourceClaimName", chance(3) ? "missing" : "s" + random.nextInt(shared));
                continue;
            }
            entry.put("resourceClaimTemplateName", "t");
            if (chance(97)) {
                String made = name + "-k" + i + "-" + claims++;
                claim(made, chance(2) ? "somebody" : name);
                pod.withArray("/status/resourceClaimStatuses")
                        .addObject()
                        .put("name", "k" + i)
                        .put("resourceClaimName", made);
            }
        }
        return pod;
    }
}
