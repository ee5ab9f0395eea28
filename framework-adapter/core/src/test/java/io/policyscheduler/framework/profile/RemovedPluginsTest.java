package io.policyscheduler.framework.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.PluginNames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which configuration versions may name plugins that kube-scheduler has removed. */
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
}
