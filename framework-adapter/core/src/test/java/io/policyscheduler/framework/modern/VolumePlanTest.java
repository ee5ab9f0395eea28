package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumePlanTest {
    private final PluginFixture fixture =
            new PluginFixture().node("n1", "{host: 'n1'}").node("n2", "{host: 'n2'}");

    private void claim(String name, String size, String annotations) {
        fixture.add(
                "PersistentVolumeClaim",
                "{metadata: {namespace: 'default', name: '" + name + "', annotations: {" + annotations
                        + "}}, spec: {storageClassName: 's', accessModes: ['ReadWriteOnce'], resources: {requests:"
                        + " {storage: '" + size + "'}}}}");
    }

    private void classOf(String provisioner) {
        fixture.add(
                "StorageClass",
                "{metadata: {name: 's'}, provisioner: '" + provisioner
                        + "', volumeBindingMode: 'WaitForFirstConsumer'}");
    }

    private void volumeOn(String name, String host) {
        fixture.add(
                "PersistentVolume",
                "{metadata: {name: '" + name + "'}, spec: {storageClassName: 's', accessModes: ['ReadWriteOnce'],"
                        + " capacity: {storage: '10'}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions:"
                        + " [{key: 'host', operator: 'In', values: ['" + host + "']}]}]}}}, status: {phase:"
                        + " 'Available'}}");
    }

    private String plan(int node) {
        PodInfo pod = fixture.pod(
                "p",
                "{}",
                "{volumes: [{persistentVolumeClaim: {claimName: 'large'}}, {persistentVolumeClaim: {claimName:"
                        + " 'small'}}]}");
        fixture.newCycle();
        PodVolumes plan =
                VolumeBinding.podVolumes(fixture.cluster, pod, fixture.nodes().get(node));
        List<String> matches = plan.matches().stream()
                .map(match -> match.claim().name() + "=" + match.volume().name())
                .toList();
        return matches + " " + plan.provisions().stream().map(ClaimInfo::name).toList();
    }

    @Test
    void takesVolumesForTheSmallestClaimsFirstAndHasTheOthersMade() {
        classOf("csi.example.com");
        claim("large", "8", "");
        claim("small", "2", "");
        volumeOn("v", "n1");
        assertEquals("[small=v] [large]", plan(0));
        assertEquals("[] [small, large]", plan(1));
    }

    @Test
    void aClaimThatHasItsNodeIsMadeThere() {
        classOf("csi.example.com");
        claim("large", "8", "'volume.kubernetes.io/selected-node': 'n1'");
        claim("small", "2", "");
        volumeOn("v", "n1");
        assertEquals("[small=v] [large]", plan(0));
    }

    @Test
    void nothingIsDoneWhereNothingCanBe() {
        assertEquals("[] []", plan(0));
        classOf("kubernetes.io/no-provisioner");
        claim("large", "8", "");
        claim("small", "2", "");
        volumeOn("v", "n1");
        // One volume is not enough for both claims.
        assertEquals("[] []", plan(0));
    }
}
