package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.InputFiles.ManifestFiles;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code preflight}: finds what an upgrade of Kubernetes breaks in a policy and in the objects of a cluster. */
@Command(
        name = "preflight",
        description = "Finds what an upgrade of Kubernetes breaks in a policy and in the objects of a cluster.",
        sortOptions = false,
        customSynopsis = {"policy-scheduler preflight POLICY --cluster=FILE... [--target=1.N] [OPTION...]"},
        footer = {
            "",
            "preflight reads a dump of the cluster before the upgrade: nodes, pods, PersistentVolumes,",
            "StorageClasses, PodDisruptionBudgets, all workloads, CronJobs, Endpoints, and ConfigMaps, as",
            "\"kubectl get KINDS -A -o json\" writes them. A file of \"policy-scheduler dump\" does not contain all",
            "of these kinds.",
            "",
            "preflight finds what a release up to --target removes: kube-scheduler flags, API versions, labels,",
            "taints, annotations, in-tree volumes, and kinds of leader election locks. It also finds labels that",
            "such a release deprecates. The column SINCE shows the release that removes or deprecates the flag,",
            "label, or other item. For an in-tree volume, it shows the first release that needs the CSI driver.",
            "The last table lists points to check by hand, because no dump contains them. -o json lists all",
            "objects of a finding.",
            "",
            "The exit code is 1 if anything is found.",
            "-o json prints the document that docs/schemas/preflight.schema.json describes."
        })
public final class PreflightCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "POLICY", arity = "1", description = "Policy file, JSON or YAML.")
    private Path policy = Path.of("");

    @Option(
            names = "--cluster",
            paramLabel = "FILE",
            required = true,
            description = "Dump of the cluster before the upgrade, JSON or YAML. Repeatable.")
    private List<Path> files = List.of();

    @Option(
            names = "--target",
            paramLabel = "1.N",
            description = "Kubernetes release to upgrade to. Default: the newest supported release.")
    private @Nullable String target;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        Release release = target();
        ReleaseOptions.newer(release).forEach(note -> common.err().println("warning: " + note));
        String text = InputFiles.text(policy);
        try {
            new PolicyReader().read(text, policy.toString());
        } catch (PolicyException e) {
            throw InputException.of(e);
        }
        List<JsonNode> policyDocuments = ManifestFiles.read(policy.toString(), text.getBytes(StandardCharsets.UTF_8));
        List<JsonNode> objects = files.stream()
                .flatMap(file -> ManifestFiles.read(file).stream())
                .toList();
        PreflightChecks checks = new PreflightChecks(release, policy.toString().replaceFirst(".*/", ""));
        policyDocuments.forEach(checks::policy);
        objects.forEach(checks::object);
        List<PreflightChecks.Finding> findings = checks.findings();
        common.output()
                .write(() -> print(common.out(), release, checks, findings), () -> json(release, checks, findings));
        return findings.isEmpty() ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private Release target() {
        try {
            return target == null ? Release.NEWEST : Release.parse(target);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--target: " + e.getMessage(), e);
        }
    }

    private void print(
            PrintWriter out, Release release, PreflightChecks checks, List<PreflightChecks.Finding> findings) {
        if (findings.isEmpty()) {
            out.println("Nothing found that Kubernetes " + release + " breaks, in " + checks.objects() + " objects and "
                    + policy.getFileName() + ".");
        } else {
            out.println(findings.size() + (findings.size() == 1 ? " problem" : " problems")
                    + " to solve before an upgrade to Kubernetes " + release + ", in " + checks.objects()
                    + " objects and "
                    + policy.getFileName() + ".");
            TextTable table =
                    new TextTable().text("CHECK").text("SINCE").text("FOUND").text("WHERE");
            Map<String, String> actions = new LinkedHashMap<>();
            for (PreflightChecks.Finding finding : findings) {
                table.row(finding.check().key(), finding.since(), finding.value(), where(finding));
                actions.put(finding.check().key(), finding.check().action());
            }
            out.println();
            table.print(out);
            TextTable fixes = new TextTable().text("CHECK").text("WHAT TO DO");
            actions.forEach(fixes::row);
            out.println();
            fixes.print(out);
        }
        TextTable rest = new TextTable().text("NOT IN A DUMP").text("CHECK YOURSELF");
        PreflightChecks.REST.forEach(rest::row);
        out.println();
        rest.print(out);
    }

    private static String where(PreflightChecks.Finding finding) {
        int more = finding.places().size() - 1;
        return finding.places().get(0) + (more > 0 ? ", and " + more + " more" : "");
    }

    private static ObjectNode json(Release release, PreflightChecks checks, List<PreflightChecks.Finding> findings) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("target", release.toString()).put("objects", checks.objects());
        ArrayNode list = node.putArray("findings");
        for (PreflightChecks.Finding finding : findings) {
            ObjectNode one = list.addObject()
                    .put("check", finding.check().key())
                    .put("since", finding.since().toString())
                    .put("value", finding.value())
                    .put("action", finding.check().action());
            finding.places().forEach(one.putArray("places")::add);
        }
        ArrayNode rest = node.putArray("manual");
        PreflightChecks.REST.forEach(
                (what, check) -> rest.addObject().put("what", what).put("check", check));
        return node;
    }

    /**
     * The checks of {@code preflight}. They read complete objects, because a scheduler does not read most of what an upgrade removes
     * (API versions, flags of other programs, annotations). The releases are those of the deprecation guide and the CSI migration of
     * Kubernetes. Not thread-safe.
     */
    private static final class PreflightChecks {
        private static final String MASTER = "node-role.kubernetes.io/master";
        private static final String CONTROL_PLANE = "node-role.kubernetes.io/control-plane";
        private static final String AVOID_PODS = "scheduler.alpha.kubernetes.io/preferAvoidPods";
        private static final String LEADER = "control-plane.alpha.kubernetes.io/leader";

        /** The kinds of problems. The keys are stable: programs match on them. */
        enum Check {
            POLICY_FLAG("start policy-scheduler instead, with the same flags"),
            LOCK("use a leases lock: --leader-elect-resource-lock=leases"),
            BETA_LABEL(
                    "use the topology.kubernetes.io, node.kubernetes.io, or kubernetes.io label, and label all nodes"),
            IN_TREE_VOLUME("install the CSI driver on all nodes before the release in SINCE"),
            VOLUME_LIMIT("add MaxCSIVolumeCountPred, and check the limits in the CSINode objects"),
            AVOID_PODS("taint these nodes (PreferNoSchedule) if a default profile ever schedules the pods"),
            MASTER_LABEL("select node-role.kubernetes.io/control-plane"),
            MASTER_TAINT("also tolerate node-role.kubernetes.io/control-plane"),
            API_VERSION("change manifests and clients to the newer API version");

            private final String action;

            Check(String action) {
                this.action = action;
            }

            String key() {
                return name().toLowerCase(Locale.ROOT).replace('_', '-');
            }

            String action() {
                return action;
            }
        }

        /**
         * Something that breaks.
         *
         * @param since the first release without it; for a label, the release that deprecates it; for a volume, the release that needs the CSI driver
         * @param value the flag, label, kind of volume, or API version
         * @param places the objects or the policy that have it: {@code Deployment shop/web}
         */
        record Finding(Check check, Release since, String value, List<String> places) {
            Finding {
                places = List.copyOf(places);
            }
        }

        /** Problems that a dump does not show, and how to check for them. */
        static final Map<String, String> REST = ImmutableMap.<String, String>builder()
                .put("extenders", "each extender of the policy is reachable from the new control plane")
                .put("manifests in Git and Helm", "no removed API version, label, or toleration is applied again")
                .put(
                        "cluster autoscaler, Karpenter",
                        "they simulate the default plugins, not the policy: test a scale-up")
                .put("metrics and alerts", "names of kube-scheduler metrics and texts of events that alerts match")
                .put("new nodes", "they get every label that the policy names")
                .put("RBAC", "the manifests of this program are applied before its first start")
                .put("decisions", "validate --explain --release 1.N POLICY lists the effect of newer pod fields")
                .buildOrThrow();

        private static final Map<String, String> FLAGS = Map.of(
                "--policy-config-file", "1.23",
                "--policy-configmap", "1.23",
                "--policy-configmap-namespace", "1.23",
                "--use-legacy-policy-config", "1.23",
                "--algorithm-provider", "1.23");

        private static final Map<String, String> LOCKS = Map.of(
                "endpoints", "1.24",
                "configmaps", "1.24",
                "endpointsleases", "1.28",
                "configmapsleases", "1.28");

        /** Labels that are deprecated. New nodes may not have them. */
        private static final Set<String> BETA_LABELS = Set.of(
                "failure-domain.beta.kubernetes.io/zone",
                "failure-domain.beta.kubernetes.io/region",
                "beta.kubernetes.io/instance-type",
                "beta.kubernetes.io/os",
                "beta.kubernetes.io/arch");

        /**
         * In-tree volumes, and the release from which their in-tree plugin does not work any more: the first one that passes them to a CSI
         * driver by default (CSI migration), or, without migration, the first one whose kubelet has no such plugin.
         */
        private static final Map<String, String> VOLUMES = ImmutableMap.<String, String>builder()
                .put("awsElasticBlockStore", "1.23")
                .put("azureDisk", "1.23")
                .put("azureFile", "1.24")
                .put("cephfs", "1.31")
                .put("cinder", "1.21")
                .put("flocker", "1.25")
                .put("gcePersistentDisk", "1.23")
                .put("glusterfs", "1.26")
                .put("quobyte", "1.25")
                .put("rbd", "1.31")
                .put("scaleIO", "1.22")
                .put("storageos", "1.25")
                .put("vsphereVolume", "1.25")
                .buildOrThrow();

        private static final Map<String, String> PROVISIONERS = Map.of(
                "kubernetes.io/aws-ebs", "1.23",
                "kubernetes.io/azure-disk", "1.23",
                "kubernetes.io/azure-file", "1.24",
                "kubernetes.io/cinder", "1.21",
                "kubernetes.io/gce-pd", "1.23",
                "kubernetes.io/glusterfs", "1.26",
                "kubernetes.io/rbd", "1.31",
                "kubernetes.io/vsphere-volume", "1.25");

        /** Limits of in-tree volumes, and the release that counts these volumes as those of a CSI driver by default. */
        private static final Map<String, String> LIMITS = Map.of(
                "MaxEBSVolumeCount", "1.23",
                "MaxAzureDiskVolumeCount", "1.23",
                "MaxCinderVolumeCount", "1.21",
                "MaxGCEPDVolumeCount", "1.23");

        /** API versions and the first release that does not serve them, by group version and kind. */
        private static final Map<String, String> API_VERSIONS = ImmutableMap.<String, String>builder()
                .put("policy/v1beta1 PodDisruptionBudget", "1.25")
                .put("policy/v1beta1 PodSecurityPolicy", "1.25")
                .put("batch/v1beta1 CronJob", "1.25")
                .put("scheduling.k8s.io/v1beta1 PriorityClass", "1.22")
                .put("storage.k8s.io/v1beta1 StorageClass", "1.22")
                .put("storage.k8s.io/v1beta1 CSINode", "1.22")
                .put("storage.k8s.io/v1beta1 CSIDriver", "1.22")
                .put("storage.k8s.io/v1beta1 VolumeAttachment", "1.22")
                .put("storage.k8s.io/v1beta1 CSIStorageCapacity", "1.27")
                .put("coordination.k8s.io/v1beta1 Lease", "1.22")
                .put("autoscaling/v2beta1 HorizontalPodAutoscaler", "1.25")
                .put("autoscaling/v2beta2 HorizontalPodAutoscaler", "1.26")
                .put("extensions/v1beta1 Ingress", "1.22")
                .put("networking.k8s.io/v1beta1 Ingress", "1.22")
                .put("rbac.authorization.k8s.io/v1beta1 ClusterRole", "1.22")
                .put("rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding", "1.22")
                .buildOrThrow();

        private record Key(Check check, String value) implements Comparable<Key> {
            @Override
            public int compareTo(Key other) {
                int order = check.compareTo(other.check);
                return order == 0 ? value.compareTo(other.value) : order;
            }
        }

        private final Release target;
        private final String policyName;
        private final Map<Key, Release> since = new TreeMap<>();
        private final Map<Key, Set<String>> places = new TreeMap<>();
        private int objects;

        /**
         * Checks without findings yet.
         *
         * @param target release of the upgrade; removals in later releases are not reported
         * @param policyName the place of findings in the policy
         */
        PreflightChecks(Release target, String policyName) {
            this.target = target;
            this.policyName = policyName;
        }

        /** Checks a document with a policy. */
        void policy(JsonNode policy) {
            texts(policy, (field, text) -> {
                if (BETA_LABELS.contains(text)) {
                    add(Check.BETA_LABEL, "1.17", text, policyName);
                }
                if (text.equals(MASTER)) {
                    add(Check.MASTER_LABEL, "1.24", text, policyName);
                }
                if (field.equals("name") && LIMITS.containsKey(text)) {
                    add(Check.VOLUME_LIMIT, LIMITS.getOrDefault(text, ""), text, policyName);
                }
            });
        }

        /** Checks an object, or each object of a list. */
        void object(JsonNode object) {
            if (object.path("kind").asText().endsWith("List")
                    && object.path("items").isArray()) {
                object.path("items").forEach(this::object);
                return;
            }
            objects++;
            String kind = object.path("kind").asText();
            String namespace = object.path("metadata").path("namespace").asText();
            String place = kind + " " + (namespace.isEmpty() ? "" : namespace + "/")
                    + object.path("metadata").path("name").asText();
            String version = object.path("apiVersion").asText() + " " + kind;
            String removed = API_VERSIONS.get(version);
            if (removed != null) {
                add(Check.API_VERSION, removed, version, place);
            }
            JsonNode annotations = object.path("metadata").path("annotations");
            switch (kind) {
                case "Node" -> {
                    if (annotations.has(AVOID_PODS)) {
                        add(Check.AVOID_PODS, "1.23", "preferAvoidPods", place);
                    }
                }
                case "Endpoints", "ConfigMap" -> {
                    boolean ofScheduler =
                            object.path("metadata").path("name").asText().contains("scheduler");
                    if (ofScheduler && annotations.has(LEADER)) {
                        add(Check.LOCK, "1.24", kind.toLowerCase(Locale.ROOT) + " lock", place);
                    }
                }
                case "PersistentVolume" -> {
                    volume(object.path("spec"), place);
                    selected(object.path("spec").path("nodeAffinity"), place);
                }
                case "StorageClass" -> {
                    String provisioner = object.path("provisioner").asText();
                    add(Check.IN_TREE_VOLUME, PROVISIONERS.get(provisioner), provisioner, place);
                }
                case "CronJob" ->
                    podSpec(
                            object.path("spec")
                                    .path("jobTemplate")
                                    .path("spec")
                                    .path("template")
                                    .path("spec"),
                            place);
                case "Pod" -> podSpec(object.path("spec"), place);
                default -> podSpec(object.path("spec").path("template").path("spec"), place);
            }
        }

        private void schedulerFlags(JsonNode container, String place) {
            List<String> words = new ArrayList<>();
            container.path("command").forEach(word -> words.add(word.asText()));
            container.path("args").forEach(word -> words.add(word.asText()));
            boolean ofStock = words.stream().anyMatch(word -> word.endsWith("kube-scheduler"));
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                int equals = word.indexOf('=');
                String flag = equals < 0 ? word : word.substring(0, equals);
                // The flag and its value can be two arguments.
                String value = equals >= 0 ? word.substring(equals + 1) : i + 1 < words.size() ? words.get(i + 1) : "";
                if (ofStock && FLAGS.containsKey(flag)) {
                    add(Check.POLICY_FLAG, FLAGS.get(flag), flag, place);
                }
                if (flag.equals("--leader-elect-resource-lock")) {
                    add(Check.LOCK, LOCKS.get(value), flag + "=" + value, place);
                }
            }
        }

        private void podSpec(JsonNode pod, String place) {
            pod.path("containers").forEach(container -> schedulerFlags(container, place));
            pod.path("volumes").forEach(volume -> volume(volume, place));
            selected(pod.path("nodeSelector"), place);
            selected(pod.path("affinity"), place);
            selected(pod.path("topologySpreadConstraints"), place);
            Set<String> tolerated = new LinkedHashSet<>();
            pod.path("tolerations")
                    .forEach(toleration -> tolerated.add(toleration.path("key").asText()));
            if (tolerated.contains(MASTER) && !tolerated.contains(CONTROL_PLANE) && !tolerated.contains("")) {
                add(Check.MASTER_TAINT, "1.24", MASTER, place);
            }
        }

        /** Checks the labels in a selector, an affinity, or a constraint: as keys, or as values of {@code key} and {@code topologyKey}. */
        private void selected(JsonNode part, String place) {
            texts(part, (field, text) -> {
                for (String label : List.of(field, text)) {
                    if (BETA_LABELS.contains(label)) {
                        add(Check.BETA_LABEL, "1.17", label, place);
                    }
                    if (label.equals(MASTER)) {
                        add(Check.MASTER_LABEL, "1.24", label, place);
                    }
                }
            });
        }

        private void volume(JsonNode volume, String place) {
            VOLUMES.forEach((source, removed) -> {
                if (volume.has(source)) {
                    add(Check.IN_TREE_VOLUME, removed, source, place);
                }
            });
        }

        /** Passes each text below a node with the name of its field; of an array, with the name of the field of the array. */
        private static void texts(JsonNode node, BiConsumer<String, String> found) {
            texts("", node, found);
        }

        private static void texts(String field, JsonNode node, BiConsumer<String, String> found) {
            if (node.isObject()) {
                node.properties().forEach(entry -> texts(entry.getKey(), entry.getValue(), found));
            } else if (node.isArray()) {
                node.forEach(item -> texts(field, item, found));
            } else if (node.isTextual()) {
                found.accept(field, node.asText());
            }
        }

        private void add(Check check, @Nullable String removed, String value, String place) {
            if (removed == null) {
                return;
            }
            Release release = Release.parse(removed);
            if (target.compareTo(release) >= 0) {
                Key key = new Key(check, value);
                since.put(key, release);
                places.computeIfAbsent(key, missing -> new LinkedHashSet<>()).add(place);
            }
        }

        /** Returns the findings in the order of the checks. */
        List<Finding> findings() {
            List<Finding> findings = new ArrayList<>();
            since.forEach((key, release) -> findings.add(
                    new Finding(key.check(), release, key.value(), List.copyOf(places.getOrDefault(key, Set.of())))));
            return findings;
        }

        /** Returns the number of objects in the dump. */
        int objects() {
            return objects;
        }
    }
}
