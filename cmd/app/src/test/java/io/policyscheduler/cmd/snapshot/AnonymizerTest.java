package io.policyscheduler.cmd.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AnonymizerTest {
    private static final String CLASS =
            "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpus}, spec: {selectors: [{cel:"
                    + " {expression: 'device.attributes[\"gpu.a.com\"].model == \"a100\"'}}], config: [{opaque: {driver:"
                    + " gpu.a.com, parameters: {secret: 1}}}], extendedResourceName: a.com/gpu}}";
    private static final String SLICE =
            "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: slice}, spec: {driver: gpu.a.com,"
                    + " nodeName: node, pool: {name: pool, generation: 2, resourceSliceCount: 1}, devices: [{name: dev,"
                    + " attributes: {model: {string: a100}, rack: {string: r7}, b.org/rack: {string: r7}, size: {int: 3}},"
                    + " capacity: {memory: {value: 4Gi}}, bindingConditions: [ready], consumesCounters: [{counterSet: c}],"
                    + " taints: [{key: k, value: v, effect: NoSchedule}]}]}}";
    private static final String CLAIM =
            "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: claim, namespace: shop}, spec: {devices:"
                    + " {requests: [{name: want, firstAvailable: [{name: big, deviceClassName: gpus, count: 2}]}],"
                    + " constraints: [{requests: [want/big], matchAttribute: gpu.a.com/rack}], config: [{requests: [want],"
                    + " opaque: {driver: gpu.a.com, parameters: {secret: 1}}}]}}, status: {allocation: {devices: {results:"
                    + " [{request: want/big, driver: gpu.a.com, pool: pool, device: dev}]}, nodeSelector:"
                    + " {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [node]}]}]}},"
                    + " reservedFor: [{resource: pods, name: pod, uid: u}], devices: [{data: {secret: 1}}]}}";
    private static final String POD =
            "{apiVersion: v1, kind: Pod, metadata: {name: pod, namespace: shop}, spec: {resourceClaims: [{name: entry,"
                    + " resourceClaimName: claim}], containers: [{name: c, image: i, resources: {claims: [{name: entry}],"
                    + " requests: {cpu: 1}}}]}}";

    private final List<String> warnings = new ArrayList<>();

    private List<ObjectNode> anonymous(String... texts) throws IOException {
        List<ObjectNode> objects = new ArrayList<>();
        for (String text : texts) {
            objects.add(new YAMLMapper().readValue(text, ObjectNode.class));
        }
        return new Anonymizer(Set.of(), warnings::add).anonymous(objects);
    }

    private static String yaml(String text) throws IOException {
        return new YAMLMapper().readTree(text).toString();
    }

    /** Anonymous names by original name: big c claim dev entry gpus i:latest node pod pool r7 ready shop slice want. */
    @Test
    void devicesAndClaimsHaveOtherNamesAndSelectorsAreAsTheyWere() throws IOException {
        List<ObjectNode> copies = anonymous(CLASS, SLICE, CLAIM, POD);
        assertEquals(
                yaml(
                        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: x000006, labels: {}, annotations:"
                                + " {}}, spec: {selectors: [{cel: {expression: 'device.attributes[\"gpu.a.com\"].model =="
                                + " \"a100\"'}}], config: [{opaque: {driver: gpu.a.com, parameters: {}}}]}}"),
                copies.get(0).toString());
        assertEquals(
                yaml("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: x000014, labels: {},"
                        + " annotations: {}}, spec: {driver: gpu.a.com, nodeName: x000008, pool: {generation: 2,"
                        + " resourceSliceCount: 1, name: x000010}, devices: [{name: x000004, attributes: {model: {string:"
                        + " a100}, rack: {string: x000011}, b.org/rack: {string: x000011}, size: {int: 3}}, capacity:"
                        + " {memory: {value: 4Gi}}, bindingConditions: [x000012], consumesCounters: [{}]}]}}"),
                copies.get(1).toString());
        assertEquals(
                yaml(
                        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {namespace: x000013, name: x000003,"
                                + " labels: {}, annotations: {}}, spec: {devices: {requests: [{name: x000015, firstAvailable:"
                                + " [{name: x000001, deviceClassName: x000006, count: 2}]}], constraints: [{matchAttribute:"
                                + " gpu.a.com/rack, requests: [x000015/x000001]}], config: [{requests: [x000015], opaque: {driver:"
                                + " gpu.a.com, parameters: {}}}]}}, status: {allocation: {nodeSelector: {nodeSelectorTerms:"
                                + " [{matchFields: [{key: metadata.name, operator: In, values: [x000008]}]}]}, devices: {results:"
                                + " [{request: x000015/x000001, driver: gpu.a.com, pool: x000010, device: x000004}]}}, reservedFor:"
                                + " [{resource: pods, uid: u, name: x000009}]}}"),
                copies.get(2).toString());
        assertEquals(
                yaml(
                        "{containers: [{name: x000002, image: 'x000007:a', resources: {requests: {cpu: 1}}}], resourceClaims:"
                                + " [{name: x000005, resourceClaimName: x000003}]}"),
                copies.get(3).path("spec").toString());
        assertEquals(
                List.of(
                        "W155 device selectors, and the attribute strings that they read, are not anonymized; check them before you share the dump"),
                warnings);
    }

    @Test
    void kindsThatAreNotKnownAreLeftOutAndTold() throws IOException {
        assertEquals(List.of(), anonymous("{apiVersion: v1, kind: Secret, metadata: {name: s}}"));
        assertEquals(
                List.of("W155 objects of kind Secret are omitted, because their fields may identify the cluster"),
                warnings);
    }
}
