package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One kind of error at a time: the message of 1.34, and the number of our additional problems. */
class ConfigurationMessagesTest {
    private static final String STARTUP =
            "initializing profiles: creating profile for scheduler name default-scheduler: ";

    static Stream<Arguments> refused() {
        return Stream.of(
                arguments(
                        "a value that does not fit hides the fields that are not known",
                        "foo: 1\nparallelism: x",
                        "json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.parallelism of"
                                + " type int32",
                        2),
                arguments(
                        "fields of arguments come after those of the document, in one error",
                        "profiles: [{pluginConfig: [{name: NodeAffinity, args: {a: 1, b: 2}}, {name: VolumeBinding, args:"
                                + " {c: 1}}]}]\nfoo: 1\nfoo: 2\nbar: 1",
                        "strict decoding error: unknown field \"foo\", duplicate field \"foo\", unknown field \"bar\","
                                + " decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin"
                                + " NodeAffinity: strict decoding error: unknown field \"a\", unknown field \"b\", decoding"
                                + " .profiles[0].pluginConfig[1]: strict decoding error: decoding args for plugin"
                                + " VolumeBinding: strict decoding error: unknown field \"c\"",
                        7),
                arguments(
                        "values of arguments that do not fit come after those of the document",
                        "profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: x}}]}]\nleaderElection:"
                                + " {leaseDuration: 5}",
                        "json: cannot unmarshal number into Go struct field"
                                + " LeaderElectionConfiguration.leaderElection.leaseDuration of type string",
                        2),
                arguments(
                        "a value of arguments",
                        "profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: x}}]}]\nfoo: 1",
                        "decoding .profiles[0].pluginConfig[0]: decoding args for plugin DynamicResources: time: invalid"
                                + " duration \"x\"",
                        2),
                arguments(
                        "what the validation refuses hides what plugins would refuse",
                        "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [a b]}}]}]\n"
                                + "parallelism: 0\npodInitialBackoffSeconds: 0",
                        "[parallelism: Invalid value: 0: should be an integer value greater than zero,"
                                + " podInitialBackoffSeconds: Invalid value: 0: must be greater than 0]",
                        2),
                arguments(
                        "all that the first plugin refuses",
                        "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [a/b], scoringStrategy:"
                                + " {type: Best}}}]}]",
                        STARTUP + "initializing plugin \"NodeResourcesFit\": [ignoredResourceGroups[0]: Invalid value:"
                                + " \"a/b\": resource group name can't contain '/', scoringStrategy.type: Unsupported value:"
                                + " \"Best\": supported values: \"LeastAllocated\", \"MostAllocated\","
                                + " \"RequestedToCapacityRatio\"]",
                        2),
                arguments(
                        "extenders that need arguments come before the first plugin",
                        "profiles:\n- plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}]}}\n"
                                + "extenders: [{managedResources: [{name: a/b, ignoredByScheduler: true}]}]",
                        "can't find NodeResourcesFitArgs in plugin config",
                        1),
                arguments(
                        "the first plugin that does not belong where it is",
                        "profiles: [{plugins: {permit: {enabled: [{name: NodeName}]}, filter: {enabled: [{name:"
                                + " ImageLocality}]}}}]",
                        STARTUP + "plugin \"ImageLocality\" does not extend FilterPlugin plugin",
                        2));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void saysWhat134Says(String what, String body, String message, int problems) {
        ConfigurationException refusal = assertThrows(
                ConfigurationException.class,
                () -> Configurations.expand(ConfigVersion.V1, InTreePlugins.of134(), body));
        assertEquals(
                List.of(message, problems),
                List.of(String.valueOf(refusal.getMessage()), refusal.problems().size()));
    }
}
