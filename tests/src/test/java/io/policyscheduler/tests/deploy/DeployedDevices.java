package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.tests.e2e.Manifest;
import io.policyscheduler.tests.e2e.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Pods with fields of 1.36 under the shipped role: declared features, tainted devices, extended resources of a device class, and
 * claims.
 */
abstract class DeployedDevices extends Deployment {
    private static final String NAME = "policy-scheduler";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
    private static final String FEATURE = "RestartAllContainersOnContainerExits";
    private static final String POLICY = """
            {"kind": "Policy", "apiVersion": "v1", "priorities": [],
             "predicates": [{"name": "GeneralPredicates"}, {"name": "DynamicResources"}]}""";

    /** What decides. */
    enum Semantics {
        POLICY,
        DEFAULT_PROFILE
    }

    DeployedDevices(Path folder, RoleServer server) {
        super(folder, server);
    }

    /** Node n1 declares the feature; each node has one device, and that of n0 has a taint. */
    private void prepare() {
        Workload nodes = workload(NAME);
        for (String name : List.of("n0", "n1")) {
            nodes.addNode(name, "4");
            String taints = name.equals("n0") ? ",'taints':[{'key':'broken','effect':'NoSchedule'}]" : "";
            admin().create(
                            "/apis/resource.k8s.io/v1/resourceslices",
                            Manifest.json(
                                    "{'apiVersion':'resource.k8s.io/v1','kind':'ResourceSlice','metadata':{'name':'"
                                            + name + "'},'spec':{'driver':'gpu.example.com','nodeName':'" + name
                                            + "','pool':{'name':'" + name
                                            + "','generation':1,'resourceSliceCount':1},'devices':[{'name':'a'" + taints
                                            + "}]}}"));
        }
        admin().patch("/api/v1/nodes/n1/status", "{'status':{'declaredFeatures':['" + FEATURE + "']}}");
        admin().create(
                        "/apis/resource.k8s.io/v1/deviceclasses",
                        Manifest.json(
                                "{'apiVersion':'resource.k8s.io/v1','kind':'DeviceClass','metadata':{'name':'gpu'},"
                                        + "'spec':{'extendedResourceName':'example.com/gpu'}}"));
    }

    private Program start(Semantics semantics) {
        applyOverlay("second-scheduler");
        ObjectNode spec = admin().get(DEPLOYMENTS + NAME).at(POD_TEMPLATE).deepCopy();
        if (semantics == Semantics.POLICY) {
            ObjectNode data = Manifest.json("{}");
            data.putObject("data").put("policy.cfg", POLICY);
            admin().patch("/api/v1/namespaces/kube-system/configmaps/policy-scheduler-policy", data.toString());
        } else {
            ArrayNode args = spec.withArray("/containers/0/args");
            for (int i = args.size() - 1; i >= 0; i--) {
                if (args.get(i).asText().startsWith("--policy-")) {
                    args.remove(i);
                }
            }
            args.add("--profile=modern");
        }
        return start(DeployedPod.ofServiceAccount(admin(), folder(), spec));
    }

    private static ObjectNode claiming(String name, String claim) {
        ObjectNode pod = Manifest.podOf(NAME, name, "100m");
        pod.withArray("/spec/resourceClaims").addObject().put("name", "d").put("resourceClaimName", claim);
        pod.withArray("/spec/containers/0/resources/claims").addObject().put("name", "d");
        return pod;
    }

    private void claim(String name, String tolerations) {
        admin().create(
                        CLAIMS,
                        Manifest.json(
                                "{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaim','metadata':{'name':'" + name
                                        + "','namespace':'default'},'spec':{'devices':{'requests':[{'name':'r','exactly':"
                                        + "{'deviceClassName':'gpu'" + tolerations + "}}]}}}"));
    }

    private static String device(JsonNode claim) {
        JsonNode result = claim.at("/status/allocation/devices/results/0");
        return result.path("pool").asText() + "/" + result.path("device").asText() + " for "
                + claim.at("/status/reservedFor/0/name").asText();
    }

    @ParameterizedTest
    @EnumSource
    void fieldsOfTheNewestReleaseAreHonored(Semantics semantics) {
        prepare();
        Program program = start(semantics);
        Workload workload = workload(NAME);

        ObjectNode featured = Manifest.podOf(NAME, "featured", "100m");
        featured.withObject("/spec").put("restartPolicy", "Never");
        ((ObjectNode) featured.at("/spec/containers/0"))
                .set(
                        "restartPolicyRules",
                        Manifest.any("[{'action':'RestartAllContainers','exitCodes':{'operator':'In','values':[1]}}]"));
        ((ObjectNode) featured.at("/spec/containers/0")).put("restartPolicy", "Never");
        workload.add(featured);

        claim("tolerant", ",'tolerations':[{'key':'broken','operator':'Exists'}]");
        ObjectNode extended = Manifest.podOf(NAME, "extended", "100m");
        for (String kind : List.of("requests", "limits")) {
            extended.withObject("/spec/containers/0/resources/" + kind).put("example.com/gpu", "1");
        }
        workload.add(extended);
        workload.await(
                "pod extended is bound", () -> !workload.nodeOf("extended").isEmpty());
        workload.add(claiming("with-claim", "tolerant"));
        workload.await(
                "pod with-claim is bound", () -> !workload.nodeOf("with-claim").isEmpty());
        claim("late", "");
        workload.add(claiming("without-device", "late"));
        workload.await("pod without-device is marked", () -> workload.isUnschedulable("without-device"));
        workload.await(
                "pod featured is bound", () -> !workload.nodeOf("featured").isEmpty());

        TreeMap<String, String> nodes = new TreeMap<>();
        for (JsonNode pod : admin().get(PODS).path("items")) {
            nodes.put(
                    pod.at("/metadata/name").asText(), pod.at("/spec/nodeName").asText());
        }
        assertEquals("{extended=n1, featured=n1, with-claim=n0, without-device=}", nodes.toString(), program::output);
        String created = admin().get(PODS + "/extended")
                .at("/status/extendedResourceClaimStatus/resourceClaimName")
                .asText();
        assertEquals("n1/a for extended", device(admin().get(CLAIMS + "/" + created)));
        assertEquals("n0/a for with-claim", device(admin().get(CLAIMS + "/tolerant")));
        assertAllAllowed(ACCOUNT + NAME);
    }
}
