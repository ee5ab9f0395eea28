package io.policyscheduler.engine.cluster.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReleaseTest {
    @ParameterizedTest
    @CsvSource({"1.17,17", "v1.29,29", "1.34.1,34", "v1.5.0,5", "1.100,100"})
    void readsWhatPeopleWrite(String text, int minor) {
        assertEquals(new Release(minor), Release.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.", "2.0", "1.x", "1.29-rc.1", "1.29+", "1.1000", " 1.29", "v 1.29"})
    void refusesOtherTexts(String text) {
        assertEquals(
                "\"" + text + "\" is not a Kubernetes release such as 1.29",
                assertThrows(IllegalArgumentException.class, () -> Release.parse(text))
                        .getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "v1.29.4-gke.100,29",
        "v1.17.17+k3s1,17",
        "1.21+,21",
        "v1.34,34",
        "v1.22.3-eks-abc123,22",
        "v2.0.0,",
        "'',",
        "v1,",
        "unknown,"
    })
    void readsWhatProgramsCallThemselves(String version, Integer minor) {
        assertEquals(Optional.ofNullable(minor).map(Release::new), Release.ofVersion(version));
    }

    @Test
    void releasesAreOrdered() {
        Release release = new Release(29);
        assertEquals("1.29", release.toString());
        assertEquals(-1, Release.V1_17.compareTo(release));
        assertEquals(0, release.compareTo(Release.parse("1.29.3")));
        assertEquals(1, Release.NEWEST.compareTo(release));
        assertTrue(release.atLeast(28));
        assertTrue(release.atLeast(29));
        assertEquals(false, release.atLeast(30));
    }
}
