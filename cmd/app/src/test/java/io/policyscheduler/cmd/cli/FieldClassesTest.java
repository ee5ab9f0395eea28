package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Generated inputs for classes of faults that field files showed: flags and syntax of old releases, plugins that a release removed,
 * preferences of different weights, evictions, and added nodes.
 */
class FieldClassesTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long SEED = 56;

    private final Path folder;

    FieldClassesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static JsonNode json(CommandRun run) throws IOException {
        return MAPPER.readTree(run.out());
    }

    /** The flags that each release added, according to the pages of kube-scheduler and its start logs. Each is shown as given, or reported. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.0 | address algorithm-provider kubeconfig master policy-config-file port profiling alsologtostderr"
                        + " log-backtrace-at log-dir logtostderr stderrthreshold v version vmodule",
                "1.1 | bind-pods-qps bind-pods-burst google-json-key log-flush-frequency",
                "1.2 | kube-api-qps kube-api-burst leader-elect leader-elect-lease-duration leader-elect-renew-deadline"
                        + " leader-elect-retry-period scheduler-name",
                "1.3 | failure-domains hard-pod-affinity-symmetric-weight kube-api-content-type",
                "1.4 | feature-gates",
                "1.6 | contention-profiling",
                "1.7 | azure-container-registry-config leader-elect-resource-lock lock-object-name lock-object-namespace"
                        + " policy-configmap policy-configmap-namespace use-legacy-policy-config",
                "1.9 | config",
                "1.11 | write-config-to",
                "1.13 | bind-address secure-port cert-dir tls-cert-file tls-private-key-file tls-cipher-suites"
                        + " tls-min-version tls-sni-cert-key http2-max-streams-per-connection authentication-kubeconfig"
                        + " authentication-skip-lookup authentication-token-webhook-cache-ttl"
                        + " authentication-tolerate-lookup-failure authorization-always-allow-paths"
                        + " authorization-kubeconfig authorization-webhook-cache-authorized-ttl"
                        + " authorization-webhook-cache-unauthorized-ttl client-ca-file requestheader-allowed-names"
                        + " requestheader-client-ca-file requestheader-extra-headers-prefix requestheader-group-headers"
                        + " requestheader-username-headers log-file skip-headers",
                "1.15 | log-file-max-size skip-log-headers",
                "1.16 | add-dir-header leader-elect-resource-name leader-elect-resource-namespace",
                "1.17 | show-hidden-metrics-for-version",
                "1.19 | logging-format",
                "1.20 | experimental-logging-sanitization one-output permit-port-sharing",
                "1.21 | allow-metric-labels permit-address-sharing",
                "1.22 | disabled-metrics",
            })
    void flagsOfOldReleases(String release, String flags) throws IOException {
        Path policy = write("p.json", "{\"kind\": \"Policy\", \"apiVersion\": \"v1\"}");
        write("config.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
        List<String> wrong = new ArrayList<>();
        for (String flag : flags.split(" ")) {
            CommandRun run = CommandRun.of("config", "show", "--" + flag + "=" + value(flag, policy));
            boolean known = !run.err().contains("unknown option");
            boolean shown = (run.out() + run.err())
                    .lines()
                    .anyMatch(line -> line.contains("--" + flag)
                            || line.matches(flag + " .*flag.*")
                            || line.contains("--" + flag.replace("lock-object", "leader-elect-resource")));
            if (!known || !shown) {
                wrong.add(flag + " of " + release + ": " + run);
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** Flags that libraries registered in 1.8 to 1.12 without effect. Later releases reject them, too. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--docker=unix:///var/run/docker.sock",
                "--docker-root=/var/lib/docker",
                "--docker-only",
                "--docker-tls-ca=ca.pem",
                "--housekeeping-interval=10s",
                "--global-housekeeping-interval=1m0s",
                "--storage-driver-user=root",
                "--event-storage-age-limit=default=0",
                "--ir-user=root",
                "--mesos-agent-timeout=10s",
                "--default-not-ready-toleration-seconds=300",
                "--cloud-provider-gce-lb-src-cidrs=130.211.0.0/22",
                "--loglevel=1",
            })
    void flagsOfLibraries(String flag) {
        CommandRun run = CommandRun.of("run", flag);
        assertEquals(
                "2 error: unknown option " + flag.replaceFirst("=.*", "")
                        + "; kube-scheduler 1.8 to 1.12 accepted it without effect: remove it",
                run.code() + " " + run.err().lines().findFirst().orElse(""));
    }

    private static String value(String flag, Path policy) {
        if (flag.equals("leader-elect-lease-duration")) {
            return "30s";
        }
        if (flag.matches(".*(duration|deadline|period|ttl|frequency)")) {
            return "5s";
        }
        if (flag.matches(
                "leader-elect|version|.*profiling|.*stderr|use-.*|.*headers?|permit-.*|.*lookup.*|one-.*|.*sanitization")) {
            return "true";
        }
        return switch (flag) {
            case "policy-config-file" -> policy.toString();
            case "config" -> policy.resolveSibling("config.yaml").toString();
            case "algorithm-provider" -> "DefaultProvider";
            case "feature-gates" -> "EvenPodsSpread=true";
            case "bind-address", "address" -> "127.0.0.1";
            case "leader-elect-resource-lock" -> "endpoints";
            case "tls-min-version" -> "VersionTLS12";
            case "logging-format" -> "text";
            case "kube-api-content-type" -> "application/json";
            default -> "1";
        };
    }

    /** Numbers in quotes, which releases before 1.8 accepted, mean the same as numbers. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'priorities': [{'name': 'LeastRequestedPriority', 'weight': #3#}]}",
                "{'hardPodAffinitySymmetricWeight': #50#}",
                "{'extenders': [{'urlPrefix': 'http://x', 'prioritizeVerb': 'p', 'weight': #5#}]}",
                "{'extenders': [{'urlPrefix': 'http://x', 'filterVerb': 'f', 'httpTimeout': #30000000000#}]}",
                "{'priorities': [{'name': 'R', 'weight': 1, 'argument': {'requestedToCapacityRatioArguments': {'shape':"
                        + " [{'utilization': #0#, 'score': #0#}, {'utilization': #100#, 'score': #10#}]}}}]}",
                "{'priorities': [{'name': 'R', 'weight': 1, 'argument': {'requestedToCapacityRatioArguments': {'shape':"
                        + " [{'utilization': 0, 'score': 0}], 'resources': [{'name': 'cpu', 'weight': #7#}]}}}]}",
            })
    void numbersInQuotes(String text) throws IOException {
        String policy = "{'kind': 'Policy', 'apiVersion': 'v1', " + text.substring(1);
        Path plain = write("plain.json", policy.replace("#", "").replace('\'', '"'));
        Path quoted = write("quoted.json", policy.replace('#', '\'').replace('\'', '"'));
        List<String> effective = new ArrayList<>();
        for (Path file : List.of(plain, quoted)) {
            CommandRun run = CommandRun.of("validate", file.toString(), "-o", "json");
            assertEquals(0, run.code(), run.out());
            assertEquals(file.equals(quoted), run.out().contains("W022"), run.out());
            StringBuilder parts = new StringBuilder();
            for (String part : List.of("predicates", "priorities", "extenders")) {
                parts.append(withoutPlaces(json(run).path(0).path(part)));
            }
            effective.add(parts.toString());
        }
        assertEquals(effective.get(0), effective.get(1));
        String strict =
                CommandRun.of("validate", "--strict-v1.17", quoted.toString()).out();
        assertTrue(strict.contains("quoted.json:1:"), strict);
    }

    private static String withoutPlaces(JsonNode list) {
        return list.toString().replaceAll("\"(line|column)\":\\d+", "");
    }

    /** Plugins that a release removed, in every version and for the first and the last release that reads it. */
    @ParameterizedTest
    @CsvSource({
        "NodeLabel, v1beta1",
        "ServiceAffinity, v1beta1",
        "NodePreferAvoidPods, v1beta1",
        "NodeResourcesLeastAllocated, v1beta1",
        "NodeResourcesMostAllocated, v1beta1",
        "RequestedToCapacityRatio, v1beta1",
        "SelectorSpread, v1beta3",
        "ImageLocality, v1",
        "NodeResourcesFit, v1",
    })
    void removedPlugins(String plugin, String last) throws IOException {
        Path cluster =
                write("cluster.json", "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"n\"}}");
        List<String> versions = List.of("v1beta1", "v1beta2", "v1beta3", "v1");
        List<List<Integer>> releases = List.of(List.of(19, 22), List.of(22, 27), List.of(23, 28), List.of(25, 36));
        List<String> wrong = new ArrayList<>();
        for (String version : versions) {
            Path file = write(
                    version + ".yaml",
                    "apiVersion: kubescheduler.config.k8s.io/" + version
                            + """

                    kind: KubeSchedulerConfiguration
                    profiles:
                    - plugins:
                        score:
                          disabled: [{name: "*"}]
                          enabled: [{name: PLUGIN, weight: 1}]
                      pluginConfig: ARGUMENTS
                    """.replace("PLUGIN", plugin).replace("ARGUMENTS", arguments(plugin)));
            boolean exists = versions.indexOf(version) <= versions.indexOf(last);
            for (int minor : releases.get(versions.indexOf(version))) {
                CommandRun run = CommandRun.of("validate", file.toString(), "--release", "1." + minor);
                if (run.code() != (exists ? 0 : 1) || run.out().contains(rejection(plugin, version, minor)) == exists) {
                    wrong.add(version + " for 1." + minor + ": " + run);
                }
                CommandRun simulated = CommandRun.of(
                        "simulate", "--cluster=" + cluster, "--decider=config:" + file, "--release=1." + minor);
                if ((simulated.code() == 0) != exists
                        || simulated.err().contains(rejection(plugin, version, minor)) == exists) {
                    wrong.add(version + " for 1." + minor + ": " + simulated);
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** The text of that release: 1.22 lists what v1beta2 removed, and later releases do not have these plugins. */
    private static String rejection(String plugin, String version, int minor) {
        boolean listed = plugin.equals("SelectorSpread") ? version.equals("v1") && minor < 29 : minor == 22;
        String reason = minor == 22 ? "was removed" : "was invalid";
        return listed ? plugin + "\": " + reason + " in version" : "ScorePlugin \"" + plugin + "\" does not exist";
    }

    private static String arguments(String plugin) {
        return switch (plugin) {
            case "NodeLabel" -> "[{name: NodeLabel, args: {presentLabelsPreference: [a]}}]";
            case "ServiceAffinity" -> "[{name: ServiceAffinity, args: {antiAffinityLabelsPreference: [a]}}]";
            case "RequestedToCapacityRatio" ->
                "[{name: RequestedToCapacityRatio, args: {shape: [{utilization: 0, score: 0}, {utilization: 100, score:"
                        + " 10}]}}]";
            default -> "[]";
        };
    }

    /** Several preferences for labels with different weights: each one counts 100 points times its weight, without rounding. */
    @Test
    void labelPreferencesOfDifferentWeights() throws IOException {
        Random random = new Random(SEED);
        for (int input = 0; input < 20; input++) {
            int labels = 2 + random.nextInt(4);
            List<String> entries = new ArrayList<>();
            List<long[]> weights = new ArrayList<>();
            for (int i = 0; i < labels; i++) {
                long weight = 1 + random.nextInt(9);
                boolean presence = random.nextBoolean();
                weights.add(new long[] {weight, presence ? 1 : 0});
                entries.add("{name: P" + i + ", weight: " + weight + ", argument: {labelPreference: {label: l" + i
                        + ", presence: " + presence + "}}}");
            }
            StringBuilder cluster = new StringBuilder(pod("p", "", "", "100m"));
            Map<String, Long> scores = new TreeMap<>();
            for (String node : List.of("a", "b", "c", "d")) {
                long score = 0;
                StringBuilder has = new StringBuilder();
                for (int i = 0; i < labels; i++) {
                    boolean present = random.nextBoolean();
                    has.append(present ? ", l" + i + ": x" : "");
                    score += present == (weights.get(i)[1] == 1) ? 100 * weights.get(i)[0] : 0;
                }
                scores.put(node, score);
                cluster.append(node(node, has.toString(), "4"));
            }
            assertBest(scores, entries, cluster.toString());
        }
    }

    /** The same for spreading the pods of a service by several labels. Mirrors {@code ServiceAntiAffinity} of 1.17. */
    @Test
    void serviceAntiAffinitiesOfDifferentWeights() throws IOException {
        Random random = new Random(SEED);
        for (int input = 0; input < 20; input++) {
            int labels = 2 + random.nextInt(3);
            List<String> entries = new ArrayList<>();
            List<Long> weights = new ArrayList<>();
            for (int i = 0; i < labels; i++) {
                weights.add(1L + random.nextInt(9));
                entries.add("{name: S" + i + ", weight: " + weights.get(i)
                        + ", argument: {serviceAntiAffinity: {label: l" + i + "}}}");
            }
            StringBuilder cluster = new StringBuilder(pod("p", "app: web", "", "100m")
                    + "---\n{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}, spec: {selector: {app:"
                    + " web}}}\n");
            Map<String, List<String>> values = new TreeMap<>();
            Map<String, Integer> pods = new TreeMap<>();
            int total = 0;
            for (String node : List.of("a", "b", "c", "d")) {
                List<String> own = new ArrayList<>();
                StringBuilder has = new StringBuilder();
                for (int i = 0; i < labels; i++) {
                    String value = random.nextInt(5) == 0 ? "" : "v" + random.nextInt(3);
                    own.add(value);
                    has.append(value.isEmpty() ? "" : ", l" + i + ": " + value);
                }
                values.put(node, own);
                pods.put(node, random.nextInt(4));
                total += pods.get(node);
                cluster.append(node(node, has.toString(), "4"));
                for (int i = 0; i < pods.get(node); i++) {
                    cluster.append(pod(node + i, "app: web", node, "100m"));
                }
            }
            Map<String, Long> scores = new TreeMap<>();
            for (String node : values.keySet()) {
                long score = 0;
                for (int i = 0; i < labels; i++) {
                    String value = values.get(node).get(i);
                    int count = 0;
                    for (String other : values.keySet()) {
                        count += values.get(other).get(i).equals(value) ? pods.get(other) : 0;
                    }
                    double points = total == 0 ? 100 : 100.0 * ((double) (total - count) / total);
                    score += value.isEmpty() ? 0 : weights.get(i) * (long) points;
                }
                scores.put(node, score);
            }
            assertBest(scores, entries, cluster.toString());
        }
    }

    private void assertBest(Map<String, Long> scores, List<String> entries, String cluster) throws IOException {
        Path policy = write(
                "policy.yaml",
                "kind: Policy\napiVersion: v1\npredicates: [{name: PodFitsResources}]\npriorities:\n- "
                        + String.join("\n- ", entries) + "\n");
        Path dump = write("cluster.yaml", cluster);
        JsonNode pod = json(CommandRun.of(
                        "simulate",
                        "--policy",
                        policy.toString(),
                        "--cluster",
                        dump.toString(),
                        "--release",
                        "1.17",
                        "-o",
                        "json"))
                .at("/pods/0");
        long best = scores.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        String node = pod.path("node").asText();
        assertEquals(best, pod.path("score").asLong(), () -> scores + " " + entries + "\n" + cluster);
        assertEquals(best, scores.getOrDefault(node, -1L), () -> node + " of " + scores);
    }

    private static String node(String name, String labels, String cpu) {
        return """
                ---
                {apiVersion: v1, kind: Node, metadata: {name: NAME, labels: {kubernetes.io/hostname: NAMELABELS}}, status: {
                 allocatable: {cpu: "CPU", memory: 64Gi, pods: "110"}, capacity: {cpu: "CPU", memory: 64Gi, pods: "110"},
                 nodeInfo: {kubeletVersion: v1.17.17}, conditions: [{type: Ready, status: "True"}]}}
                """.replace("NAME", name).replace("LABELS", labels).replace("CPU", cpu);
    }

    private static String pod(String name, String labels, String node, String cpu) {
        return """
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: NAME, namespace: default, labels: {LABELS}, ownerReferences: [{
                 apiVersion: apps/v1, kind: ReplicaSet, name: w, uid: w, controller: true}]}, spec: {nodeName: "NODE",
                 containers: [{name: c, image: i, resources: {requests: {cpu: CPU}}}]}, status: {phase: Running}}
                """.replace("NAME", name)
                .replace("LABELS", labels)
                .replace("NODE", node)
                .replace("CPU", cpu)
                .replace("phase: Running", node.isEmpty() ? "phase: Pending" : "phase: Running");
    }

    /** Of equal pods that exceed a node, as many are evicted as exceed it, if another node has space for them. */
    @ParameterizedTest
    @ValueSource(strings = {"provider:DefaultProvider", "modern"})
    void evictionsAreThoseThatAreNeeded(String scheduler) throws IOException {
        Random random = new Random(SEED);
        for (int input = 0; input < 12; input++) {
            int size = 1 + random.nextInt(3);
            int cpu = 2 + random.nextInt(6);
            int pods = 1 + random.nextInt(8);
            int space = random.nextInt(12);
            StringBuilder cluster = new StringBuilder(node("n1", "", "" + cpu) + node("n2", "", "" + space));
            for (int i = 0; i < pods; i++) {
                cluster.append(pod("w" + i, "app: w", "n1", "" + size));
            }
            Path dump = write("dump.yaml", cluster.toString());
            JsonNode audit = json(CommandRun.of(
                    "audit", "--scheduler", scheduler, "--cluster", dump.toString(), "--evict", "-o", "json"));
            Set<String> planned = new HashSet<>();
            audit.path("evictions").forEach(eviction -> {
                if (eviction.path("result").asText().equals("planned")) {
                    planned.add(eviction.path("pod").asText());
                }
            });
            int exceeding = Math.max(0, pods - cpu / size);
            String text = "size " + size + ", cpu " + cpu + ", pods " + pods + ", space " + space + ": " + audit;
            assertEquals(Math.min(exceeding, space / size), planned.size(), text);
        }
    }

    /** Taints that nodes have only while they start or stop, and cordons, are not those of a new node; all others are. */
    @ParameterizedTest
    @CsvSource({
        "node.kubernetes.io/not-ready, false",
        "node.kubernetes.io/unreachable, false",
        "node.kubernetes.io/unschedulable, false",
        "node.kubernetes.io/network-unavailable, false",
        "node.kubernetes.io/disk-pressure, false",
        "node.kubernetes.io/memory-pressure, false",
        "node.kubernetes.io/pid-pressure, false",
        "node.kubernetes.io/out-of-service, false",
        "node.cloudprovider.kubernetes.io/uninitialized, false",
        "node.cloudprovider.kubernetes.io/shutdown, false",
        "node.cilium.io/agent-not-ready, false",
        "ebs.csi.aws.com/agent-not-ready, false",
        "startup-taint.cluster-autoscaler.kubernetes.io/x, false",
        "ignore-taint.cluster-autoscaler.kubernetes.io/x, false",
        "ToBeDeletedByClusterAutoscaler, false",
        "DeletionCandidateOfClusterAutoscaler, false",
        "karpenter.sh/disrupted, false",
        "dedicated, true",
        "nvidia.com/gpu, true",
        "node-role.kubernetes.io/control-plane, true",
        "example.com/not-ready-for-you, true",
    })
    void taintsOfNewNodes(String taint, boolean kept) throws IOException {
        for (boolean cordoned : List.of(false, true)) {
            String node = node("n1", "", "4")
                    .replace(
                            "status: {",
                            "spec: {unschedulable: " + cordoned + ", taints: [{key: " + taint
                                    + ", effect: NoSchedule}]}, status: {");
            Path dump = write("dump.yaml", node + pod("p", "", "", "100m"));
            for (String scheduler : List.of("provider:DefaultProvider", "modern")) {
                CommandRun run = CommandRun.of(
                        "simulate",
                        "--scheduler",
                        scheduler,
                        "--cluster",
                        dump.toString(),
                        "--add-nodes",
                        "1:like=n1",
                        "-o",
                        "json");
                JsonNode result = json(run);
                assertEquals(kept ? 0 : 1, result.path("placed").asInt(), run::toString);
                boolean reported = Stream.of(result.path("changes"))
                        .anyMatch(changes -> changes.toString().contains("omitted"));
                assertEquals(!kept || cordoned, reported, run::toString);
            }
        }
    }
}
