package io.policyscheduler.framework.insight.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.insight.migrate.MigrationTarget.ReleasePlugins;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReleasePluginsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NodeResourcesFit|V1BETA1|21|preFilter filter",
                "NodeResourcesFit|V1BETA2|22|preFilter filter score",
                "NodeResourcesFit|V1|26|preFilter filter score",
                "NodeResourcesFit|V1|27|preFilter filter preScore score",
                "NodeAffinity|V1BETA1|20|filter score",
                "NodeAffinity|V1BETA1|21|preFilter filter preScore score",
                "VolumeRestrictions|V1BETA1|21|filter",
                "VolumeRestrictions|V1BETA1|22|preFilter filter",
                "VolumeBinding|V1BETA1|20|preFilter filter reserve preBind",
                "VolumeBinding|V1|30|preFilter filter reserve preScore score preBind",
                "DefaultPreemption|V1|31|postFilter",
                "DefaultPreemption|V1|32|preEnqueue postFilter",
                "SchedulingGates|V1|25|",
                "SchedulingGates|V1|26|preEnqueue",
                "DynamicResources|V1|25|",
                "DynamicResources|V1|26|preFilter filter reserve postFilter preScore",
                "DynamicResources|V1|31|preEnqueue preFilter filter reserve postFilter preScore preBind",
                "DynamicResources|V1|32|preEnqueue preFilter filter reserve postFilter preBind",
                "NodeLabel|V1BETA1|22|filter score",
                "NodeLabel|V1BETA2|22|",
                "ServiceAffinity|V1BETA1|21|preFilter filter score",
                "SelectorSpread|V1BETA3|28|preScore score",
                "SelectorSpread|V1|28|",
                "EBSLimits|V1|30|preFilter filter",
                "EBSLimits|V1|31|",
                "DynamicResources|V1|35|preEnqueue preFilter filter reserve postFilter score preBind",
                "NodeDeclaredFeatures|V1|34|",
                "NodeDeclaredFeatures|V1|35|preFilter filter",
                "GangScheduling|V1|35|preEnqueue permit",
                "PodGroupPodsCount|V1|35|",
                "PodGroupPodsCount|V1|36|placementScore",
                "Unknown|V1|36|",
            })
    void pluginsTakePartFromTheirReleaseOn(String plugin, ConfigVersion version, int minor, String points) {
        ReleasePlugins plugins = new ReleasePlugins(Migrations.target(version, minor));
        String actual = Arrays.stream(ExtensionPoint.values())
                .filter(point -> plugins.implementsPoint(plugin, point))
                .map(ExtensionPoint::key)
                .collect(Collectors.joining(" "));
        assertEquals(points == null ? "" : points, actual);
        assertEquals(points != null, plugins.exists(plugin));
    }

    @Test
    void defaultsAreThoseOfTheRelease() {
        ReleasePlugins newest = new ReleasePlugins(Migrations.target(ConfigVersion.V1));
        assertEquals(
                "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions"
                        + " NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources"
                        + " NodeDeclaredFeatures",
                String.join(" ", newest.defaultFilters()));
        assertEquals(
                Map.of(
                        "TaintToleration", 3,
                        "NodeAffinity", 2,
                        "NodeResourcesFit", 1,
                        "PodTopologySpread", 2,
                        "InterPodAffinity", 2,
                        "NodeResourcesBalancedAllocation", 1,
                        "ImageLocality", 1),
                newest.defaultScores());
        ReleasePlugins older = new ReleasePlugins(Migrations.target(ConfigVersion.V1BETA2));
        assertEquals(
                "EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits",
                older.defaultFilters().stream()
                        .filter(name -> name.endsWith("Limits"))
                        .collect(Collectors.joining(" ")));
        assertEquals(2, older.defaultScores().get("PodTopologySpread"));
        assertEquals(1, older.defaultScores().get("InterPodAffinity"));
    }
}
