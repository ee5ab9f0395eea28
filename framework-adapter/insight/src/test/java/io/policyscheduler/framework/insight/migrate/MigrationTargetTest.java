package io.policyscheduler.framework.insight.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.framework.config.ConfigVersion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigrationTargetTest {
    @ParameterizedTest
    @CsvSource({"V1," + Release.NEWEST_TEXT, "V1BETA3,1.24", "V1BETA2,1.22", "V1BETA1,1.21"})
    void takesTheNewestReleaseForWhichTheVersionIsTheOneToUse(ConfigVersion version, String release) {
        assertEquals(release, MigrationTarget.of(version, null).release().toString());
    }

    @ParameterizedTest
    @CsvSource({
        "V1,1.25",
        "V1,v1.36.1",
        "V1,1.99",
        "V1BETA3,1.23",
        "V1BETA3,1.28",
        "V1BETA2,1.22",
        "V1BETA2,1.27",
        "V1BETA1,1.19",
        "V1BETA1,1.22"
    })
    void acceptsReleasesThatReadTheVersion(ConfigVersion version, String release) {
        Release parsed = Release.parse(release);
        assertEquals(parsed, MigrationTarget.of(version, parsed).release());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "V1|1.24|Kubernetes 1.24 does not read v1 (since 1.25); it reads v1beta3 or v1beta2",
                "V1BETA3|1.29|Kubernetes 1.29 does not read v1beta3 (1.23 to 1.28); it reads v1",
                "V1BETA2|1.28|Kubernetes 1.28 does not read v1beta2 (1.22 to 1.27); it reads v1 or v1beta3",
                "V1BETA1|1.18|Kubernetes 1.18 does not read v1beta1 (1.19 to 1.22); it runs the policy itself"
                        + " (--policy-config-file)",
                "V1ALPHA2|1.18|a policy cannot be migrated to v1alpha2; there are v1, v1beta3, v1beta2, v1beta1",
            })
    void refusesOthersWithAWayOut(ConfigVersion version, String release, String message) {
        Release parsed = Release.parse(release);
        Exception e = assertThrows(IllegalArgumentException.class, () -> MigrationTarget.of(version, parsed));
        assertEquals(message, e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"1", "1.", "2.3", "1.x", "latest", "1.1234"})
    void refusesWhatIsNoRelease(String text) {
        Exception e = assertThrows(IllegalArgumentException.class, () -> Release.parse(text));
        assertEquals("\"" + text + "\" is not a Kubernetes release such as 1.29", e.getMessage());
    }
}
