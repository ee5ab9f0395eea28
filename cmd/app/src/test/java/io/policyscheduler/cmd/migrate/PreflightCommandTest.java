package io.policyscheduler.cmd.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PreflightCommandTest {
    private static final String FOLDER = "src/test/resources/preflight/";

    @Test
    void findsEachTrapOfAClusterOf120() throws IOException {
        assertEquals(
                List.of(
                        "policy-flag 1.23 --policy-config-file [Pod kube-system/kube-scheduler-cp-1]",
                        "lock 1.24 --leader-elect-resource-lock=endpoints [Pod kube-system/kube-scheduler-cp-1]",
                        "lock 1.24 endpoints lock [Endpoints kube-system/kube-scheduler]",
                        "beta-label 1.17 failure-domain.beta.kubernetes.io/zone [policy-1.20.json, Deployment shop/web]",
                        "in-tree-volume 1.23 awsElasticBlockStore [PersistentVolume pv-1]",
                        "in-tree-volume 1.23 kubernetes.io/aws-ebs [StorageClass gp2]",
                        "volume-limit 1.23 MaxEBSVolumeCount [policy-1.20.json]",
                        "avoid-pods 1.23 preferAvoidPods [Node node-1]",
                        "master-label 1.24 node-role.kubernetes.io/master [policy-1.20.json, CronJob shop/backup]",
                        "master-taint 1.24 node-role.kubernetes.io/master [DaemonSet kube-system/agent]",
                        "api-version 1.25 batch/v1beta1 CronJob [CronJob shop/backup]",
                        "api-version 1.25 policy/v1beta1 PodDisruptionBudget [PodDisruptionBudget shop/web]"),
                findings(preflight("1.20", "1.36", ExitCode.NEGATIVE)));
    }

    @Test
    void reportsOnlyWhatAReleaseUpToTheTargetRemoves() throws IOException {
        assertEquals(
                List.of(
                        "policy-flag 1.23",
                        "beta-label 1.17",
                        "in-tree-volume 1.23",
                        "in-tree-volume 1.23",
                        "volume-limit 1.23",
                        "avoid-pods 1.23"),
                findings(preflight("1.20", "1.23", ExitCode.NEGATIVE)).stream()
                        .map(finding -> finding.replaceAll("^(\\S+ \\S+).*", "$1"))
                        .toList());
    }

    @Test
    void findsNothingInACleanCluster() throws IOException {
        JsonNode result = preflight("clean", "1.36", ExitCode.OK);

        assertEquals(List.of(), findings(result));
        assertEquals(6, result.path("objects").asInt());
        assertTrue(result.path("manual").size() > 0, result.toString());
    }

    @Test
    void answersFirst() {
        CommandRun found = run("1.20");
        assertEquals(
                "12 problems to solve before an upgrade to Kubernetes " + Release.NEWEST_TEXT
                        + ", in 10 objects and policy-1.20.json.",
                found.out().lines().findFirst().orElse(""));
        CommandRun clean = run("clean");
        assertEquals(
                "Nothing found that Kubernetes " + Release.NEWEST_TEXT + " breaks, in 6 objects and policy-clean.json.",
                clean.out().lines().findFirst().orElse(""));
        assertTrue(clean.out().contains("\ncluster autoscaler, Karpenter "), clean.out());
        assertTrue(clean.out().contains(" validate --explain --release 1.N POLICY lists "), clean.out());
    }

    /** Flags of a scheduler in a Deployment, as two words, and the labels of volumes. */
    @Test
    void looksIntoWorkloadsAndVolumes(@TempDir Path folder) throws IOException {
        Path dump = folder.resolve("dump.json");
        Files.writeString(dump, """
                {"apiVersion": "v1", "kind": "List", "items": [
                 {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "second", "namespace": "kube-system"},
                  "spec": {"template": {"spec": {"containers": [{"name": "c", "command": ["kube-scheduler"],
                   "args": ["--policy-configmap", "p", "--leader-elect-resource-lock", "configmaps"]}]}}}},
                 {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-1"}, "spec": {"nodeAffinity":
                  {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                   {"key": "failure-domain.beta.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}]}}}}]}
                """);
        CommandRun run =
                CommandRun.of("preflight", FOLDER + "policy-clean.json", "--cluster", dump.toString(), "-o", "json");
        assertEquals(
                List.of(
                        "policy-flag 1.23 --policy-configmap [Deployment kube-system/second]",
                        "lock 1.24 --leader-elect-resource-lock=configmaps [Deployment kube-system/second]",
                        "beta-label 1.17 failure-domain.beta.kubernetes.io/zone [PersistentVolume pv-1]"),
                findings(new ObjectMapper().readTree(run.out())));
    }

    @Test
    void warnsAboutATargetThatIsNotSupportedYet() {
        CommandRun run = CommandRun.of(
                "preflight", FOLDER + "policy-clean.json", "--cluster", FOLDER + "cluster-clean.yaml", "--target=1.99");
        assertEquals(ExitCode.OK, run.code());
        assertTrue(run.err().startsWith("warning: W303 Kubernetes 1.99 is newer than "), run.err());
    }

    @Test
    void rejectsATargetThatIsNoRelease() {
        CommandRun run = CommandRun.of(
                "preflight", FOLDER + "policy-clean.json", "--cluster", FOLDER + "cluster-clean.yaml", "--target=2");
        assertEquals(ExitCode.USAGE, run.code());
        assertTrue(run.err().startsWith("error: --target: "), run.err());
    }

    private static CommandRun run(String name) {
        return CommandRun.of(
                "preflight", FOLDER + "policy-" + name + ".json", "--cluster", FOLDER + "cluster-" + name + ".yaml");
    }

    private static JsonNode preflight(String name, String target, int code) throws IOException {
        CommandRun run = CommandRun.of(
                "preflight",
                "--target",
                target,
                "--cluster",
                FOLDER + "cluster-" + name + ".yaml",
                FOLDER + "policy-" + name + ".json",
                "-o",
                "json");
        assertEquals(code, run.code(), run.err());
        return new ObjectMapper().readTree(run.out());
    }

    private static List<String> findings(JsonNode result) {
        List<String> findings = new ArrayList<>();
        for (JsonNode finding : result.path("findings")) {
            List<String> places = new ArrayList<>();
            finding.path("places").forEach(place -> places.add(place.asText()));
            findings.add(
                    finding.path("check").asText() + " " + finding.path("since").asText() + " "
                            + finding.path("value").asText() + " " + places);
        }
        return findings;
    }
}
