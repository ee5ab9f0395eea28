package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.tests.e2e.Manifest;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Volume bindings are written in spite of faults, and the wait for the controller sends no requests. */
@Tag("faults")
@Timeout(120)
class VolumeFaultsTest {
    private static final String CLAIM = "/api/v1/namespaces/default/persistentvolumeclaims/data";
    private static final String SELECTED_NODE = "volume.kubernetes.io/selected-node";

    private final FaultFixture fixture = new FaultFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    static Stream<Named<Supplier<ProfileSettings>>> profiles() {
        return Stream.of(Named.of("1.17", FaultFixture::legacy), Named.of("today", FaultFixture::modern));
    }

    private static Predicate<Call> claimCalls(String method) {
        return call -> call.method().equals(method) && call.path().equals(CLAIM);
    }

    private String selectedNode() {
        return fixture.server()
                .get("persistentvolumeclaims", "default", "data")
                .orElseThrow()
                .path("metadata")
                .path("annotations")
                .path(SELECTED_NODE)
                .asText("");
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void aServerThatIsBusyOrBrokenDoesNotGiveThePodUp(Supplier<ProfileSettings> profile) {
        fixture.addNodes(3, "4");
        fixture.server()
                .load(Manifest.json(
                        "{'apiVersion':'storage.k8s.io/v1','kind':'StorageClass','metadata':{'name':'fast'},"
                                + "'provisioner':'example.com/fake','volumeBindingMode':'WaitForFirstConsumer'}"));
        fixture.server()
                .load(Manifest.json("{'apiVersion':'v1','kind':'PersistentVolumeClaim','metadata':{'name':'data',"
                        + "'namespace':'default'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'fast',"
                        + "'resources':{'requests':{'storage':'1Gi'}}},'status':{'phase':'Pending'}}"));
        fixture.start(profile.get());
        fixture.proxy().order(1, claimCalls("PATCH"), Fault.Answer.busy(429, 1));
        fixture.proxy().order(1, claimCalls("PATCH"), Fault.Answer.busy(503, 1));
        fixture.proxy().order(2, claimCalls("PATCH"), Fault.Answer.refused(500, "etcdserver: leader changed"));
        fixture.proxy().order(1, claimCalls("PATCH"), Fault.Answer.notFoundPage());
        fixture.proxy().order(1, claimCalls("PATCH"), new Fault.LostAnswer());
        ObjectNode pod = Manifest.pod("p", "100m");
        pod.withObject("/spec")
                .putArray("volumes")
                .addObject()
                .put("name", "v")
                .putObject("persistentVolumeClaim")
                .put("claimName", "data");
        fixture.server().load(pod);
        fixture.await("a node is selected", () -> !selectedNode().isEmpty());
        String node = selectedNode();
        provision(node);
        fixture.awaitBound("p");
        assertEquals(node, fixture.nodeOf("p"));
        assertEquals(0, fixture.proxy().count(claimCalls("GET")), "claims read");
        assertEquals(0, fixture.events("p", "FailedScheduling").size(), fixture::state);
        fixture.assertSound();
    }

    /** Binds the volume, as the volume controller does. */
    private void provision(String node) {
        fixture.server()
                .load(Manifest.json("{'apiVersion':'v1','kind':'PersistentVolume','metadata':{'name':'pv'},'spec':{"
                        + "'capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOnce'],'storageClassName':'fast',"
                        + "'persistentVolumeReclaimPolicy':'Delete','local':{'path':'/mnt'},"
                        + "'claimRef':{'kind':'PersistentVolumeClaim','namespace':'default','name':'data'},"
                        + "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':'name',"
                        + "'operator':'In','values':['" + node + "']}]}]}}},'status':{'phase':'Available'}}"));
        fixture.update("persistentvolumeclaims", "default", "data", claim -> {
            claim.withObject("/metadata/annotations").put("pv.kubernetes.io/bind-completed", "yes");
            claim.withObject("/spec").put("volumeName", "pv");
        });
    }
}
