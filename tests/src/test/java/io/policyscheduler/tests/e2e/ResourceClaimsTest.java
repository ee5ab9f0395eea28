package io.policyscheduler.tests.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.framework.modern.ModernProfile;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pods that request devices: from the template to the written allocation, and until the devices are free again. */
class ResourceClaimsTest {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String POLICY =
            "{\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"predicates\": [{\"name\": \"PodFitsResources\"}%s],"
                    + " \"priorities\": []}";

    private final LiveCluster live = LiveCluster.withControllers();

    /** The schedulers that allocate devices. */
    private enum Decider {
        MODERN,
        POLICY
    }

    @AfterEach
    void close() {
        live.close();
    }

    private static ProfileSettings settings(Decider decider) throws Exception {
        if (decider == Decider.MODERN) {
            return new ProfileSettings(
                    Manifest.SCHEDULER,
                    "modern",
                    "modern",
                    List.of(),
                    ProfileSettings.Source.of((cluster, waitingPods, clock, claims, api) -> ModernProfile.of(cluster)
                            .waitingPods(waitingPods)
                            .clock(clock)
                            .claimWriter(claims)
                            .build()),
                    List.of(),
                    false,
                    FeatureGates.defaults(),
                    true,
                    0,
                    null);
        }
        return policy(", {\"name\": \"DynamicResources\"}");
    }

    private static ProfileSettings policy(String more) throws Exception {
        PolicyResolver resolver =
                new PolicyResolver(FeatureGates.defaults().at(Release.NEWEST), 1, false, Algorithms.registry());
        return ProfileSettings.ofPolicy(
                Manifest.SCHEDULER, resolver.resolve(new PolicyReader().read(POLICY.formatted(more), "claims")), 0);
    }

    private void load(String yaml) throws IOException {
        live.cluster().load((ObjectNode) YAML.readTree(yaml));
    }

    /** Two nodes with two devices each, and one class of all devices. */
    private void devices() throws IOException {
        live.addNodes(2, "4");
        load("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu},"
                + " spec: {selectors: [{cel: {expression: \"device.driver == 'gpu.example.com'\"}}]}}");
        for (String node : List.of("n0", "n1")) {
            load("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: of-" + node
                    + "}, spec: {driver: gpu.example.com, nodeName: " + node + ", pool: {name: " + node
                    + ", generation: 1, resourceSliceCount: 1}, devices: [{name: a}, {name: b}]}}");
        }
        load("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: default},"
                + " spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}");
    }

    private void pod(String name, String entry) throws IOException {
        ObjectNode pod = (ObjectNode) YAML.readTree(
                "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", namespace: default}, spec: {schedulerName: "
                        + Manifest.SCHEDULER + ", containers: [{name: c, image: i, resources: {requests: {cpu: 10m}}}],"
                        + " resourceClaims: [{name: k, " + entry + "}]}}");
        live.cluster().load(pod);
    }

    private JsonNode claimOf(String pod) {
        String name = live.cluster()
                .get("pods", "default", pod)
                .orElseThrow()
                .path("status")
                .path("resourceClaimStatuses")
                .path(0)
                .path("resourceClaimName")
                .asText();
        return live.cluster().get("resourceclaims", "default", name).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void eachPodGetsADeviceOfItsNodeUntilThereAreNoMore(Decider decider) throws Exception {
        devices();
        live.startScheduler(List.of(settings(decider)));
        Set<String> given = new TreeSet<>();
        for (int i = 0; i < 4; i++) {
            pod("p" + i, "resourceClaimTemplateName: one");
        }
        for (int i = 0; i < 4; i++) {
            live.awaitBound("p" + i);
            JsonNode claim = claimOf("p" + i);
            JsonNode result = claim.path("status")
                    .path("allocation")
                    .path("devices")
                    .path("results")
                    .path(0);
            assertEquals(live.nodeOf("p" + i), result.path("pool").asText());
            assertEquals(
                    "p" + i,
                    claim.path("status")
                            .path("reservedFor")
                            .path(0)
                            .path("name")
                            .asText());
            assertTrue(claim.path("metadata").path("finalizers").toString().contains("delete-protection"));
            given.add(result.path("pool").asText() + "/" + result.path("device").asText());
        }
        assertEquals(Set.of("n0/a", "n0/b", "n1/a", "n1/b"), given);
        pod("late", "resourceClaimTemplateName: one");
        String message = live.awaitUnschedulable("late").path("message").asText();
        assertTrue(message.startsWith("0/2 nodes are available: 2 cannot allocate all claims."), message);
        live.api().deletePod("p2");
        live.awaitBound("late");
        live.assertSound();
    }

    @Test
    void podsShareAClaimThatIsThereByItself() throws Exception {
        devices();
        live.startScheduler(List.of(settings(Decider.MODERN)));
        pod("early", "resourceClaimName: both");
        load("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: both, namespace: default},"
                + " spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}");
        live.awaitBound("early");
        pod("late", "resourceClaimName: both");
        live.awaitBound("late");
        assertEquals(live.nodeOf("early"), live.nodeOf("late"));
        JsonNode users = live.cluster()
                .get("resourceclaims", "default", "both")
                .orElseThrow()
                .path("status")
                .path("reservedFor");
        assertEquals(2, users.size());
    }

    @Test
    void aPolicyThatDoesNotNameThePredicateRefusesThem() throws Exception {
        devices();
        live.startScheduler(List.of(policy("")));
        pod("p", "resourceClaimTemplateName: one");
        assertEquals(
                "0/2 nodes are available: 2 pod has resource claims (spec.resourceClaims), which this policy does not"
                        + " allocate.",
                live.awaitUnschedulable("p").path("message").asText());
    }
}
