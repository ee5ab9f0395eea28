package io.policyscheduler.engine.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Claims, volumes, and storage classes: values derived from their fields. */
class StorageObjectsTest {
    private static ClaimInfo claim(Labels annotations, String volumeName, @Nullable String className) {
        return new ClaimInfo(
                "a",
                "c",
                "uid",
                "1",
                annotations,
                false,
                volumeName,
                className,
                List.of("ReadWriteOnce"),
                LabelSelector.EVERYTHING,
                "Block",
                7,
                "Pending",
                "",
                "");
    }

    static Stream<Arguments> classes() {
        return Stream.of(
                arguments(null, null, ""),
                arguments(null, "", ""),
                arguments(null, "field", "field"),
                arguments("beta", null, "beta"),
                arguments("beta", "field", "beta"),
                arguments("", "field", ""));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void theAnnotationNamesTheClassByPresence(@Nullable String annotation, @Nullable String field, String expected) {
        Labels annotations = annotation == null ? Labels.EMPTY : Labels.of(ClaimInfo.CLASS_ANNOTATION, annotation);
        assertEquals(expected, claim(annotations, "", field).className());
        PersistentVolumeInfo plain = ObjectStoreTest.volume("v", "1", field == null ? "" : field);
        PersistentVolumeInfo volume = new PersistentVolumeInfo(
                "v",
                "uid",
                "1",
                Labels.EMPTY,
                annotations,
                false,
                plain.storageClassName(),
                null,
                null,
                List.of(),
                "",
                0,
                plain.source(),
                "",
                "");
        assertEquals(expected, volume.className());
    }

    @ParameterizedTest
    @CsvSource({"'',false,false", "v,false,false", "'',true,false", "v,true,true"})
    void fullyBound(String volumeName, boolean completed, boolean bound) {
        Labels annotations = completed ? Labels.of(ClaimInfo.BIND_COMPLETED, "") : Labels.EMPTY;
        assertEquals(bound, claim(annotations, volumeName, null).isFullyBound());
    }

    @Test
    void copiesDifferInOneThing() {
        Labels annotations = Labels.of(ClaimInfo.SELECTED_NODE, "n1");
        assertEquals(claim(annotations, "v", "s"), claim(Labels.EMPTY, "v", "s").withAnnotations(annotations));
        PersistentVolumeInfo volume = ObjectStoreTest.volume("v", "1", "s");
        PersistentVolumeInfo.ClaimRef ref = new PersistentVolumeInfo.ClaimRef("a", "c", "uid");
        assertEquals(ref, volume.withClaimRef(ref).claimRef());
        assertEquals(volume, volume.withClaimRef(ref).withClaimRef(null));
        assertEquals("v", volume.key());
        assertEquals("a/c", claim(Labels.EMPTY, "", null).key());
    }

    @Test
    void onlyWaitForFirstConsumerIsDelayed() {
        assertTrue(new StorageClassInfo("s", "p", "WaitForFirstConsumer", List.of()).isDelayed());
        assertFalse(new StorageClassInfo("s", "p", "Immediate", List.of()).isDelayed());
        assertFalse(new StorageClassInfo("s", "p", null, List.of()).isDelayed());
    }
}
