package io.policyscheduler.tests.costly;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.engine.algorithm.AlgorithmRegistry;
import io.policyscheduler.engine.algorithm.Evaluation;
import io.policyscheduler.engine.algorithm.NodeFailure;
import io.policyscheduler.engine.algorithm.NominatedPods;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.functions.FunctionAlgorithm;
import io.policyscheduler.engine.functions.FunctionAlgorithm.FunctionAssembly;
import io.policyscheduler.engine.placement.Preemption;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.cycle.SchedulingCycle;
import io.policyscheduler.framework.modern.ModernProfile;
import io.policyscheduler.framework.profile.ProviderAdapter;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Prints what each kind of hostile pod costs, in milliseconds of CPU time: {@code java ... CostTable [nodes [bytes [kind...]]]}.
 * Run from the test classes.
 *
 * <p>Columns: reading one; then for each way of deciding: a decision about one (the second of its kind, so that code is warm), a
 * decision about an ordinary pod while {@link #EXISTING} of them run, and one with preemption where they are in the way.
 */
final class CostTable {
    private static final int EXISTING = Integer.getInteger("existing", 30);
    private static final int ORDINARY_PER_NODE = 10;

    /** A scheduler. */
    private enum Way {
        LEGACY("1.17", false),
        FRAMEWORK("1.17", true),
        LEGACY_TODAY("1.34", false),
        FRAMEWORK_TODAY("1.34", true),
        MODERN("1.34", true);

        private final Release release;
        private final boolean plugins;

        Way(String release, boolean plugins) {
            this.release = Release.parse(release);
            this.plugins = plugins;
        }
    }

    private interface Step {
        void run() throws IOException, PolicyException;
    }

    private final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    private final AlgorithmRegistry registry = Algorithms.registry();
    private final JsonFactory json = JsonFactory.builder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();
    private final PrintStream out;
    private final int nodes;
    private final int bytes;

    private CostTable(PrintStream out, int nodes, int bytes) {
        this.out = out;
        this.nodes = nodes;
        this.bytes = bytes;
    }

    public static void main(String[] args) throws IOException, PolicyException {
        int nodes = args.length > 0 ? Integer.parseInt(args[0]) : 50;
        int bytes = args.length > 1 ? Integer.parseInt(args[1]) : 1_400_000;
        CostTable table = new CostTable(System.out, nodes, bytes);
        List<String> selected = List.of(args).subList(Math.min(2, args.length), args.length);
        table.header();
        for (HostilePod kind : HostilePod.values()) {
            if (selected.isEmpty() || selected.contains(kind.title())) {
                table.row(kind);
            }
        }
    }

    private void header() {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-27s %6s", nodes + " nodes", "read"));
        for (Way way : Way.values()) {
            line.append(String.format(
                    Locale.ROOT, " | %-26s", way.name().toLowerCase(Locale.ROOT) + ": new among victims"));
        }
        out.println(line);
    }

    private void row(HostilePod kind) throws IOException, PolicyException {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-27s", kind.title()));
        ObjectReader reader = new ObjectReader(FeatureGates.defaults().at(Release.NEWEST), false);
        read(reader, kind.pod(0, bytes));
        String text = kind.pod(1, bytes).toString();
        line.append(String.format(Locale.ROOT, " %6.0f", millis(() -> parse(reader, text))));
        for (Way way : Way.values()) {
            line.append(String.format(
                    Locale.ROOT, " | %8.0f %8.0f %8.0f", deciding(kind, way), among(kind, way), preempting(kind, way)));
        }
        out.println(line);
    }

    private double deciding(HostilePod kind, Way way) throws IOException, PolicyException {
        Input input = new Input(way);
        input.ordinaryPods();
        input.decide(input.pod(ordinary(999_999)));
        input.decide(input.pod(kind.pod(0, bytes / 10)));
        PodInfo pod = input.pod(kind.pod(1, bytes));
        return millis(() -> input.decide(pod));
    }

    private double among(HostilePod kind, Way way) throws IOException, PolicyException {
        Input input = new Input(way);
        input.ordinaryPods();
        for (int i = 0; i < EXISTING; i++) {
            input.run(kind.pod(i, bytes), i % nodes);
        }
        input.decide(input.pod(ordinary(999_998)));
        PodInfo pod = input.pod(ordinary(999_999));
        // A pod that was created later.
        input.run(kind.pod(EXISTING, bytes), 0);
        return millis(() -> input.decide(pod));
    }

    /** Returns nodes so full of hostile pods that each node is a candidate for preemption. */
    private double preempting(HostilePod kind, Way way) throws IOException, PolicyException {
        Input input = new Input(way);
        for (int i = 0; i < Math.min(EXISTING, nodes); i++) {
            ObjectNode pod = kind.pod(i, bytes);
            ((ObjectNode) pod.at("/spec/containers/0/resources/requests")).put("cpu", "31");
            ((ObjectNode) pod.get("spec")).put("priority", -10);
            input.run(pod, i);
        }
        for (int i = EXISTING; i < nodes; i++) {
            ObjectNode pod = ordinary(i);
            ((ObjectNode) pod.at("/spec/containers/0/resources/requests")).put("cpu", "31");
            input.run(pod, i);
        }
        ObjectNode asking = ordinary(999_999);
        ((ObjectNode) asking.at("/spec/containers/0/resources/requests")).put("cpu", "20");
        ((ObjectNode) asking.get("spec")).put("priority", 1000);
        PodInfo pod = input.pod(asking);
        return millis(() -> {
            input.decide(pod);
            input.preempt(pod);
        });
    }

    private double millis(Step step) throws IOException, PolicyException {
        long start = clock.getCurrentThreadCpuTime();
        step.run();
        return (clock.getCurrentThreadCpuTime() - start) / 1e6;
    }

    private static ObjectNode ordinary(int number) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode().put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata");
        metadata.put("name", "pod-" + number).put("namespace", "shop").put("uid", "uid-" + number);
        metadata.putObject("labels").put("app", "app-" + number % 20).put("serial", "n" + number);
        ObjectNode container = pod.putObject("spec")
                .putArray("containers")
                .addObject()
                .put("name", "c")
                .put("image", "i:1");
        container.putObject("resources").putObject("requests").put("cpu", "10m").put("memory", "10Mi");
        return pod;
    }

    private PodInfo read(ObjectReader reader, JsonNode object) throws IOException {
        return (PodInfo) parse(reader, object.toString());
    }

    private ClusterObject parse(ObjectReader reader, String text) throws IOException {
        try (JsonParser parser = json.createParser(text)) {
            parser.nextToken();
            ClusterObject read = reader.read(parser, null);
            if (read == null) {
                throw new IllegalStateException("not read: " + text.substring(0, Math.min(200, text.length())));
            }
            return read;
        }
    }

    /** A cluster and a scheduler. */
    private final class Input {
        private final ClusterState cluster = new ClusterState();
        private final FeatureGates gates;
        private final ObjectReader reader;
        private final @Nullable FunctionAlgorithm functions;
        private final @Nullable SchedulingCycle cycle;
        private final Preemption preemption;

        Input(Way way) throws IOException, PolicyException {
            gates = FeatureGates.defaults().at(way.release);
            reader = new ObjectReader(gates, false);
            preemption = Preemption.of(gates);
            for (int i = 0; i < nodes; i++) {
                cluster.putNode((Node) parse(reader, node(i).toString()));
            }
            if (way == Way.MODERN) {
                functions = null;
                cycle = SchedulingCycle.of(ModernProfile.defaults(cluster), cluster);
                return;
            }
            EffectivePolicy policy = new PolicyResolver(gates, 1, false, registry).resolveProvider("DefaultProvider");
            if (way.plugins) {
                functions = null;
                cycle = SchedulingCycle.of(new ProviderAdapter(registry, name -> "").adapt(policy, cluster), cluster);
            } else {
                functions = FunctionAssembly.assemble(policy, registry, name -> "");
                cycle = null;
            }
        }

        private ObjectNode node(int number) {
            ObjectNode node = JsonNodeFactory.instance.objectNode().put("kind", "Node");
            node.putObject("metadata")
                    .put("name", "node-" + number)
                    .put("uid", "node-uid-" + number)
                    .putObject("labels")
                    .put("kubernetes.io/hostname", "node-" + number)
                    .put("topology.kubernetes.io/zone", "zone-" + number % 3);
            for (int i = 0; i < 3; i++) {
                node.withArray("/spec/taints")
                        .addObject()
                        .put("key", "taint-" + i)
                        .put("value", "v")
                        .put("effect", "PreferNoSchedule");
            }
            ObjectNode status = node.putObject("status");
            status.putObject("allocatable")
                    .put("cpu", "32")
                    .put("memory", "64Gi")
                    .put("pods", "110");
            for (int i = 0; i < 50; i++) {
                ObjectNode image = status.withArray("/images").addObject().put("sizeBytes", 100_000_000);
                image.putArray("names").add("registry.example.com/app-" + i + ":1");
            }
            return node;
        }

        PodInfo pod(ObjectNode object) throws IOException {
            return read(reader, object);
        }

        void run(ObjectNode object, int node) throws IOException {
            object.withObject("/spec").put("nodeName", "node-" + node);
            cluster.addPod(pod(object));
        }

        void ordinaryPods() throws IOException {
            for (int i = 0; i < nodes * ORDINARY_PER_NODE; i++) {
                run(ordinary(i), i % nodes);
            }
        }

        void decide(PodInfo pod) {
            if (cycle != null) {
                cycle.decide(pod, NominatedPods.NONE, cycle.newState());
            } else if (functions != null) {
                cluster.startCycle();
                functions.evaluate(pod, cluster, NominatedPods.NONE);
            }
        }

        void preempt(PodInfo pod) {
            if (cycle != null) {
                Map<String, NodeFailure> failures = cycle.failures(pod, NominatedPods.NONE);
                if (failures == null) {
                    throw new IllegalStateException("nothing to preempt for");
                }
                cycle.preemption().preempt(pod, NominatedPods.NONE, failures, preemption);
            } else if (functions != null) {
                Evaluation evaluation = functions.evaluate(pod, cluster, NominatedPods.NONE);
                functions.preempt(pod, cluster, NominatedPods.NONE, evaluation, preemption);
            }
        }
    }
}
