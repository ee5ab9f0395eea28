package io.policyscheduler.framework.config;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each change of configurations: one that the release of the change and the one before it read differently. */
class ConfigurationChangesTest {
    private static final String UNKNOWN = "strict decoding error: unknown field ";
    private static final String FIT =
            "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: %s}}]}]";
    private static final String CREATING =
            "initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin";
    private static final String TWO_QUEUES = "profiles: [{schedulerName: a}, {schedulerName: b, plugins: {queueSort:"
            + " {disabled: [{name: '*'}], enabled: [{name: Other}]}}}]";

    /**
     * A configuration.
     *
     * @param before the problems in the release before; empty for none
     * @param since the problems since the release
     */
    private record Row(SchedulerChange change, String version, String text, String before, String since) {}

    static List<Row> changes() {
        return List.of(
                new Row(
                        SchedulerChange.ARGUMENTS_HAVE_PATHS,
                        "v1beta1",
                        "profiles: [{pluginConfig: [{name: VolumeBinding, args: {bindTimeoutSeconds: 0}}]}]",
                        CREATING + " \"VolumeBinding\": invalid BindTimeoutSeconds: 0, must be positive integer",
                        ""),
                new Row(
                        SchedulerChange.ARGUMENTS_BEFORE_PLUGINS,
                        "v1beta1",
                        "profiles: [{pluginConfig: [{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]}]",
                        CREATING
                                + " \"InterPodAffinity\": hardPodAffinityWeight: Invalid value: 101: not in valid range"
                                + " [0, 100]",
                        "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range"
                                + " [0, 100]"),
                new Row(
                        SchedulerChange.REMOVED_PLUGINS_ARE_UNKNOWN,
                        "v1beta2",
                        "profiles: [{plugins: {score: {enabled: [{name: NodeLabel}]}}}]",
                        "was removed in version \"kubescheduler.config.k8s.io/v1beta2\" (KubeSchedulerConfiguration is version"
                                + " \"kubescheduler.config.k8s.io/v1beta2\")",
                        ""),
                new Row(
                        SchedulerChange.MULTI_POINT,
                        "v1beta2",
                        "profiles: [{plugins: {multiPoint: {}}}]",
                        UNKNOWN + "\"profiles[0].plugins.multiPoint\"",
                        ""),
                new Row(
                        SchedulerChange.SCORING_STRATEGY_PATHS,
                        "v1beta3",
                        FIT.formatted("{type: LeastAllocated, resources: [{name: cpu, weight: 101}]}"),
                        "initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin"
                                + " \"NodeResourcesFit\": resources[0].weight: Invalid value: 101: resource weight of cpu not in"
                                + " valid range (0, 100]",
                        "initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin"
                                + " \"NodeResourcesFit\": scoringStrategy.resources[0].weight: Invalid value: 101: resource"
                                + " weight of cpu not in valid range (0, 100]"),
                new Row(
                        SchedulerChange.PERCENTAGE_OF_PROFILES,
                        "v1",
                        "profiles: [{percentageOfNodesToScore: 50}]",
                        UNKNOWN + "\"profiles[0].percentageOfNodesToScore\"",
                        ""),
                new Row(
                        SchedulerChange.PRE_ENQUEUE_POINT,
                        "v1beta3",
                        "profiles: [{plugins: {preEnqueue: {}}}]",
                        UNKNOWN + "\"profiles[0].plugins.preEnqueue\"",
                        ""),
                new Row(
                        SchedulerChange.LEASES_ONLY,
                        "v1beta3",
                        "leaderElection: {resourceLock: endpointsleases}",
                        "",
                        "leaderElection.resourceLock: Invalid value: \"endpointsleases\": resourceLock value must be"
                                + " \"leases\""),
                new Row(
                        SchedulerChange.NO_SELECTOR_SPREAD,
                        "v1",
                        "profiles: [{plugins: {score: {enabled: [{name: SelectorSpread}]}}}]",
                        "was invalid in version \"v1\" (KubeSchedulerConfiguration is version"
                                + " \"kubescheduler.config.k8s.io/v1\")",
                        ""),
                new Row(
                        SchedulerChange.ONE_QUEUE_SORT,
                        "v1",
                        TWO_QUEUES,
                        "has to match for all profiles",
                        "queueSort must be the same for all profiles"),
                new Row(
                        SchedulerChange.ONE_QUEUE_SORT_TEXT,
                        "v1",
                        TWO_QUEUES,
                        "queueSort must be the same for all profiles",
                        "must be the same for all profiles"),
                new Row(
                        SchedulerChange.STORAGE_CAPACITY_SCORING,
                        "v1",
                        "profiles: [{pluginConfig: [{name: VolumeBinding, args: {shape: [{utilization: 0, score: 1}]}}]}]",
                        "unexpected field `shape`, remove it or turn on the feature gate VolumeCapacityPriority",
                        "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"),
                new Row(
                        SchedulerChange.DEVICE_ARGUMENTS,
                        "v1",
                        "profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: x}}]}]",
                        "",
                        "decoding .profiles[0].pluginConfig[0]: decoding args for plugin DynamicResources: time: invalid"
                                + " duration \"x\""),
                new Row(
                        SchedulerChange.VALUES_AS_JSON,
                        "v1",
                        "profiles: [{pluginConfig: [{name: VolumeBinding, args: {shape: [{utilization: 0, score: 1}]}}]}]",
                        "profiles[0].pluginConfig[0].args.shape: Invalid value: []config.UtilizationShapePoint{config.UtilizationShapePoint{Utilization:0, Score:1}}:"
                                + " unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring",
                        "profiles[0].pluginConfig[0].args.shape: Invalid value: [{\"Utilization\":0,\"Score\":1}]:"
                                + " unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"),
                new Row(
                        SchedulerChange.BINDING_TIMEOUT,
                        "v1",
                        "profiles: [{pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 5s}}]}]",
                        "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args"
                                + " for plugin DynamicResources: strict decoding error: unknown field \"bindingTimeout\"",
                        "profiles[0].pluginConfig[0].args.bindingTimeout: Forbidden: DRADeviceBindingConditions or"
                                + " DRAResourceClaimDeviceStatus feature gate is disabled"),
                new Row(
                        SchedulerChange.PLACEMENT_POINTS,
                        "v1",
                        "profiles: [{plugins: {placementScore: {}}}]",
                        UNKNOWN + "\"profiles[0].plugins.placementScore\"",
                        ""),
                new Row(
                        SchedulerChange.STRICT_SCORING_STRATEGY,
                        "v1",
                        FIT.formatted(
                                "{type: LeastAllocated, requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}]}}"),
                        "",
                        "initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin"
                                + " \"NodeResourcesFit\": scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when"
                                + " type is not RequestedToCapacityRatio"));
    }

    private static String problems(String version, String fields, Release release) {
        String text =
                "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n" + fields;
        try {
            SchedulerConfiguration configuration = new ConfigurationReader(release).read(text, "file");
            new ConfigurationValidator().check(configuration);
            return "";
        } catch (ConfigurationException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** The arguments of a plugin in v1beta1: the problem until 1.20, and in 1.21 and 1.22. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    DefaultPreemption | {minCandidateNodesPercentage: 101} | minCandidateNodesPercentage is not in the range [0, 100] | minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]
                    DefaultPreemption | {minCandidateNodesAbsolute: -1} | minCandidateNodesAbsolute is not in the range [0, inf) | minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)
                    DefaultPreemption | {minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0} | both minCandidateNodesPercentage and minCandidateNodesAbsolute cannot be zero | minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute
                    InterPodAffinity | {hardPodAffinityWeight: 101} | hardPodAffinityWeight: Invalid value: 101: not in valid range [0-100] | hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]
                    NodeLabel | {presentLabels: [a, b], absentLabels: [c, b]} | detecting at least one label (e.g., "b") that exist in both the present([a b]) and absent([c b]) label list | presentLabels[1]: Invalid value: "b": conflict with
                    NodeLabel | {presentLabelsPreference: [b], absentLabelsPreference: [b]} | detecting at least one label (e.g., "b") that exist in both the present([b]) and absent([b]) label list | presentLabelsPreference[0]: Invalid value: "b": conflict with
                    VolumeBinding | {bindTimeoutSeconds: -1} | invalid BindTimeoutSeconds: -1, must be positive integer | bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value
                    RequestedToCapacityRatio | {shape: []} | at least one point must be specified | shape: Required value: at least one point must be specified
                    RequestedToCapacityRatio | {shape: [{utilization: 5, score: 1}, {utilization: 5, score: 2}]} | utilization values must be sorted. Utilization[0]==5 >= Utilization[1]==5 | shape[1].utilization: Invalid value: 5:
                    RequestedToCapacityRatio | {shape: [{utilization: -1, score: 1}]} | utilization values must not be less than 0. Utilization[0]==-1 | shape[0].utilization: Invalid value: -1: not in valid range [0, 100]
                    RequestedToCapacityRatio | {shape: [{utilization: 0, score: 11}]} | score values must not be greater than 10. Score[0]==11 | shape[0].score: Invalid value: 11: not in valid range [0, 10]
                    RequestedToCapacityRatio | {shape: [{utilization: 0, score: 1}], resources: [{name: cpu, weight: -1}]} | resource cpu weight -1 must not be less than 1 | resources[0].weight: Invalid value: -1: resource weight of cpu not in valid range [1, inf)
                    RequestedToCapacityRatio | {shape: [{utilization: 0, score: 1}], resources: [{name: cpu, weight: 101}]} | ~~ | ~~
                    NodeResourcesLeastAllocated | {resources: [{name: cpu, weight: 101}]} | resource Weight of cpu should be less than 100, got 101 | resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]
                    NodeResourcesMostAllocated | {resources: [{name: cpu, weight: -1}]} | resource Weight of cpu should be a positive value, got -1 | resources[0].weight: Invalid value: -1: resource weight of cpu not in valid range (0, 100]
                    PodTopologySpread | {defaultingType: Other} | defaultingType: Invalid value: "Other": must be one of {"System", "List"} | defaultingType: Unsupported value: "Other": supported values: "System", "List"
                    PodTopologySpread | {defaultingType: List, defaultConstraints: [{topologyKey: a, whenUnsatisfiable: ScheduleAnyway}]} | defaultConstraints[0].maxSkew: Invalid value: 0: must be greater than zero | defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)
                    NodeResourcesFit | {ignoredResourceGroups: [a/b]} | ignoredResourceGroups[0]: Invalid value: "a/b": resource group name can't contain '/' | ignoredResourceGroups[0]: Invalid value: "a/b": resource group name can't contain '/'
                    """)
    void argumentsOfPlugins(String plugin, String args, String old, String since) {
        String fields = "profiles: [{plugins: {score: {enabled: [{name: " + plugin
                + ", weight: 1}]}}, pluginConfig: [{name: " + plugin + ", args: " + args + "}]}]";
        assertEquals(
                old.isEmpty() ? "" : CREATING + " \"" + plugin + "\": " + old,
                problems("v1beta1", fields, new Release(20)));
        for (int minor : List.of(21, 22)) {
            boolean isAtStartup = minor == 21 || plugin.equals("NodeResourcesFit");
            String place = isAtStartup ? CREATING + " \"" + plugin + "\": " : "profiles[0].pluginConfig[0].args.";
            // A list of problems is in brackets.
            String problems = problems("v1beta1", fields, new Release(minor)).replace("\": [", "\": ");
            assertTrue(since.isEmpty() ? problems.isEmpty() : problems.contains(place + since), problems);
        }
    }

    /** The end of each problem that a release reports, joined. */
    private static String problems(Row row, Release release) {
        String whole = problems(row.version(), row.text(), release);
        String ending = release.equals(row.change().since()) ? row.since() : row.before();
        // The rows without a path are about the text behind it.
        return !ending.isEmpty() && whole.endsWith(": " + ending) ? ending : whole;
    }

    @ParameterizedTest
    @MethodSource("changes")
    void isReadDifferentlyInTheReleaseBefore(Row row) {
        Release since = row.change().since();
        assertEquals(
                List.of(row.before(), row.since()),
                List.of(problems(row, new Release(since.minor() - 1)), problems(row, since)));
    }

    @Test
    void everyChangeOfConfigurationsHasARow() {
        Set<SchedulerChange> expected = EnumSet.allOf(SchedulerChange.class);
        expected.removeIf(change -> change.part() != SchedulerChange.Part.CONFIGURATION);
        assertEquals(
                expected,
                changes().stream().map(Row::change).collect(toCollection(() -> EnumSet.noneOf(SchedulerChange.class))));
    }
}
