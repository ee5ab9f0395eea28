package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Configurations.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigurationValidatorTest {
    private static final String ARGS = "profiles[0].pluginConfig[0].args.";
    private static final String FIT = "initializing profiles: creating profile for scheduler name default-scheduler:"
            + " initializing plugin \"NodeResourcesFit\": ";

    private static List<String> lines(ConfigVersion version, String body) throws ConfigurationException {
        return new ConfigurationValidator()
                .validate(read(version, body)).stream().map(Problem::line).toList();
    }

    static Stream<Arguments> settings() {
        String duration = "Invalid value: v1.Duration{Duration:";
        return Stream.of(
                arguments(
                        ConfigVersion.V1,
                        "clientConnection: {burst: -1}",
                        List.of("c.yaml:3:27: clientConnection.burst: Invalid value: -1: must be non-negative")),
                arguments(
                        ConfigVersion.V1,
                        "leaderElection: {leaseDuration: -1s, renewDeadline: -2s, retryPeriod: -3ns}",
                        List.of(
                                "c.yaml:3:33: leaderElection.leaseDuration: Invalid value: \"-1s\": must be greater than zero",
                                "c.yaml:3:53: leaderElection.renewDeadline: Invalid value: \"-2s\": must be greater than zero",
                                "c.yaml:3:71: leaderElection.retryPeriod: Invalid value: \"-3ns\": must be greater than zero")),
                arguments(
                        ConfigVersion.V1,
                        "leaderElection: {leaseDuration: 10s}",
                        List.of(
                                "c.yaml:3:33: leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than"
                                        + " `RenewDeadline`")),
                arguments(
                        ConfigVersion.V1BETA3,
                        "leaderElection: {leaseDuration: 10s}",
                        List.of("c.yaml:3:33: leaderElection.leaseDuration: " + duration
                                + "10000000000}: must be greater than `RenewDeadline`")),
                arguments(
                        ConfigVersion.V1ALPHA1,
                        "leaderElection: {leaseDuration: 9s}",
                        List.of("c.yaml:3:33: leaderElectionConfiguration.leaseDuration: " + duration
                                + "10000000000}: LeaseDuration must be greater than RenewDeadline")),
                arguments(ConfigVersion.V1ALPHA1, "leaderElection: {leaseDuration: 10s}", List.of()),
                arguments(ConfigVersion.V1, "leaderElection: {leaseDuration: -1s, leaderElect: false}", List.of()),
                arguments(
                        ConfigVersion.V1,
                        "leaderElection: {resourceLock: endpointsleases}",
                        List.of("c.yaml:3:32: leaderElection.resourceLock: Invalid value: \"endpointsleases\":"
                                + " resourceLock value must be \"leases\"")),
                arguments(ConfigVersion.V1BETA1, "leaderElection: {resourceLock: endpointsleases}", List.of()),
                arguments(
                        ConfigVersion.V1,
                        "parallelism: 0\npercentageOfNodesToScore: 101\npodInitialBackoffSeconds: 0\npodMaxBackoffSeconds: -1",
                        List.of(
                                "c.yaml:3:14: parallelism: Invalid value: 0: should be an integer value greater than zero",
                                "c.yaml:4:27: percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]",
                                "c.yaml:5:27: podInitialBackoffSeconds: Invalid value: 0: must be greater than 0",
                                "c.yaml:6:23: podMaxBackoffSeconds: Invalid value: -1: must be greater than or equal to"
                                        + " PodInitialBackoffSeconds")),
                arguments(ConfigVersion.V1, "percentageOfNodesToScore: 100\npodInitialBackoffSeconds: 10", List.of()),
                arguments(
                        ConfigVersion.V1ALPHA1,
                        "schedulerName: ''\nhardPodAffinitySymmetricWeight: 200\nhealthzBindAddress: '127.0.0.1:0'\n"
                                + "metricsBindAddress: 'host:70000'",
                        List.of(
                                "c.yaml:3:16: schedulerName: Required value",
                                "c.yaml:5:21: healthzBindAddress: Invalid value: \"127.0.0.1:0\": must be between 1 and 65535,"
                                        + " inclusive",
                                "c.yaml:6:21: metricsBindAddress: Invalid value: \"host:70000\": must be between 1 and 65535,"
                                        + " inclusive",
                                "c.yaml:6:21: metricsBindAddress: Invalid value: \"host:70000\": must be a valid IP address,"
                                        + " (e.g. 10.9.8.7)",
                                "c.yaml:4:33: hardPodAffinitySymmetricWeight: Invalid value: 200: not in valid range [0-100]")),
                arguments(
                        ConfigVersion.V1,
                        "profiles:\n- {schedulerName: a, percentageOfNodesToScore: -1}\n- {schedulerName: a}\n- {}",
                        List.of(
                                "c.yaml:4:48: profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range"
                                        + " [0-100]",
                                "c.yaml:5:19: profiles[1].schedulerName: Duplicate value: {}",
                                "c.yaml:6:3: profiles[2].schedulerName: Required value")),
                arguments(
                        ConfigVersion.V1,
                        "profiles:\n- {schedulerName: a, plugins: {queueSort: {enabled: [{name: A}, {name: B}]}}}\n"
                                + "- {schedulerName: b, plugins: {queueSort: {enabled: [{name: A, weight: 2}]}}}",
                        List.of(
                                "c.yaml:4:43: profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin"
                                        + " can be enabled",
                                "c.yaml:5:43: profiles[1].plugins.queueSort: Invalid value: {\"Enabled\":[{\"Name\":\"A\","
                                        + "\"Weight\":2}],\"Disabled\":null}: must be the same for all profiles")),
                arguments(
                        ConfigVersion.V1BETA3,
                        "profiles:\n- {schedulerName: a, plugins: {queueSort: {enabled: [{name: A}]}}}\n"
                                + "- {schedulerName: a, plugins: {queueSort: {enabled: [{name: A, weight: 2}]}}}",
                        List.of(
                                "c.yaml:5:19: profiles[1].schedulerName: Duplicate value: \"profiles[0].schedulerName\"",
                                "c.yaml:5:43: profiles[1].plugins.queueSort: Invalid value: config.PluginSet{Enabled:"
                                        + "[]config.Plugin{config.Plugin{Name:\"A\", Weight:2}}, Disabled:[]config.Plugin(nil)}:"
                                        + " must be the same for all profiles")),
                arguments(
                        ConfigVersion.V1,
                        "extenders:\n- {prioritizeVerb: p, bindVerb: b}\n- {bindVerb: b, managedResources: [{name: cpu},"
                                + " {name: a/b}, {name: a/b}, {name: 'a b'}]}",
                        List.of(
                                "c.yaml:4:3: extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
                                "c.yaml:5:43: extenders[1].managedResources[0].name: Invalid value: \"cpu\": is an invalid"
                                        + " extended resource name",
                                "c.yaml:5:69: extenders[1].managedResources[2].name: Invalid value: \"a/b\": duplicate extender"
                                        + " managed resource name",
                                "c.yaml:5:82: extenders[1].managedResources[3].name: Invalid value: \"a b\": name part must"
                                        + " consist of alphanumeric characters, '-', '_' or '.', and must start and end with an"
                                        + " alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for"
                                        + " validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                                "c.yaml:4:1: extenders: Invalid value: \"found 2 extenders implementing bind\": only one extender"
                                        + " can implement bind")),
                arguments(
                        ConfigVersion.V1,
                        "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}]}}}]\n"
                                + "extenders: [{managedResources: [{name: a/b, ignoredByScheduler: true}]}]",
                        List.of("c.yaml:4:12: can't find NodeResourcesFitArgs in plugin config")),
                arguments(
                        ConfigVersion.V1,
                        "profiles: [{plugins: {filter: {enabled: [{name: EBSLimits}]}, multiPoint: {enabled: [{name: EBSLimits}]}},"
                                + " pluginConfig: [{name: CinderLimits}]}]",
                        List.of(
                                "c.yaml:3:42: profiles[0].plugins.filter.enabled[0]: Invalid value: \"EBSLimits\": was invalid in"
                                        + " version \"v1\" (KubeSchedulerConfiguration is version"
                                        + " \"kubescheduler.config.k8s.io/v1\")",
                                "c.yaml:3:123: profiles[0].pluginConfig[0]: Invalid value: \"CinderLimits\": was invalid in"
                                        + " version \"v1\" (KubeSchedulerConfiguration is version"
                                        + " \"kubescheduler.config.k8s.io/v1\")")),
                arguments(
                        ConfigVersion.V1BETA3,
                        "profiles: [{plugins: {filter: {enabled: [{name: NodeLabel}]}}}]",
                        List.of(
                                "c.yaml:3:42: profiles[0].plugins.filter.enabled[0]: Invalid value: \"NodeLabel\": was invalid in"
                                        + " version \"kubescheduler.config.k8s.io/v1beta2\" (KubeSchedulerConfiguration is version"
                                        + " \"kubescheduler.config.k8s.io/v1beta3\")")),
                arguments(
                        ConfigVersion.V1BETA1,
                        "profiles: [{plugins: {filter: {enabled: [{name: NodeLabel}]}}}]",
                        List.of()),
                arguments(
                        ConfigVersion.V1,
                        "profiles: [{pluginConfig: [{name: A}, {name: A}]}]",
                        List.of("c.yaml:3:39: profiles[0].pluginConfig[1]: Duplicate value: \"A\"")),
                arguments(
                        ConfigVersion.V1BETA1,
                        "profiles: [{pluginConfig: [{name: A}, {name: A}]}]",
                        List.of(
                                "c.yaml:3:39: initializing profiles: creating profile for scheduler name default-scheduler:"
                                        + " repeated config for plugin A")));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void validates(ConfigVersion version, String body, List<String> expected) throws ConfigurationException {
        assertEquals(expected, lines(version, body));
    }

    static Stream<Arguments> pluginArguments() {
        return Stream.of(
                arguments(
                        "DefaultPreemption",
                        "{minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1}",
                        List.of(
                                ARGS + "minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]",
                                ARGS + "minCandidateNodesAbsolute: Invalid value: -1: not in valid range [0, inf)")),
                arguments(
                        "DefaultPreemption",
                        "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}",
                        List.of(
                                ARGS
                                        + "minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as"
                                        + " minCandidateNodesAbsolute",
                                ARGS + "minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as"
                                        + " minCandidateNodesPercentage")),
                arguments("DefaultPreemption", "{minCandidateNodesPercentage: 0}", List.of()),
                arguments(
                        "InterPodAffinity",
                        "{hardPodAffinityWeight: 101}",
                        List.of(ARGS + "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]")),
                arguments("InterPodAffinity", "{hardPodAffinityWeight: 0}", List.of()),
                arguments(
                        "NodeResourcesBalancedAllocation",
                        "{resources: [{name: cpu, weight: 2}, {name: cpu}]}",
                        List.of(
                                ARGS + "resources[0].weight: Invalid value: 2: must be 1",
                                ARGS + "resources[1].name: Duplicate value: \"cpu\"")),
                arguments(
                        "VolumeBinding",
                        "{bindTimeoutSeconds: -1, shape: [{utilization: 1, score: 2}]}",
                        List.of(
                                ARGS
                                        + "bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative"
                                        + " value",
                                ARGS
                                        + "shape: Invalid value: [{\"Utilization\":1,\"Score\":2}]: unexpected field `shape`, remove it or turn on the feature gate"
                                        + " StorageCapacityScoring")),
                arguments(
                        "DynamicResources",
                        "{filterTimeout: -1s}",
                        List.of(ARGS + "filterTimeout: Invalid value: \"-1s\": must be zero or positive")),
                arguments(
                        "PodTopologySpread",
                        "{defaultingType: Some}",
                        List.of(
                                ARGS
                                        + "defaultingType: Unsupported value: \"Some\": supported values: \"System\", \"List\"")),
                arguments(
                        "PodTopologySpread",
                        "{defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable:" + " DoNotSchedule}]}",
                        List.of(ARGS
                                + "defaultingType: Invalid value: \"System\": when .defaultConstraints are not empty")),
                arguments(
                        "PodTopologySpread",
                        "{defaultingType: List, defaultConstraints: [{labelSelector: {}},"
                                + " {maxSkew: 1, topologyKey: a, whenUnsatisfiable: Never}, {maxSkew: 1, topologyKey: a,"
                                + " whenUnsatisfiable: Never}]}",
                        List.of(
                                ARGS + "defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf)",
                                ARGS + "defaultConstraints[0].topologyKey: Required value: can not be empty",
                                ARGS + "defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty",
                                ARGS
                                        + "defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they"
                                        + " deduced for each pod",
                                ARGS
                                        + "defaultConstraints[1].whenUnsatisfiable: Unsupported value: \"Never\": supported values:"
                                        + " \"DoNotSchedule\", \"ScheduleAnyway\"",
                                ARGS
                                        + "defaultConstraints[2].whenUnsatisfiable: Unsupported value: \"Never\": supported values:"
                                        + " \"DoNotSchedule\", \"ScheduleAnyway\"",
                                ARGS + "defaultConstraints[2]: Duplicate value: \"{a, Never}\"")),
                arguments(
                        "NodeAffinity",
                        "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
                                + " [{matchExpressions: [{key: a, operator: In}, {key: a, operator: Gt, values: [x]}, {key: a, operator:"
                                + " Exists, values: [b, c]}, {key: a, operator: Is}], matchFields: [{key: metadata.name, operator: In},"
                                + " {key: f, operator: Gt}]}]}}}",
                        affinityProblems()),
                arguments(
                        "NodeAffinity",
                        "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{preference:"
                                + " {matchExpressions: [{key: a, operator: Is}]}}, {weight: 1, preference: {matchExpressions: [{key: a,"
                                + " operator: Is}]}}]}}",
                        List.of(ARGS
                                + "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution[1].matchExpressions[0].operator:"
                                + " Unsupported value: \"Is\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\","
                                + " \"Gt\", \"Lt\"")),
                arguments(
                        "NodeResourcesFit",
                        "{ignoredResources: [''], ignoredResourceGroups: [a/b], scoringStrategy: {type: Best,"
                                + " resources: [{name: cpu, weight: 101}]}}",
                        List.of(
                                FIT + "ignoredResources[0]: Invalid value: \"\": name part must be non-empty",
                                FIT
                                        + "ignoredResources[0]: Invalid value: \"\": name part must consist of alphanumeric characters, '-',"
                                        + " '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or"
                                        + " 'my.name',  or '123-abc', regex used for validation is"
                                        + " '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                                FIT
                                        + "ignoredResourceGroups[0]: Invalid value: \"a/b\": resource group name can't contain '/'",
                                FIT
                                        + "scoringStrategy.type: Unsupported value: \"Best\": supported values: \"LeastAllocated\","
                                        + " \"MostAllocated\", \"RequestedToCapacityRatio\"",
                                FIT
                                        + "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range"
                                        + " (0, 100]")),
                arguments(
                        "NodeResourcesFit",
                        "{scoringStrategy: {type: RequestedToCapacityRatio}}",
                        List.of(FIT
                                + "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is"
                                + " RequestedToCapacityRatio")),
                arguments(
                        "NodeResourcesFit",
                        "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio:"
                                + " {shape: []}}}",
                        List.of(FIT + "scoringStrategy.shape: Required value: at least one point must be specified")),
                arguments(
                        "NodeResourcesFit",
                        "{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio:"
                                + " {shape: [{utilization: 101, score: 11}, {utilization: 0, score: -1}]}}}",
                        List.of(
                                FIT
                                        + "scoringStrategy.shape[1].utilization: Invalid value: 0: values must be sorted in increasing order",
                                FIT
                                        + "scoringStrategy.shape[0].utilization: Invalid value: 101: not in valid range [0, 100]",
                                FIT + "scoringStrategy.shape[0].score: Invalid value: 11: not in valid range [0, 10]",
                                FIT
                                        + "scoringStrategy.shape[1].score: Invalid value: -1: not in valid range [0, 10]")));
    }

    private static List<String> affinityProblems() {
        String term = ARGS + "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].";
        return List.of(
                term
                        + "matchExpressions[0].values: Invalid value: null: for 'in', 'notin' operators, values set can't be"
                        + " empty",
                term
                        + "matchExpressions[1].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an"
                        + " integer",
                term
                        + "matchExpressions[2].values: Invalid value: [\"b\",\"c\"]: values set must be empty for exists and"
                        + " does not exist",
                term
                        + "matchExpressions[3].operator: Unsupported value: \"Is\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\","
                        + " \"Gt\", \"Lt\"",
                term + "matchFields[0].values: Invalid value: null: must have one element",
                term + "matchFields[1].operator: Unsupported value: \"Gt\": supported values: \"In\", \"NotIn\"");
    }

    @ParameterizedTest
    @MethodSource("pluginArguments")
    void validatesPluginArguments(String plugin, String args, List<String> expected) throws ConfigurationException {
        SchedulerConfiguration configuration =
                read(ConfigVersion.V1, "profiles: [{pluginConfig: [{name: " + plugin + ", args: " + args + "}]}]");
        assertEquals(
                expected,
                new ConfigurationValidator()
                        .validate(configuration).stream().map(Problem::message).toList());
    }

    @Test
    void aPluginThatIsNotEnabledIsNotBuilt() throws ConfigurationException {
        assertEquals(
                List.of(),
                lines(
                        ConfigVersion.V1,
                        "profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}]}}, pluginConfig: [{name: NodeResourcesFit,"
                                + " args: {scoringStrategy: {type: Best}}}]}]"));
    }

    @Test
    void refusesWithAllMessages() {
        ConfigurationException refused = assertThrows(
                ConfigurationException.class,
                () -> new ConfigurationValidator()
                        .check(read(ConfigVersion.V1, "parallelism: 0\nclientConnection: {burst: -1}")));
        assertEquals(
                "[clientConnection.burst: Invalid value: -1: must be non-negative, parallelism: Invalid value: 0: should be an"
                        + " integer value greater than zero]",
                refused.getMessage());
        assertEquals(2, refused.problems().size());
    }
}
