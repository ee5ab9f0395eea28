package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.policyscheduler.cmd.live.Algorithms.VolumeBinders;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.placement.PodVolumeClaims.PodVolumes;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.engine.testing.Clusters;
import io.policyscheduler.engine.testing.NodeBuilder;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

public class VolumeBindersTest {
    private static final JsonFactory JSON = new JsonFactory();

    private final ClusterState cluster = Clusters.cluster(
            NodeBuilder.node("n").build(),
            read(
                    "StorageClass",
                    "{'metadata': {'name': 's'}, 'provisioner': 'csi.example.com',"
                            + " 'volumeBindingMode': 'WaitForFirstConsumer'}"),
            read(
                    "PersistentVolumeClaim",
                    "{'metadata': {'namespace': 'default', 'name': 'c'}, 'spec':"
                            + " {'storageClassName': 's', 'accessModes': ['ReadWriteOnce'],"
                            + " 'volumeAttributesClassName': 'gold', 'resources': {'requests': {'storage': '1'}}}}"),
            read(
                    "PersistentVolumeClaim",
                    "{'metadata': {'namespace': 'default', 'name': 'p-e', 'ownerReferences':"
                            + " [{'apiVersion': 'v1', 'kind': 'Pod', 'name': 'p', 'uid': 'u', 'controller': true}]}, 'spec':"
                            + " {'storageClassName': 's', 'accessModes': ['ReadWriteOnce'],"
                            + " 'resources': {'requests': {'storage': '1'}}}}"),
            read(
                    "PersistentVolume",
                    "{'metadata': {'name': 'v'}, 'spec': {'storageClassName': 's', 'accessModes':"
                            + " ['ReadWriteOnce'], 'capacity': {'storage': '1'}}, 'status': {'phase': 'Available'}}"));
    private final NodeInfo node = Clusters.info(cluster, "n");

    private static ClusterObject read(String kind, String text) {
        try (JsonParser parser = JSON.createParser(text.replace('\'', '"'))) {
            parser.nextToken();
            return Objects.requireNonNull(new ObjectReader(FeatureGates.defaults(), false).read(parser, kind));
        } catch (IOException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static PodInfo pod(String volume) {
        return (PodInfo) read(
                "Pod",
                "{'metadata': {'namespace': 'default', 'name': 'p', 'uid': 'u'}, 'spec':"
                        + " {'volumes': [{'name': 'e', " + volume + "}]}}");
    }

    private String decision(int minor, String volume) {
        FeatureGates gates = FeatureGates.defaults().at(new Release(minor));
        PodVolumes decision = VolumeBinders.binder(gates, true).decide(cluster, pod(volume), node);
        List<String> matches = decision.matches().stream()
                .map(match -> match.claim().name() + "=" + match.volume().name())
                .toList();
        return matches + " "
                + decision.provisions().stream().map(claim -> claim.name()).toList();
    }

    @Test
    void theReleaseDecidesWhichVolumesSuit() {
        String claim = "'persistentVolumeClaim': {'claimName': 'c'}";
        assertEquals("[c=v] []", decision(17, claim));
        // The volume has no attributes class.
        assertEquals("[] [c]", decision(34, claim));
    }

    @Test
    void claimsOfEphemeralVolumesCameLater() {
        String ephemeral = "'ephemeral': {'volumeClaimTemplate': {'spec': {}}}";
        assertEquals("[] []", decision(17, ephemeral));
        assertEquals("[p-e=v] []", decision(34, ephemeral));
    }

    @Test
    void withoutTheCheckNothingIsBound() {
        FeatureGates gates = FeatureGates.defaults().at(Release.NEWEST);
        PodInfo pod = pod("'persistentVolumeClaim': {'claimName': 'c'}");
        assertEquals(
                List.of(),
                VolumeBinders.binder(gates, false).assume(cluster, pod, node).claims());
        assertEquals(
                List.of("c"),
                VolumeBinders.binder(gates, true).assume(cluster, pod, node).claims().stream()
                        .map(claim -> claim.name())
                        .toList());
    }
}
