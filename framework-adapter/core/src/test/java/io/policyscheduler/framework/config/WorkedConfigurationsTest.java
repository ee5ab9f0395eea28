package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Configurations.used;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins.PluginIndex;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Hand-written configurations, to which old policies are migrated, are valid and select the intended plugins. */
class WorkedConfigurationsTest {
    private static List<String> split(String names) {
        return names.isEmpty() ? List.of() : List.of(names.split(" "));
    }

    private static String text(String name) {
        try (InputStream in =
                Objects.requireNonNull(WorkedConfigurationsTest.class.getResourceAsStream(name + ".yaml"), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<Arguments> examples() {
        String defaultFilters = "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit"
                + " VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity"
                + " DynamicResources";
        return Stream.of(
                arguments(
                        "default-provider",
                        InTreePlugins.of134(),
                        defaultFilters,
                        "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2"
                                + " InterPodAffinity=2 NodeResourcesBalancedAllocation=1 ImageLocality=1",
                        "VolumeBinding DynamicResources"),
                arguments(
                        "legacy-weights",
                        InTreePlugins.of134(),
                        defaultFilters,
                        "TaintToleration=1 NodeAffinity=1 PodTopologySpread=1 InterPodAffinity=1 NodeResourcesFit=1"
                                + " VolumeBinding=1 NodeResourcesBalancedAllocation=1 ImageLocality=1",
                        "VolumeBinding DynamicResources"),
                arguments(
                        "most-requested",
                        InTreePlugins.of134(),
                        "NodeUnschedulable NodeName NodePorts NodeAffinity NodeResourcesFit VolumeRestrictions"
                                + " TaintToleration",
                        "NodeResourcesFit=2 PodTopologySpread=4 NodeAffinity=4",
                        ""),
                arguments(
                        "most-requested-multipoint",
                        InTreePlugins.of134(),
                        "NodeUnschedulable NodeName NodePorts NodeAffinity NodeResourcesFit VolumeRestrictions"
                                + " TaintToleration",
                        "NodeAffinity=4 NodeResourcesFit=2 PodTopologySpread=4",
                        ""),
                arguments(
                        "labels-v1beta1",
                        InTreePlugins.of121(),
                        "NodeUnschedulable NodeName NodePorts NodeAffinity NodeResourcesFit VolumeRestrictions"
                                + " TaintToleration NodeLabel ServiceAffinity",
                        "NodeResourcesMostAllocated=2 SelectorSpread=1 ServiceAffinity=3 NodeLabel=4",
                        ""),
                arguments(
                        "gpu-bin-packing",
                        InTreePlugins.of134(),
                        "NodeUnschedulable NodeResourcesFit NodeName NodePorts NodeAffinity TaintToleration VolumeBinding"
                                + " DynamicResources",
                        "NodeResourcesFit=5 TaintToleration=1",
                        "VolumeBinding DynamicResources"));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void comesToThesePlugins(String name, PluginIndex index, String filters, String scores, String reserve)
            throws ConfigurationException {
        SchedulerConfiguration configuration = new ConfigurationReader(Release.V1_34).read(text(name), name + ".yaml");
        new ConfigurationValidator().check(configuration);
        Map<ExtensionPoint, List<String>> used = used(new PluginExpansion(index)
                .expand(configuration, configuration.profiles().get(0)));
        assertEquals(split(filters), used.get(ExtensionPoint.FILTER));
        assertEquals(split(scores), used.get(ExtensionPoint.SCORE));
        assertEquals(split(reserve), used.getOrDefault(ExtensionPoint.RESERVE, List.of()));
        assertEquals(List.of("PrioritySort"), used.get(ExtensionPoint.QUEUE_SORT));
        assertEquals(List.of("DefaultBinder"), used.get(ExtensionPoint.BIND));
    }
}
