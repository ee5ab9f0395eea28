package io.policyscheduler.engine.cluster;

import static io.policyscheduler.engine.cluster.ObjectStoreTest.claim;
import static io.policyscheduler.engine.cluster.ObjectStoreTest.volume;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AssumedVolumesTest {
    private static final PersistentVolumeInfo STORED = volume("v", "5", "fast");
    private static final PersistentVolumeInfo ASSUMED =
            STORED.withClaimRef(new PersistentVolumeInfo.ClaimRef("a", "c", "uid"));
    private static final ClaimInfo STORED_CLAIM = claim("c", "5");
    private static final ClaimInfo ASSUMED_CLAIM =
            STORED_CLAIM.withAnnotations(Labels.of(ClaimInfo.SELECTED_NODE, "n1"));

    private final ClusterState state = new ClusterState();

    @BeforeEach
    void assumeBoth() {
        state.putObject(STORED);
        state.putObject(volume("w", "1", "fast"));
        state.putObject(STORED_CLAIM);
        state.assumedVolumes().assume(ASSUMED);
        state.assumedVolumes().assume(ASSUMED_CLAIM);
    }

    @Test
    void whatIsAssumedHidesWhatIsStored() {
        assertEquals(ASSUMED, state.volume("v"));
        assertEquals(ASSUMED_CLAIM, state.claim("a", "c"));
        assertEquals(List.of(ASSUMED, volume("w", "1", "fast")), List.copyOf(state.volumesOfClass("fast")));
        assertNull(state.claim("b", "c"));
    }

    @Test
    void restoringShowsWhatIsStored() {
        state.assumedVolumes().restoreVolume("v");
        state.assumedVolumes().restoreClaim("a", "c");
        state.assumedVolumes().restoreVolume("unknown");
        state.assumedVolumes().restoreClaim("a", "unknown");
        assertEquals(STORED, state.volume("v"));
        assertEquals(STORED_CLAIM, state.claim("a", "c"));
        assertEquals(List.of(STORED, volume("w", "1", "fast")), List.copyOf(state.volumesOfClass("fast")));
    }

    /** Only a version above that of the assumed object counts; versions are numbers, not texts. */
    @ParameterizedTest
    @CsvSource({"4,false", "5,false", "6,true", "10,true", "05,false", "x,true"})
    void aNewerObjectConfirms(String version, boolean confirms) {
        state.putObject(volume("v", version, "fast"));
        state.putObject(claim("c", version));
        assertEquals(confirms ? volume("v", version, "fast") : ASSUMED, state.volume("v"));
        assertEquals(confirms ? claim("c", version) : ASSUMED_CLAIM, state.claim("a", "c"));
    }

    @Test
    void otherObjectsConfirmNothing() {
        state.putObject(volume("w", "9", "fast"));
        state.putObject(claim("d", "9"));
        assertEquals(ASSUMED, state.volume("v"));
        assertEquals(ASSUMED_CLAIM, state.claim("a", "c"));
    }

    @Test
    void aDeletedObjectIsGone() {
        state.removeObject(STORED);
        state.removeObject(STORED_CLAIM);
        assertNull(state.volume("v"));
        assertNull(state.claim("a", "c"));
        assertEquals(List.of(volume("w", "1", "fast")), List.copyOf(state.volumesOfClass("fast")));
    }
}
