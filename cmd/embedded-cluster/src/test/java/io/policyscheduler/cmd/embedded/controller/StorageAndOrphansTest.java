package io.policyscheduler.cmd.embedded.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.embedded.api.ApiRequest.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Binding of claims, pods of deleted nodes, and objects that controllers could not read. */
class StorageAndOrphansTest {
    private static final String CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
    private static final String VOLUMES = "/api/v1/persistentvolumes";

    private final Playground playground;

    StorageAndOrphansTest() throws IOException {
        playground = new Playground("a", "b");
    }

    @AfterEach
    void close() {
        playground.close();
    }

    private void volume(String name, String size, String className) {
        playground.create(
                VOLUMES,
                "{'metadata':{'name':'" + name + "'},'spec':{'capacity':{'storage':'" + size
                        + "'},'accessModes':['ReadWriteOnce'],'storageClassName':'" + className
                        + "','hostPath':{'path':'/mnt'}}}");
    }

    private void claim(String name, String size, String className, String annotations) {
        playground.create(
                CLAIMS,
                "{'metadata':{'name':'" + name + "','annotations':{" + annotations + "}},'spec':{'accessModes':"
                        + "['ReadWriteOnce'],'storageClassName':'" + className
                        + "','resources':{'requests':{'storage':'"
                        + size + "'}}}}");
    }

    private void storageClass(String name, String provisioner, String mode) {
        playground.create(
                "/apis/storage.k8s.io/v1/storageclasses",
                "{'metadata':{'name':'" + name + "'},'provisioner':'" + provisioner + "','volumeBindingMode':'" + mode
                        + "'}");
    }

    private String claimOf(String name) {
        return playground.at("persistentvolumeclaims", name, "/status/phase") + " "
                + playground.at("persistentvolumeclaims", name, "/spec/volumeName");
    }

    @Test
    void aClaimGetsTheSmallestVolumeThatMatches() {
        storageClass("manual", "kubernetes.io/no-provisioner", "Immediate");
        volume("big", "10Gi", "manual");
        volume("small", "2Gi", "manual");
        volume("tiny", "500Mi", "manual");
        volume("other", "1Gi", "fast");
        assertEquals("Available", playground.at("persistentvolumes", "small", "/status/phase"));
        claim("data", "1Gi", "manual", "");
        assertEquals("Bound small", claimOf("data"));
        assertEquals("Bound", playground.at("persistentvolumes", "small", "/status/phase"));
        claim("huge", "100Gi", "manual", "");
        assertEquals("Pending ", claimOf("huge"));
        volume("enormous", "200Gi", "manual");
        assertEquals("Bound enormous", claimOf("huge"));
        playground.delete(CLAIMS + "/data", "");
        assertEquals("Released", playground.at("persistentvolumes", "small", "/status/phase"));
    }

    @Test
    void aClassThatWaitsHasItsVolumeOnTheSelectedNode() {
        storageClass("local", "policy-scheduler.io/local", "WaitForFirstConsumer");
        claim("waits", "1Gi", "local", "");
        assertEquals("Pending ", claimOf("waits"));
        playground.patch(CLAIMS + "/waits", "{'metadata':{'annotations':{'volume.kubernetes.io/selected-node':'b'}}}");
        String name = playground.at("persistentvolumeclaims", "waits", "/spec/volumeName");
        assertEquals("Bound", playground.at("persistentvolumeclaims", "waits", "/status/phase"));
        assertEquals(
                "b",
                playground.at(
                        "persistentvolumes",
                        name,
                        "/spec/nodeAffinity/required/nodeSelectorTerms/0/matchExpressions/0/values/0"));
    }

    @Test
    void aReservedVolumeIsBoundToItsClaim() {
        storageClass("none", "kubernetes.io/no-provisioner", "WaitForFirstConsumer");
        volume("pv", "1Gi", "none");
        claim("data", "1Gi", "none", "");
        assertEquals("Pending ", claimOf("data"));
        playground.patch(
                VOLUMES + "/pv",
                "{'spec':{'claimRef':{'kind':'PersistentVolumeClaim','namespace':'default','name':'data'}}}");
        assertEquals("Bound pv", claimOf("data"));
    }

    @Test
    void podsOfADeletedNodeAreDeletedAfterAWhile() {
        playground.create(
                "/apis/apps/v1/namespaces/default/deployments",
                "{'metadata':{'name':'web'},'spec':{'replicas':2,'selector':{'matchLabels':{'app':'web'}},"
                        + "'template':{'metadata':{'labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}");
        assertEquals(2, playground.count("pods", "/spec/nodeName", "a"));
        playground.delete("/api/v1/nodes/a", "");
        assertEquals(2, playground.count("pods", "/spec/nodeName", "a"));
        playground.jump(Duration.ofSeconds(39));
        assertEquals(2, playground.count("pods", "/spec/nodeName", "a"));
        playground.jump(Duration.ofSeconds(2));
        assertEquals(0, playground.count("pods", "/spec/nodeName", "a"));
        assertEquals(2, playground.count("pods", "/spec/nodeName", "b"));
    }

    /** The messages of a real API server of 1.34; no controller gets such an object. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        apps/v1 | deployments | {'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}} | Deployment.apps "x" is invalid: [spec.selector: Required value, spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`]
        apps/v1 | deployments | {'selector':{},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}} | Deployment.apps "x" is invalid: spec.selector: Invalid value: {}: empty selector is invalid for deployment
        apps/v1 | replicasets | {'selector':{'matchLabels':{'a':'z'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}} | ReplicaSet.apps "x" is invalid: spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`
        apps/v1 | daemonsets | {'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}} | DaemonSet.apps "x" is invalid: spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`
        apps/v1 | deployments | {'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Never','containers':[{'name':'c'}]}}} | Deployment.apps "x" is invalid: [spec.template.spec.containers[0].image: Required value, spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"]
        batch/v1 | jobs | {'template':{'spec':{'containers':[{'name':'c','image':'i'}]}}} | Job.batch "x" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
        batch/v1 | cronjobs | {'jobTemplate':{'spec':{'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}}}} | CronJob.batch "x" is invalid: spec.schedule: Required value
        v1 | persistentvolumeclaims | {} | PersistentVolumeClaim "x" is invalid: [spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]
        v1 | services | {'selector':{'a':'b'}} | Service "x" is invalid: spec.ports: Required value
        """)
    void objectsWithoutRequiredFieldsAreRejected(String version, String resource, String spec, String message) {
        String group = version.contains("/") ? "/apis/" + version : "/api/" + version;
        Response response = playground.send(
                "POST", group + "/namespaces/default/" + resource, "{'metadata':{'name':'x'},'spec':" + spec + "}");
        assertEquals(422, response.code());
        assertEquals(message, response.body().path("message").asText());
        assertEquals(List.of(), playground.names("pods"));
    }
}
