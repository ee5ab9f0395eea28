package io.policyscheduler.framework.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.PluginNames;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which configuration versions and releases have plugins that kube-scheduler has removed or added. */
class RemovedPluginsTest {
    @ParameterizedTest
    @CsvSource({
        "NodeLabel, v1alpha1 v1alpha2 v1beta1",
        "ServiceAffinity, v1alpha1 v1alpha2 v1beta1",
        "NodePreferAvoidPods, v1alpha1 v1alpha2 v1beta1",
        "NodeResourcesLeastAllocated, v1alpha1 v1alpha2 v1beta1",
        "NodeResourcesMostAllocated, v1alpha1 v1alpha2 v1beta1",
        "RequestedToCapacityRatio, v1alpha1 v1alpha2 v1beta1",
        "DefaultPodTopologySpread, v1alpha1 v1alpha2",
        "SelectorSpread, v1alpha1 v1alpha2 v1beta1 v1beta2 v1beta3",
        "NodeResourcesFit, v1alpha1 v1alpha2 v1beta1 v1beta2 v1beta3 v1",
        "MyPlugin, v1alpha1 v1alpha2 v1beta1 v1beta2 v1beta3 v1",
    })
    void versionsOf(String plugin, String versions) {
        List<String> found = new ArrayList<>();
        for (ConfigVersion version : ConfigVersion.values()) {
            if (PluginNames.isIn(plugin, version)) {
                found.add(version.version());
            }
        }
        assertEquals(versions, String.join(" ", found));
    }

    @ParameterizedTest
    @CsvSource({
        "AzureDiskLimits, 17, 31",
        "CinderLimits, 17, 31",
        "EBSLimits, 17, 31",
        "GCEPDLimits, 17, 31",
        "NodeVolumeLimits, 17, 36",
        "NodeDeclaredFeatures, 35, 36",
        "TopologyPlacementGenerator, 36, 36",
    })
    void releasesOf(String plugin, int first, int last) {
        List<Integer> releases = IntStream.rangeClosed(17, 36)
                .filter(minor -> PluginNames.isIn(plugin, new Release(minor)))
                .boxed()
                .toList();
        assertEquals(IntStream.rangeClosed(first, last).boxed().toList(), releases);
    }
}
