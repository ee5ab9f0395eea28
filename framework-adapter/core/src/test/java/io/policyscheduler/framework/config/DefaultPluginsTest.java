package io.policyscheduler.framework.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigurationAssembler.DefaultArguments;
import io.policyscheduler.framework.config.ProfilePlugins.PluginSet;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
                + " InterPodAffinity=2 DynamicResources=2 DefaultPreemption NodeResourcesBalancedAllocation=1"
                + " ImageLocality=1 DefaultBinder NodeDeclaredFeatures",
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
                "V1|DynamicResources|{'filterTimeout':'10s','bindingTimeout':'10m0s'}",
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

    @ParameterizedTest
    @CsvSource({
        "25, EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits",
        "26, EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits",
        "27, SchedulingGates EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits",
        "30, SchedulingGates EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits",
        "31, SchedulingGates NodeVolumeLimits",
        "33, SchedulingGates NodeVolumeLimits",
        "34, SchedulingGates NodeVolumeLimits DynamicResources",
        "35, SchedulingGates NodeVolumeLimits DynamicResources=2",
        "36, SchedulingGates NodeVolumeLimits DynamicResources=2 NodeDeclaredFeatures",
    })
    void thoseOfV1InEarlierReleases(int minor, String expected) {
        Set<String> changing = Set.of(
                "SchedulingGates",
                "EBSLimits",
                "GCEPDLimits",
                "NodeVolumeLimits",
                "AzureDiskLimits",
                "DynamicResources",
                "DynamicResources=2",
                "NodeDeclaredFeatures");
        String all =
                text(DefaultPlugins.of(ConfigVersion.V1, new Release(minor)).multiPoint());
        assertEquals(
                List.of(
                        expected,
                        "PrioritySort NodeUnschedulable NodeName TaintToleration=3 NodeAffinity=2 NodePorts"
                                + " NodeResourcesFit=1 VolumeRestrictions VolumeBinding VolumeZone PodTopologySpread=2"
                                + " InterPodAffinity=2 DefaultPreemption NodeResourcesBalancedAllocation=1 ImageLocality=1"
                                + " DefaultBinder"),
                Stream.of(true, false)
                        .map(one -> Arrays.stream(all.split(" "))
                                .filter(name -> changing.contains(name) == one)
                                .collect(Collectors.joining(" ")))
                        .toList());
    }

    @Test
    void selectorSpreadSpreadsIn119() {
        assertEquals(
                "NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 NodeResourcesLeastAllocated=1"
                        + " NodeAffinity=1 NodePreferAvoidPods=10000 PodTopologySpread=2 TaintToleration=1 SelectorSpread=1",
                text(DefaultPlugins.of(ConfigVersion.V1BETA1, new Release(19)).at(ExtensionPoint.SCORE)));
    }
}
