package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultPluginsTest {
    private static String text(PluginSet set) {
        return set.enabled().stream()
                .map(entry -> entry.name() + (entry.weight() == 0 ? "" : "=" + entry.weight()))
                .collect(Collectors.joining(" "));
    }

    @Test
    void v1alpha1HasNone() {
        assertEquals(ProfilePlugins.EMPTY, DefaultPlugins.of(ConfigVersion.V1ALPHA1));
    }

    @ParameterizedTest
    @CsvSource({
        "V1ALPHA2, NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 NodeResourcesLeastAllocated=1"
                + " NodeAffinity=1 NodePreferAvoidPods=10000 DefaultPodTopologySpread=1 TaintToleration=1 PodTopologySpread=1",
        "V1BETA1, NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 NodeResourcesLeastAllocated=1"
                + " NodeAffinity=1 NodePreferAvoidPods=10000 PodTopologySpread=2 TaintToleration=1",
        "V1BETA2, NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 NodeResourcesFit=1 NodeAffinity=1"
                + " PodTopologySpread=2 TaintToleration=1",
    })
    void scoresUntilMultiPoint(ConfigVersion version, String expected) {
        assertEquals(expected, text(DefaultPlugins.of(version).at(ExtensionPoint.SCORE)));
    }

    @ParameterizedTest
    @CsvSource({
        "V1BETA3, PrioritySort NodeUnschedulable NodeName TaintToleration=3 NodeAffinity=2 NodePorts NodeResourcesFit=1"
                + " VolumeRestrictions EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits VolumeBinding VolumeZone"
                + " PodTopologySpread=2 InterPodAffinity=2 DefaultPreemption NodeResourcesBalancedAllocation=1 ImageLocality=1"
                + " DefaultBinder",
        "V1, SchedulingGates PrioritySort NodeUnschedulable NodeName TaintToleration=3 NodeAffinity=2 NodePorts"
                + " NodeResourcesFit=1 VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread=2"
                + " InterPodAffinity=2 DynamicResources DefaultPreemption NodeResourcesBalancedAllocation=1 ImageLocality=1"
                + " DefaultBinder",
    })
    void multiPoint(ConfigVersion version, String expected) {
        assertEquals(expected, text(DefaultPlugins.of(version).multiPoint()));
        assertEquals(0, DefaultPlugins.of(version).points().size());
    }

    @ParameterizedTest
    @CsvSource({
        "V1BETA1, NodeResourcesFit NodePorts PodTopologySpread InterPodAffinity VolumeBinding NodeAffinity",
        "V1BETA2, NodeResourcesFit NodePorts VolumeRestrictions PodTopologySpread InterPodAffinity VolumeBinding NodeAffinity",
    })
    void preFilters(ConfigVersion version, String expected) {
        assertEquals(expected, text(DefaultPlugins.of(version).at(ExtensionPoint.PRE_FILTER)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "V1|NodeResourcesFit|{'ignoredResources':[],'ignoredResourceGroups':[],'scoringStrategy':{'type':"
                        + "'LeastAllocated','resources':[{'name':'cpu','weight':1},{'name':'memory','weight':1}]}}",
                "V1|NodeResourcesBalancedAllocation|{'resources':[{'name':'cpu','weight':1},{'name':'memory','weight':1}]}",
                "V1|InterPodAffinity|{'hardPodAffinityWeight':1,'ignorePreferredTermsOfExistingPods':false}",
                "V1|PodTopologySpread|{'defaultConstraints':[],'defaultingType':'System'}",
                "V1|NodeAffinity|{}",
                "V1|VolumeBinding|{'bindTimeoutSeconds':600}",
                "V1|DefaultPreemption|{'minCandidateNodesPercentage':10,'minCandidateNodesAbsolute':100}",
                "V1|DynamicResources|{'filterTimeout':'10s'}",
                "V1|Mine|{}",
                "V1BETA3|DynamicResources|{}",
                "V1BETA1|NodeResourcesLeastAllocated|{'resources':[{'name':'cpu','weight':1},{'name':'memory','weight':1}]}",
                "V1BETA2|NodeResourcesLeastAllocated|{}",
                "V1ALPHA2|NodeResourcesFit|{'ignoredResources':[]}",
                "V1ALPHA2|PodTopologySpread|{'defaultConstraints':[]}",
                "V1ALPHA1|InterPodAffinity|{}",
            },
            quoteCharacter = '`')
    void arguments(ConfigVersion version, String plugin, String expected) {
        assertEquals(
                expected.replace('\'', '"'),
                DefaultArguments.of(version, plugin).toString());
    }
}
