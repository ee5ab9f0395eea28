package io.policyscheduler.cmd.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MissingKindsTest {
    private static final String STORED = "resourceVersion: '1', ";
    private static final String CLAIM =
            "---\n{kind: PersistentVolumeClaim, metadata: {" + STORED + "name: c}, spec: {storageClassName: fast}}\n";
    private static final String CLASS = "---\n{kind: StorageClass, metadata: {" + STORED
            + "name: fast}, provisioner: csi.a, volumeBindingMode: WaitForFirstConsumer}\n";
    private static final String DRIVER =
            "---\n{kind: CSIDriver, metadata: {name: csi.a}, spec: {storageCapacity: true}}\n";

    @TempDir
    private static Path folder = Path.of("");

    private static List<String> missing(String text, String... readers) throws IOException {
        List<String> warnings = new ArrayList<>();
        Dump dump = new Dump(FeatureGates.defaults().at(Release.NEWEST), warnings::add, objects -> {});
        dump.read(Files.writeString(folder.resolve("dump.yaml"), text));
        return MissingKinds.of(dump.snapshot(), dump.kinds(), KindReaders.of(Set.of(readers)));
    }

    private static String expected(String plural, String why, String command) {
        return "W153 the files have no " + plural + ", but " + why
                + ": decisions can differ from those of the cluster; to add them, run kubectl get " + command
                + " -A -o json";
    }

    @Test
    void aClaimThatWaitsForStorageCapacity() throws IOException {
        assertEquals(
                List.of(expected("storageclasses", "claim default/c names fast", "sc")),
                missing(CLAIM, "VolumeBinding"));
        assertEquals(
                List.of(expected("csidrivers", "claim default/c waits for a volume of csi.a", "csidrivers")),
                missing(CLAIM + CLASS, "VolumeBinding"));
        assertEquals(
                List.of(expected(
                        "csistoragecapacities",
                        "claim default/c waits for a volume of csi.a, which has storageCapacity",
                        "csistoragecapacities")),
                missing(CLAIM + CLASS + DRIVER, "VolumeBinding"));
        assertEquals(List.of(), missing(CLAIM + CLASS + DRIVER, "NodeResourcesFit", "VolumeZone"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}] | VolumeBinding | persistentvolumeclaims |"
                        + " pod default/p has a claim | pvc",
                "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z,"
                        + " namespaceSelector: {matchLabels: {a: b}}}]}} | InterPodAffinity | namespaces |"
                        + " pod default/p has a namespaceSelector | ns",
                "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1,"
                        + " podAffinityTerm: {topologyKey: z, namespaceSelector: {matchLabels: {a: b}}}}]}} | someRule |"
                        + " namespaces | pod default/p has a namespaceSelector | ns"
            })
    void podsThatPointAtOthers(String spec, String reader, String plural, String why, String command)
            throws IOException {
        String pod = "---\n{kind: Pod, metadata: {" + STORED + "name: p, namespace: default}, spec: {" + spec + "}}";
        assertEquals(List.of(expected(plural, why, command)), missing(pod, reader));
        assertEquals(List.of(), missing(pod, "NodeResourcesFit"));
    }

    @Test
    void theOwnersOfPodsAreToldOnce() throws IOException {
        String pod = "---\n{kind: Pod, metadata: {" + STORED + "name: %s, namespace: default, ownerReferences:"
                + " [{kind: ReplicaSet, name: rs, uid: u, controller: true}]}, spec: {}}\n";
        String pods = String.format(pod, "p") + String.format(pod, "q");
        assertEquals(
                List.of(expected("replicasets", "pod default/p belongs to one", "rs")),
                missing(pods, "PodTopologySpread"));
        String owner = "---\n{kind: ReplicaSet, metadata: {name: rs}, spec: {selector: {}}}\n";
        assertEquals(List.of(), missing(pods + owner, "PodTopologySpread"));
    }

    @Test
    void whoPushesOthersAsideNeedsBudgets() throws IOException {
        Dump dump = new Dump(FeatureGates.defaults().at(Release.NEWEST), warning -> {}, objects -> {});
        dump.read(Files.writeString(
                folder.resolve("pods.yaml"),
                "---\n{kind: Pod, metadata: {" + STORED + "name: p, namespace: default}, spec: {priority: 5}}"));
        PodInfo pod = dump.snapshot().pending().get(0);
        assertEquals(
                Optional.of(expected("poddisruptionbudgets", "pod default/p would preempt other pods", "pdb")),
                MissingKinds.ofPreemption(dump.kinds(), pod));
        assertEquals(Optional.empty(), MissingKinds.ofPreemption(Set.of(ResourceKind.DISRUPTION_BUDGETS), pod));
    }

    @Test
    void whatADumpSaysItHasAllOfIsNotMissed() throws IOException {
        String json = "{\"kind\": \"List\", \"items\": [{\"kind\": \"PersistentVolumeClaim\", \"metadata\": {\"name\":"
                + " \"c\", \"resourceVersion\": \"1\"}, \"spec\": {\"storageClassName\": \"fast\"}}]%s}";
        assertEquals(
                List.of(expected("storageclasses", "claim default/c names fast", "sc")),
                missing(String.format(json, ""), "VolumeBinding"));
        assertEquals(
                List.of(),
                missing(String.format(json, ", \"listedKinds\": [\"Pod\", \"StorageClass\", 3]"), "VolumeBinding"));
    }

    @Test
    void aBoundClaimHasAVolume() throws IOException {
        String bound = CLAIM.replace("spec: {", "spec: {volumeName: v, ");
        assertEquals(
                List.of(expected("persistentvolumes", "claim default/c is bound to one", "pv")),
                missing(bound, "VolumeZone"));
    }
}
