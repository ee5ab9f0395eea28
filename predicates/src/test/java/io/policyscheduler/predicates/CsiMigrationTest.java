package io.policyscheduler.predicates;

import static io.policyscheduler.predicates.StorageFixtures.migrated;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.placement.InTreeVolumes;
import io.policyscheduler.engine.placement.InTreeVolumes.Plugin;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CsiMigrationTest {
    private static final String ALL_GATES =
            "CSIMigrationAWS=true,CSIMigrationGCE=true,CSIMigrationAzureDisk=true,CSIMigrationOpenStack=true";
    private static final String ALL_PLUGINS =
            "kubernetes.io/aws-ebs,kubernetes.io/gce-pd,kubernetes.io/azure-disk,kubernetes.io/azure-file,"
                    + "kubernetes.io/cinder,kubernetes.io/portworx-volume";

    @ParameterizedTest
    @EnumSource(Plugin.class)
    void needsBothGatesAndTheAnnotation(Plugin plugin) {
        boolean can = plugin != Plugin.AZURE_FILE && plugin != Plugin.PORTWORX;
        CsiNodeInfo all = migrated("n", ALL_PLUGINS);
        InTreeVolumes on = InTreeVolumes.v117(FeatureGates.parse(ALL_GATES));

        assertEquals(can, on.isMigrated(plugin, all));
        assertEquals(can, on.isEnabled(plugin));
        assertFalse(on.isMigrated(plugin, null));
        assertFalse(on.isMigrated(plugin, new CsiNodeInfo("n", Labels.EMPTY, List.of())));
        assertFalse(InTreeVolumes.v117(FeatureGates.defaults()).isMigrated(plugin, all));
        assertFalse(InTreeVolumes.v117(FeatureGates.parse(ALL_GATES + ",CSIMigration=false"))
                .isMigrated(plugin, all));
    }

    @ParameterizedTest
    @CsvSource({
        "'kubernetes.io/aws-ebs', true",
        "'x,kubernetes.io/aws-ebs', true",
        "'x, kubernetes.io/aws-ebs', false",
        "'kubernetes.io/gce-pd', false",
        "'', false",
    })
    void readsTheAnnotationLiterally(String annotation, boolean migrated) {
        InTreeVolumes on = InTreeVolumes.v117(FeatureGates.parse("CSIMigrationAWS=true"));

        assertEquals(migrated, on.isMigrated(Plugin.AWS_EBS, migrated("n", annotation)));
        assertFalse(on.isMigrated(Plugin.GCE_PD, migrated("n", annotation)), "its gate is off");
    }
}
