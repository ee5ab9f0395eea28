package io.policyscheduler.predicates.volume;

import static io.policyscheduler.predicates.volume.StorageFixtures.migrated;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CsiMigrationTest {
    private static final String ALL_GATES =
            "CSIMigrationAWS=true,CSIMigrationGCE=true,CSIMigrationAzureDisk=true,CSIMigrationOpenStack=true";
    private static final String ALL_PLUGINS =
            "kubernetes.io/aws-ebs,kubernetes.io/gce-pd,kubernetes.io/azure-disk,kubernetes.io/azure-file,"
                    + "kubernetes.io/cinder";

    @ParameterizedTest
    @EnumSource(InTreePlugin.class)
    void needsBothGatesAndTheAnnotation(InTreePlugin plugin) {
        boolean can = plugin != InTreePlugin.AZURE_FILE;
        CsiNodeInfo all = migrated("n", ALL_PLUGINS);
        CsiMigration on = new CsiMigration(FeatureGates.parse(ALL_GATES));

        assertEquals(can, on.isMigrated(plugin, all));
        assertEquals(can, on.isEnabled(plugin));
        assertFalse(on.isMigrated(plugin, null));
        assertFalse(on.isMigrated(plugin, new CsiNodeInfo("n", Labels.EMPTY, List.of())));
        assertFalse(new CsiMigration(FeatureGates.defaults()).isMigrated(plugin, all));
        assertFalse(new CsiMigration(FeatureGates.parse(ALL_GATES + ",CSIMigration=false")).isMigrated(plugin, all));
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
        CsiMigration on = new CsiMigration(FeatureGates.parse("CSIMigrationAWS=true"));

        assertEquals(migrated, on.isMigrated(InTreePlugin.AWS_EBS, migrated("n", annotation)));
        assertFalse(on.isMigrated(InTreePlugin.GCE_PD, migrated("n", annotation)), "its gate is off");
    }

    @Test
    void noPluginIsNeverEnabled() {
        assertFalse(new CsiMigration(FeatureGates.parse(ALL_GATES)).isEnabled(null));
    }
}
