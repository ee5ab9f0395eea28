package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Configurations.expand;
import static io.policyscheduler.framework.config.Configurations.lines;
import static io.policyscheduler.framework.config.Configurations.used;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PluginExpansionTest {
    private static final String PREFIX =
            "initializing profiles: creating profile for scheduler name default-scheduler: ";
    private static final String OVERFLOW = "total score of Score plugins could overflow";
    private static final String OLD = "error initializing the scheduling framework: ";

    private static List<String> split(String names) {
        return List.of(names.split(" "));
    }

    private static Map<ExtensionPoint, List<String>> v1(String plugins) throws ConfigurationException {
        return used(expand(ConfigVersion.V1, InTreePlugins.of134(), "profiles: [{plugins: {" + plugins + "}}]"));
    }

    @Test
    void defaultsOf134() throws ConfigurationException {
        assertEquals(
                Map.of(
                        ExtensionPoint.PRE_ENQUEUE, split("SchedulingGates DynamicResources DefaultPreemption"),
                        ExtensionPoint.QUEUE_SORT, split("PrioritySort"),
                        ExtensionPoint.PRE_FILTER,
                                split(
                                        "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits"
                                                + " VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources"),
                        ExtensionPoint.FILTER,
                                split(
                                        "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit"
                                                + " VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread"
                                                + " InterPodAffinity DynamicResources"),
                        ExtensionPoint.POST_FILTER, split("DynamicResources DefaultPreemption"),
                        ExtensionPoint.PRE_SCORE,
                                split("TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread"
                                        + " InterPodAffinity NodeResourcesBalancedAllocation"),
                        ExtensionPoint.SCORE,
                                split("TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1"
                                        + " PodTopologySpread=2 InterPodAffinity=2 NodeResourcesBalancedAllocation=1"
                                        + " ImageLocality=1"),
                        ExtensionPoint.RESERVE, split("VolumeBinding DynamicResources"),
                        ExtensionPoint.PRE_BIND, split("VolumeBinding DynamicResources"),
                        ExtensionPoint.BIND, split("DefaultBinder")),
                v1(""));
    }

    static Stream<Arguments> scores() {
        String rest = " VolumeBinding=1 PodTopologySpread=2 InterPodAffinity=2 NodeResourcesBalancedAllocation=1";
        return Stream.of(
                // Named at the point: to the front, with the weight said there.
                arguments(
                        "score: {enabled: [{name: ImageLocality, weight: 9}]}",
                        "ImageLocality=9 TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1" + rest),
                // Disabled and enabled there: to the end.
                arguments(
                        "score: {disabled: [{name: TaintToleration}], enabled: [{name: TaintToleration, weight: 9}]}",
                        "NodeAffinity=2 NodeResourcesFit=1" + rest + " ImageLocality=1 TaintToleration=9"),
                // Off at this point only.
                arguments(
                        "score: {disabled: [{name: TaintToleration}]}",
                        "NodeAffinity=2 NodeResourcesFit=1" + rest + " ImageLocality=1"),
                // Nothing but what is named; without a weight the one of multiPoint does not count.
                arguments(
                        "score: {disabled: [{name: '*'}], enabled: [{name: NodeAffinity}, {name: TaintToleration, weight: 5}]}",
                        "NodeAffinity=1 TaintToleration=5"),
                // In multiPoint an entry keeps the place of the default.
                arguments(
                        "multiPoint: {enabled: [{name: NodeAffinity, weight: 7}]}",
                        "TaintToleration=3 NodeAffinity=7 NodeResourcesFit=1" + rest + " ImageLocality=1"),
                // Removed everywhere, unless a point names it again.
                arguments(
                        "multiPoint: {disabled: [{name: TaintToleration}]}, score: {enabled: [{name: TaintToleration}]}",
                        "NodeAffinity=2 NodeResourcesFit=1" + rest + " ImageLocality=1 TaintToleration=1"),
                // Disabled and enabled in multiPoint: to the end.
                arguments(
                        "multiPoint: {disabled: [{name: TaintToleration}], enabled: [{name: TaintToleration}]}",
                        "NodeAffinity=2 NodeResourcesFit=1" + rest + " ImageLocality=1 TaintToleration=1"));
    }

    @ParameterizedTest
    @MethodSource("scores")
    void expandsMultiPoint(String plugins, String expected) throws ConfigurationException {
        assertEquals(split(expected), v1(plugins).get(ExtensionPoint.SCORE));
    }

    static Stream<Arguments> startupErrors() {
        String all = "multiPoint: {disabled: [{name: '*'}]";
        String kept = ", queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]}";
        return Stream.of(
                arguments(
                        all + "}",
                        List.of(
                                "c.yaml: " + PREFIX
                                        + "only one queue sort plugin required for profile with scheduler name"
                                        + " \"default-scheduler\", but got 0",
                                "c.yaml: " + PREFIX
                                        + "at least one bind plugin is needed for profile with scheduler name"
                                        + " \"default-scheduler\"")),
                arguments(
                        all + ", enabled: [{name: Foo}]}" + kept,
                        List.of("c.yaml:3:71: " + PREFIX + "PreFilterPlugin \"Foo\" does not exist")),
                arguments(
                        "filter: {enabled: [{name: Foo}, {name: ImageLocality}, {name: NodeName}, {name: NodeName}]}",
                        List.of(
                                "c.yaml:3:42: " + PREFIX + "FilterPlugin \"Foo\" does not exist",
                                "c.yaml:3:55: " + PREFIX
                                        + "plugin \"ImageLocality\" does not extend FilterPlugin plugin",
                                "c.yaml:3:96: " + PREFIX
                                        + "plugin \"NodeName\" already registered as \"FilterPlugin\"")),
                arguments(
                        all + ", enabled: [{name: NodeName}, {name: NodeName}]}" + kept,
                        List.of("c.yaml:3:89: " + PREFIX
                                + "plugin \"NodeName\" already registered as \"FilterPlugin\"")),
                arguments(
                        "score: {enabled: [{name: ImageLocality, weight: -4}]}",
                        List.of("c.yaml:3:41: " + PREFIX + OVERFLOW
                                + "; weight -4 of ImageLocality is negative: set a weight of 1 or more")),
                // The weights of plugins that the score point disables count, too.
                arguments(
                        "score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality, weight: -2}]}",
                        List.of("c.yaml:3:66: " + PREFIX + OVERFLOW
                                + "; weight -2 of ImageLocality is negative: set a weight of 1 or more")),
                arguments(
                        "multiPoint: {enabled: [{name: TaintToleration, weight: -9}]}",
                        List.of("c.yaml:3:46: " + PREFIX + OVERFLOW
                                + "; weight -9 of TaintToleration is negative: set a weight of 1 or more")));
    }

    /** The message of kube-scheduler, which recordings contain, is that of the exception. */
    @Test
    void theMessageIsThatOfKubeScheduler() {
        assertEquals(
                PREFIX + OVERFLOW,
                assertThrows(
                                ConfigurationException.class,
                                () -> v1("score: {enabled: [{name: ImageLocality, weight: -1}]}"))
                        .getMessage());
    }

    /** As in kube-scheduler, a negative weight passes if no sum of the weights before the last plugin is negative. */
    @Test
    void aNegativeWeightCanPass() throws ConfigurationException {
        assertEquals(
                split("TaintToleration=3 NodeAffinity=2 NodeResourcesFit=-3 VolumeBinding=1 PodTopologySpread=2"
                        + " InterPodAffinity=2 NodeResourcesBalancedAllocation=1 ImageLocality=1"),
                v1("multiPoint: {enabled: [{name: NodeResourcesFit, weight: -3}]}")
                        .get(ExtensionPoint.SCORE));
    }

    @ParameterizedTest
    @MethodSource("startupErrors")
    void refuses(String plugins, List<String> expected) {
        assertEquals(expected, lines(assertThrows(ConfigurationException.class, () -> v1(plugins))));
    }

    private static final PluginIndex EVERY_POINT = new PluginIndex() {
        @Override
        public boolean exists(String plugin) {
            return !plugin.startsWith("Foo");
        }

        @Override
        public boolean implementsPoint(String plugin, ExtensionPoint point) {
            return !plugin.equals("OnlyScore") || point == ExtensionPoint.SCORE;
        }
    };

    private static EffectivePlugins v1alpha1(String plugins) throws ConfigurationException {
        return expand(ConfigVersion.V1ALPHA1, EVERY_POINT, "plugins: {" + plugins + "}");
    }

    @Test
    void v1alpha1TakesTheWeightOfTheLastMention() throws ConfigurationException {
        EffectivePlugins effective =
                v1alpha1("score: {enabled: [{name: A, weight: 5}, {name: B, weight: 5}, {name: C, weight: 5},"
                        + " {name: D}]}, filter: {enabled: [{name: A}]}, reserve: {enabled: [{name: A}]},"
                        + " postFilter: {enabled: [{name: A}]}, bind: {enabled: [{name: B}]}, queueSort: {enabled: [{name: C, weight: 3}]},"
                        + " unreserve: {enabled: [{name: D, weight: 8}]}");
        assertEquals(Map.of("A", 5, "B", 1, "C", 3, "D", 8), effective.scoreWeights());
        assertEquals(List.of("D"), effective.unreserve());
        assertEquals(List.of("A"), effective.at(ExtensionPoint.POST_FILTER));
        assertEquals(List.of(), effective.at(ExtensionPoint.PRE_SCORE));
    }

    @Test
    void v1alpha1DoesNotDisable() throws ConfigurationException {
        EffectivePlugins effective = v1alpha1("filter: {enabled: [{name: A}], disabled: [{name: A}, {name: '*'}]}");
        assertEquals(Map.of(ExtensionPoint.FILTER, List.of("A")), used(effective));
    }

    @Test
    void v1alpha1Refuses() {
        ConfigurationException refused = assertThrows(
                ConfigurationException.class,
                () -> v1alpha1("queueSort: {enabled: [{name: A}, {name: B}]}, filter: {enabled: [{name: Foo}, {name:"
                        + " OnlyScore}, {name: C}, {name: C}]}, unreserve: {enabled: [{name: Foo2}]}"));
        assertEquals(
                List.of(
                        OLD + "FilterPlugin \"Foo\" does not exist",
                        OLD + "plugin \"OnlyScore\" does not extend FilterPlugin plugin",
                        OLD + "plugin \"C\" already registered as \"FilterPlugin\"",
                        OLD + "UnreservePlugin \"Foo2\" does not exist",
                        OLD + "only one queue sort plugin can be enabled"),
                refused.problems().stream().map(Problem::message).toList());
    }

    @Test
    void v1beta1AppendsSoThatAnOverrideNeedsDisabling() throws ConfigurationException {
        String twice = "profiles: [{plugins: {score: {enabled: [{name: PodTopologySpread, weight: 1}]}}}]";
        assertEquals(
                List.of("c.yaml:3:41: " + PREFIX
                        + "plugin \"PodTopologySpread\" already registered as \"ScorePlugin\""),
                lines(assertThrows(
                        ConfigurationException.class,
                        () -> expand(ConfigVersion.V1BETA1, InTreePlugins.of121(), twice))));
        String moved = "profiles: [{plugins: {score: {disabled: [{name: PodTopologySpread}], enabled: [{name:"
                + " PodTopologySpread, weight: 1}]}}}]";
        assertEquals(
                split(
                        "NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 NodeResourcesLeastAllocated=1"
                                + " NodeAffinity=1 NodePreferAvoidPods=10000 TaintToleration=1 PodTopologySpread=1"),
                used(expand(ConfigVersion.V1BETA1, InTreePlugins.of121(), moved))
                        .get(ExtensionPoint.SCORE));
    }

    @Test
    void v1beta2OverridesInPlace() throws ConfigurationException {
        ProfilePlugins merged = Configurations.read(
                        ConfigVersion.V1BETA2,
                        "profiles: [{plugins: {score: {enabled: [{name: PodTopologySpread, weight: 9}, {name: Mine}]}}}]")
                .profiles()
                .get(0)
                .plugins();
        assertEquals(
                split("NodeResourcesBalancedAllocation ImageLocality InterPodAffinity NodeResourcesFit NodeAffinity"
                        + " PodTopologySpread TaintToleration Mine"),
                merged.at(ExtensionPoint.SCORE).names());
        assertEquals(9, merged.at(ExtensionPoint.SCORE).enabled().get(5).weight());
    }
}
