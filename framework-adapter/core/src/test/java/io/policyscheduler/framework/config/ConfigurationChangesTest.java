package io.policyscheduler.framework.config;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.cluster.release.SchedulerChange;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each change of configurations: one that the release of the change and the one before it read differently. */
class ConfigurationChangesTest {
    private static final String UNKNOWN = "strict decoding error: unknown field ";
    private static final String FIT =
            "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: %s}}]}]";
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

    /** The end of each problem that a release reports, joined. */
    private static String problems(Row row, Release release) {
        String text = "apiVersion: kubescheduler.config.k8s.io/" + row.version()
                + "\nkind: KubeSchedulerConfiguration\n" + row.text();
        String whole;
        try {
            SchedulerConfiguration configuration = new ConfigurationReader(release).read(text, "file");
            new ConfigurationValidator().check(configuration);
            whole = "";
        } catch (ConfigurationException e) {
            whole = String.valueOf(e.getMessage());
        }
        String wanted = release.equals(row.change().since()) ? row.since() : row.before();
        // The rows without a path are about the text behind it.
        return !wanted.isEmpty() && whole.endsWith(": " + wanted) ? wanted : whole;
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
        expected.removeIf(change -> change.carried() != SchedulerChange.Carried.CONFIGURATION);
        assertEquals(
                expected,
                changes().stream().map(Row::change).collect(toCollection(() -> EnumSet.noneOf(SchedulerChange.class))));
    }
}
