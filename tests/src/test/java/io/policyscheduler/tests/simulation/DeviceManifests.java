package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Devices, device classes, and claims. */
final class DeviceManifests {
    static final String FINALIZER = "resource.kubernetes.io/delete-protection";
    static final String ENTRY = "resource.kubernetes.io/pod-claim-name";
    static final String CLAIMS = "resourceclaims.resource.k8s.io";
    static final String TEMPLATES = "resourceclaimtemplates.resource.k8s.io";
    static final String SLICES = "resourceslices.resource.k8s.io";
    static final String CLASSES = "deviceclasses.resource.k8s.io";

    private static final String GROUP = "resource.k8s.io/v1";
    private static final String DRIVER = "dev.example.com";

    private DeviceManifests() {}

    /** A class of the devices of one model; of all devices if the model is null. */
    static ObjectNode deviceClass(String name, @Nullable String model) {
        ObjectNode made = Manifests.object(GROUP, "DeviceClass", name);
        ObjectNode spec = made.putObject("spec");
        if (model != null) {
            spec.putArray("selectors")
                    .addObject()
                    .putObject("cel")
                    .put("expression", "device.attributes['" + DRIVER + "'].?model.orValue('') == '" + model + "'");
        }
        return made;
    }

    /** The devices of a node, with alternating models. */
    static ObjectNode slice(String node, int generation, List<String> models) {
        ObjectNode made = slice("of-" + node, node, generation, models);
        made.withObject("/spec").put("nodeName", node);
        return made;
    }

    /** Devices that several nodes share. */
    static ObjectNode sharedSlice(List<String> nodes, int generation, List<String> models) {
        ObjectNode made = slice("shared", "shared", generation, models);
        ObjectNode expression = made.withObject("/spec/nodeSelector")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchExpressions")
                .addObject();
        ArrayNode values =
                expression.put("key", Manifests.HOSTNAME).put("operator", "In").putArray("values");
        nodes.forEach(values::add);
        return made;
    }

    private static ObjectNode slice(String name, String pool, int generation, List<String> models) {
        ObjectNode made = Manifests.object(GROUP, "ResourceSlice", name);
        ObjectNode spec = made.putObject("spec").put("driver", DRIVER);
        spec.putObject("pool").put("name", pool).put("generation", generation).put("resourceSliceCount", 1);
        ArrayNode devices = spec.putArray("devices");
        for (int i = 0; i < models.size(); i++) {
            ObjectNode device = devices.addObject().put("name", "d" + i);
            device.withObject("/attributes/model").put("string", models.get(i));
        }
        return made;
    }

    /** Random requests of a claim. */
    static ObjectNode claimSpec(RandomChoices random) {
        ObjectNode spec = JsonNodeFactory.instance.objectNode();
        ObjectNode devices = spec.putObject("devices");
        ArrayNode requests = devices.putArray("requests");
        int count = random.percent(20) ? 2 : 1;
        for (int i = 0; i < count; i++) {
            ObjectNode request = requests.addObject().put("name", "r" + i);
            if (random.percent(15)) {
                ArrayNode choices = request.putArray("firstAvailable");
                exactRequest(choices.addObject().put("name", "x"), "x", 2);
                exactRequest(choices.addObject().put("name", "any"), "any", 1);
            } else {
                ObjectNode exactly = exactRequest(request.putObject("exactly"), random.of("any", "any", "x", "y"), 1);
                if (random.percent(8)) {
                    exactly.put("allocationMode", "All").remove("count");
                } else if (random.percent(15)) {
                    exactly.put("count", 2);
                } else if (random.percent(5)) {
                    exactly.put("adminAccess", true);
                }
            }
        }
        if (random.percent(15)) {
            devices.putArray("constraints").addObject().put("matchAttribute", DRIVER + "/model");
        }
        return spec;
    }

    private static ObjectNode exactRequest(ObjectNode request, String deviceClass, int count) {
        return request.put("deviceClassName", deviceClass)
                .put("allocationMode", "ExactCount")
                .put("count", count);
    }

    static ObjectNode claim(String name, ObjectNode spec) {
        ObjectNode claim = Manifests.object(GROUP, "ResourceClaim", name);
        claim.withObject("/metadata").put("namespace", Manifests.NAMESPACE);
        claim.set("spec", spec);
        return claim;
    }

    static ObjectNode template(String name, ObjectNode spec) {
        ObjectNode template = Manifests.object(GROUP, "ResourceClaimTemplate", name);
        template.withObject("/metadata").put("namespace", Manifests.NAMESPACE);
        template.putObject("spec").set("spec", spec);
        return template;
    }

    /** The claim that a controller creates from a template. */
    static ObjectNode madeClaim(String name, ObjectNode pod, String entry, JsonNode template) {
        ObjectNode claim =
                claim(name, (ObjectNode) template.path("spec").path("spec").deepCopy());
        ObjectNode metadata = claim.withObject("/metadata");
        metadata.withObject("/annotations").put(ENTRY, entry);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", Manifests.name(pod))
                .put("uid", Manifests.uid(pod))
                .put("controller", true)
                .put("blockOwnerDeletion", true);
        return claim;
    }

    static void wantClaim(ObjectNode pod, String entry, String claim) {
        pod.withObject("/spec")
                .withArray("resourceClaims")
                .addObject()
                .put("name", entry)
                .put("resourceClaimName", claim);
    }

    static void wantTemplate(ObjectNode pod, String entry, String template) {
        pod.withObject("/spec")
                .withArray("resourceClaims")
                .addObject()
                .put("name", entry)
                .put("resourceClaimTemplateName", template);
    }

    static boolean hasClaims(JsonNode pod) {
        return !pod.path("spec").path("resourceClaims").isEmpty();
    }

    /** Returns the name of the claim of an entry in the pod's spec; empty if it does not exist yet. */
    static String claimName(JsonNode pod, JsonNode entry) {
        String given = Manifests.text(entry, "resourceClaimName");
        if (!given.isEmpty()) {
            return given;
        }
        for (JsonNode made : pod.path("status").path("resourceClaimStatuses")) {
            if (Manifests.text(made, "name").equals(Manifests.text(entry, "name"))) {
                return Manifests.text(made, "resourceClaimName");
            }
        }
        return "";
    }

    static boolean isAllocated(JsonNode claim) {
        return claim.path("status").has("allocation");
    }

    static boolean isReservedFor(JsonNode claim, String uid) {
        for (JsonNode user : claim.path("status").path("reservedFor")) {
            if (Manifests.text(user, "uid").equals(uid)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the devices that no other claim may have. */
    static List<String> devices(JsonNode claim) {
        List<String> devices = new ArrayList<>();
        for (JsonNode result :
                claim.path("status").path("allocation").path("devices").path("results")) {
            if (!result.path("adminAccess").asBoolean()) {
                devices.add(Manifests.text(result, "driver") + "/" + Manifests.text(result, "pool") + "/"
                        + Manifests.text(result, "device"));
            }
        }
        return devices;
    }

    /** Returns whether the allocated devices can be used on a node; selectors are those of {@link #slice} and {@link #sharedSlice}. */
    static boolean isUsableOn(JsonNode claim, String node) {
        JsonNode terms =
                claim.path("status").path("allocation").path("nodeSelector").path("nodeSelectorTerms");
        if (terms.isMissingNode()) {
            return true;
        }
        for (JsonNode term : terms) {
            boolean holds = true;
            for (String kind : List.of("matchFields", "matchExpressions")) {
                for (JsonNode requirement : term.path(kind)) {
                    boolean named = false;
                    for (JsonNode value : requirement.path("values")) {
                        named |= value.asText().equals(node);
                    }
                    holds &= named;
                }
            }
            if (holds) {
                return true;
            }
        }
        return false;
    }
}
