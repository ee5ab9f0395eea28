package io.policyscheduler.framework.modern;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.modern.resource.NodeResourcesBalancedAllocation;
import io.policyscheduler.framework.modern.resource.NodeResourcesFit;
import io.policyscheduler.framework.modern.volume.VolumeBinding;
import io.policyscheduler.framework.plugin.PluginFactory;
import io.policyscheduler.framework.plugin.ScorePlugin;
import io.policyscheduler.framework.profile.DefaultBinder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each change of a plugin: a world in which the release of the change and the one before it answer differently. */
class SchedulerChangesTest {
    private static final String SMALL = "{cpu: '1', memory: '1Gi'}";

    /** What a plugin of a release answers. */
    private record Row(SchedulerChange change, String before, String since, Function<PluginFixture, Object> answer) {}

    static List<Row> changes() {
        return List.of(
                new Row(
                        SchedulerChange.NODE_AFFINITY_TEXT,
                        "[UU node(s) didn't match node selector]",
                        "[UU node(s) didn't match Pod's node affinity]",
                        SchedulerChangesTest::selector),
                new Row(
                        SchedulerChange.AFFINITY_AND_SELECTOR_TEXT,
                        "[UU node(s) didn't match Pod's node affinity]",
                        "[UU node(s) didn't match Pod's node affinity/selector]",
                        SchedulerChangesTest::selector),
                new Row(
                        SchedulerChange.TRUE_RANGE_OF_AFFINITY,
                        "[50, 100]",
                        "[0, 100]",
                        SchedulerChangesTest::normalizedAffinity),
                new Row(
                        SchedulerChange.BALANCED_FORMULA,
                        "DefaultBinder",
                        "NodeResourcesBalancedAllocation",
                        SchedulerChangesTest::balancedPlugin),
                new Row(
                        SchedulerChange.UNTOLERATED_TAINT,
                        "[UU node(s) had taint {k: v}, that the pod didn't tolerate]",
                        "[UU node(s) had untolerated taint {k: v}]",
                        SchedulerChangesTest::taint),
                new Row(SchedulerChange.ROUNDED_SPREADING, "2", "3", SchedulerChangesTest::spread),
                new Row(
                        SchedulerChange.ZERO_IS_NOT_CHECKED,
                        "[U Insufficient memory]",
                        "[ok]",
                        world -> world.node("a", "{}", SMALL, "{}")
                                .placed("big", "{}", "a", "{containers: [{resources: {requests: {memory: '2Gi'}}}]}")
                                .filter(world.plugin(NodeResourcesFit::new, "{}"), asking(world, "100m"))),
                new Row(
                        SchedulerChange.IMAGES_OF_INIT_CONTAINERS,
                        "[0]",
                        "[50]",
                        world -> world.add(
                                        "Node",
                                        "{metadata: {name: 'a'}, status: {images: [{names: ['init:1'], sizeBytes: 1073741824}]}}")
                                .scores(
                                        world.plugin(ImageLocality::new, "{}"),
                                        world.pod(
                                                "p",
                                                "{}",
                                                "{containers: [{image: 'main:1'}], initContainers: [{image: 'init:1'}]}"))),
                new Row(
                        SchedulerChange.BEST_EFFORT_IS_NOT_BALANCED,
                        "[100]",
                        "skip",
                        world -> world.node("a", "{}", SMALL, "{}")
                                .scores(
                                        world.plugin(
                                                NodeResourcesBalancedAllocation::new,
                                                "{resources: [{name: 'cpu', weight: 1}, {name: 'memory', weight: 1}]}"),
                                        plain(world))),
                new Row(
                        SchedulerChange.VOLUME_AFFINITY_TEXT,
                        "[UU node(s) had volume node affinity conflict]",
                        "[UU node(s) didn't match PersistentVolume's node affinity]",
                        SchedulerChangesTest::volume),
                new Row(
                        SchedulerChange.TOO_SMALL_IS_FINAL,
                        "[U Insufficient cpu]",
                        "[UU Insufficient cpu]",
                        world -> world.node("a", "{}", SMALL, "{}")
                                .filter(world.plugin(NodeResourcesFit::new, "{}"), asking(world, "2"))));
    }

    private static PodInfo plain(PluginFixture world) {
        return world.pod("p", "{}", "{containers: [{}]}");
    }

    private static PodInfo asking(PluginFixture world, String cpu) {
        return world.pod("p", "{}", "{containers: [{resources: {requests: {cpu: '" + cpu + "'}}}]}");
    }

    private static List<String> selector(PluginFixture world) {
        world.node("a", "{}");
        return world.filter(
                world.plugin(NodeAffinity::new, "{}"),
                world.pod("p", "{}", "{containers: [{}], nodeSelector: {disk: 'ssd'}}"));
    }

    private static String normalizedAffinity(PluginFixture world) {
        world.node("a", "{}").node("b", "{}");
        ScorePlugin plugin = world.plugin(InterPodAffinity::new, "{}");
        long[] scores = {5, 10};
        plugin.normalizeScores(world.state, plain(world), world.nodes(), scores);
        return Arrays.toString(scores);
    }

    private static String balancedPlugin(PluginFixture world) {
        PluginFactory older = handle -> new DefaultBinder();
        PluginFactory factory =
                Objects.requireNonNull(ModernPlugins.over(Map.of(NodeResourcesBalancedAllocation.NAME, older))
                        .get(NodeResourcesBalancedAllocation.NAME));
        return world.plugin(factory::create, "{}").name();
    }

    private static List<String> taint(PluginFixture world) {
        world.node("a", "{}", "{}", "{taints: [{key: 'k', value: 'v', effect: 'NoSchedule'}]}");
        TaintToleration plugin = world.plugin(TaintToleration::new, "{}");
        world.newCycle();
        return world.filterOnly(plugin, plain(world));
    }

    /** ln 4 for each of two pods in one of two zones: 2.77; with a skew of 1 nothing is added. */
    private static Object spread(PluginFixture world) {
        world.node("a", "{zone: 'x'}")
                .node("b", "{zone: 'y'}")
                .placed("one", "{app: 'w'}", "a", "{}")
                .placed("two", "{app: 'w'}", "a", "{}");
        PodInfo pod = world.pod(
                "p",
                "{app: 'w'}",
                "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway',"
                        + " labelSelector: {matchLabels: {app: 'w'}}}]}");
        PodTopologySpread plugin = world.plugin(PodTopologySpread::new, "{}");
        world.newCycle();
        plugin.preScore(world.state, PodContext.of(pod, world.cluster), world.nodes());
        return plugin.score(world.state, pod, world.nodes().get(0));
    }

    private static List<String> volume(PluginFixture world) {
        world.node("a", "{zone: 'x'}")
                .add(
                        "PersistentVolumeClaim",
                        "{metadata: {namespace: default, name: 'c', annotations: {'pv.kubernetes.io/bind-completed': 'yes'}},"
                                + " spec: {volumeName: 'v'}}")
                .add(
                        "PersistentVolume",
                        "{metadata: {name: 'v'}, spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                                + " 'zone', operator: 'In', values: ['y']}]}]}}}}");
        PodInfo pod = world.pod("p", "{}", "{containers: [{}], volumes: [{persistentVolumeClaim: {claimName: 'c'}}]}");
        return world.filter(world.plugin(VolumeBinding::new, "{}"), pod);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void differsFromTheReleaseBefore(Row row) {
        Release since = row.change().since();
        assertEquals(
                List.of(row.before(), row.since()),
                List.of(
                        row.answer()
                                .apply(new PluginFixture().at(new Release(since.minor() - 1)))
                                .toString(),
                        row.answer().apply(new PluginFixture().at(since)).toString()));
    }

    @Test
    void everyChangeOfAPluginHasARow() {
        Set<SchedulerChange> expected = EnumSet.allOf(SchedulerChange.class);
        expected.removeIf(change -> change.carried() != SchedulerChange.Carried.PLUGIN);
        assertEquals(
                expected,
                changes().stream().map(Row::change).collect(toCollection(() -> EnumSet.noneOf(SchedulerChange.class))));
    }
}
