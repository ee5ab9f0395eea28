package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.index.ClusterIndex;
import io.policyscheduler.engine.cluster.index.SlotPredicate;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ObjectReader;
import io.policyscheduler.framework.plugin.CacheableFilter.FilterReads;
import io.policyscheduler.framework.plugin.CacheableScore.ScoreReads;
import io.policyscheduler.framework.plugin.CycleState;
import io.policyscheduler.framework.plugin.CycleState.StateKeys;
import io.policyscheduler.framework.plugin.FilterPlugin;
import io.policyscheduler.framework.plugin.Plugin;
import io.policyscheduler.framework.plugin.PluginHandle;
import io.policyscheduler.framework.plugin.PreFilterPlugin;
import io.policyscheduler.framework.plugin.PreFilterPlugin.PreFilterResult;
import io.policyscheduler.framework.plugin.PreScorePlugin;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.plugin.Status;
import io.policyscheduler.framework.plugin.WaitingPods;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** One plugin of a release on a small cluster. Objects are written as JSON with single quotes or none. */
public final class PluginFixture {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .build();
    private static final ObjectMapper MAPPER = JsonMapper.builder(JSON).build();

    public final ClusterState cluster = new ClusterState();
    private ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
    private final StateKeys keys = new StateKeys();
    public CycleState state = keys.newState();
    private Release release = Release.V1_34;

    private record Handle(JsonNode args, StateKeys stateKeys, ClusterView cluster, Release release)
            implements PluginHandle {
        @Override
        public String profile() {
            return "test";
        }

        @Override
        public WaitingPods waitingPods() {
            return WaitingPods.NONE;
        }

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }
    }

    /** Sets the release of plugins that are created afterwards and of the readers of objects. */
    public PluginFixture at(Release other) {
        release = other;
        reader = ObjectReader.ofRecording(FeatureGates.defaults().at(other));
        return this;
    }

    /** The release of new plugins. */
    public Release release() {
        return release;
    }

    /** Creates the plugin with these arguments. */
    public <T extends Plugin> T plugin(Function<PluginHandle, T> factory, String args) {
        try {
            T plugin = factory.apply(new Handle(MAPPER.readTree(args), keys, cluster, release));
            state = keys.newState();
            return plugin;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Drops the plugin's state for a pod. */
    public void newCycle() {
        state = keys.newState();
        cluster.startCycle();
    }

    /** Returns the nodes in name order. */
    public List<NodeInfo> nodes() {
        return cluster.nodes().stream()
                .sorted(Comparator.comparing(NodeInfo::name))
                .toList();
    }

    /** Adds an object of a kind. */
    public PluginFixture add(String kind, String text) {
        ClusterObject object = read(kind, text);
        if (object instanceof Node node) {
            cluster.putNode(node);
        } else if (object instanceof PodInfo pod) {
            cluster.addPod(pod);
        } else {
            cluster.putObject(object);
        }
        return this;
    }

    /** Adds a node with room for 110 pods. */
    public PluginFixture node(String name, String labels, String allocatable, String spec) {
        return add(
                "Node",
                "{metadata: {name: '" + name + "', labels: " + labels + "}, spec: " + spec + ", status: {allocatable: "
                        + (allocatable.equals("{}") ? "{pods: '110'}" : "{pods: '110', " + allocatable.substring(1))
                        + "}}");
    }

    public PluginFixture node(String name, String labels) {
        return node(name, labels, "{}", "{}");
    }

    /** A pod of the default namespace. */
    public PodInfo pod(String name, String labels, String spec) {
        return (PodInfo) read(
                "Pod",
                "{metadata: {namespace: default, name: '" + name + "', uid: '" + name + "-uid', labels: " + labels
                        + "}, spec: " + spec + "}");
    }

    /** Puts a pod of the default namespace on a node. */
    public PluginFixture placed(String name, String labels, String node, String spec) {
        cluster.addPod(pod(name, labels, spec).withNodeName(node));
        return this;
    }

    public ClusterObject read(String kind, String text) {
        String quoted = text.replace("namespace: default", "namespace: 'default'");
        try (JsonParser parser = JSON.createParser(quoted)) {
            parser.nextToken();
            ClusterObject object = reader.read(parser, kind);
            if (object == null) {
                throw new IllegalArgumentException("unknown kind " + kind);
            }
            return object;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a short form of a status: {@code ok}, {@code skip}, or the kind of rejection and its reasons. */
    public static String text(Status status) {
        return switch (status.code()) {
            case SUCCESS -> "ok";
            case SKIP -> "skip";
            case UNSCHEDULABLE -> "U " + status.message();
            case UNSCHEDULABLE_AND_UNRESOLVABLE -> "UU " + status.message();
            default -> status.code() + " " + status.message();
        };
    }

    /** Returns the PreFilter status, with the selected nodes if it narrows the search. */
    /** Starts another attempt for the same pod. */
    public void startAttempt() {
        state = keys.newState();
    }

    public String preFilter(PreFilterPlugin plugin, PodInfo pod) {
        newCycle();
        PreFilterResult result = plugin.preFilter(state, PodContext.of(pod, cluster));
        return text(result.status()) + (result.nodes() == null ? "" : " " + result.nodes());
    }

    /** Returns the Filter statuses of all nodes in name order, after PreFilter; the PreFilter status if it is no success. */
    public <T extends PreFilterPlugin & FilterPlugin> List<String> filter(T plugin, PodInfo pod) {
        String before = preFilter(plugin, pod);
        return before.startsWith("ok") ? filterOnly(plugin, pod) : List.of(before);
    }

    /** Returns the Filter statuses of all nodes in name order. */
    public List<String> filterOnly(FilterPlugin plugin, PodInfo pod) {
        ClusterIndex index = cluster.index();
        SlotPredicate test = index == null
                ? null
                : FilterReads.of(plugin, state, pod).bySlot().apply(index);
        if (index != null && test != null) {
            for (NodeInfo node : nodes()) {
                boolean passes = plugin.filter(state, pod, node).isSuccess();
                assertEquals(passes, test.test(index.ownSlotOf(node)), "by slot, " + node.name());
            }
        }
        return nodes().stream()
                .map(node -> text(plugin.filter(state, pod, node)))
                .toList();
    }

    /** Returns the normalized scores of all nodes in name order; {@code skip} if the plugin skips scoring. */
    public String scores(ScorePlugin plugin, PodInfo pod) {
        newCycle();
        List<NodeInfo> nodes = nodes();
        if (plugin instanceof PreScorePlugin preparing) {
            Status before = preparing.preScore(state, PodContext.of(pod, cluster), nodes);
            if (!before.isSuccess()) {
                return text(before);
            }
        }
        OptionalLong uniform = ScoreReads.of(plugin, state, pod).uniform();
        long[] scores = new long[nodes.size()];
        if (uniform.isPresent()) {
            Arrays.fill(scores, uniform.getAsLong());
        } else {
            for (int i = 0; i < scores.length; i++) {
                scores[i] = plugin.score(state, pod, nodes.get(i));
            }
            plugin.normalizeScores(state, pod, nodes, scores);
            assertSameBySlot(plugin, pod, nodes, scores);
        }
        return Arrays.toString(scores);
    }

    /** Plugins that also score by index must give the same scores. */
    private void assertSameBySlot(ScorePlugin plugin, PodInfo pod, List<NodeInfo> nodes, long[] scores) {
        ClusterIndex index = cluster.index();
        if (index == null) {
            return;
        }
        int[] slots = nodes.stream().mapToInt(index::ownSlotOf).toArray();
        long[] bySlot = new long[scores.length];
        if (ScoreReads.of(plugin, state, pod).score(index, slots, slots.length, bySlot)) {
            assertArrayEquals(scores, bySlot, "by slot");
        }
    }
}
