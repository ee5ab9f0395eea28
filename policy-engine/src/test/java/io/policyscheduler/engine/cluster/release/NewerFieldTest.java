package io.policyscheduler.engine.cluster.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NewerFieldTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "topologySpreadConstraints | 1.18 | since 1.18 (beta): topologySpreadConstraints",
                "topologySpreadConstraints | 1.34 | since 1.19: topologySpreadConstraints",
                "overhead | 1.23 | since 1.18 (beta): overhead",
                "overhead | 1.24 | since 1.24: overhead",
                "sidecars | 1.29 | since 1.29 (beta): sidecars",
                "sidecars | 1.33 | since 1.33: sidecars",
                "podResources | 1.34 | since 1.34 (beta): podResources",
                "schedulingGates | 1.30 | since 1.30: schedulingGates",
            })
    void isDescribedAsOfARelease(String key, String release, String text) {
        assertEquals(Optional.of(text), NewerField.find(key).map(field -> field.describe(Release.parse(release))));
    }

    @ParameterizedTest
    @EnumSource(NewerField.class)
    void isFoundByItsKeyAndCountsFromItsReleaseOn(NewerField field) {
        assertEquals(Optional.of(field), NewerField.find(field.key()));
        Release before = new Release(field.served().minor() - 1);
        assertEquals(false, FeatureGates.defaults().at(before).honours(field));
        assertEquals(true, FeatureGates.defaults().at(field.served()).honours(field));
    }

    @Test
    void keysAreUniqueAndInTheOrderInWhichTheyCame() {
        List<String> keys = NewerField.keys();
        assertEquals(keys.size(), new HashSet<>(keys).size());
        assertEquals(Arrays.stream(NewerField.values()).map(NewerField::key).toList(), keys);
        List<Release> served =
                Arrays.stream(NewerField.values()).map(NewerField::served).toList();
        assertEquals(served.stream().sorted().toList(), served);
        assertEquals(Optional.empty(), NewerField.find("sidecar"));
    }

    @Test
    void whatBecomesOfThem() {
        assertEquals(
                "{REQUESTS=[overhead, sidecars, resize, podResources, podLevelResize],"
                        + " MANDATORY=[topologySpreadConstraints, resourceClaims, declaredFeatures], WAITS=[schedulingGates],"
                        + " GROWN=[ephemeralVolumes, storageCapacity, namespaceSelector, nodeInclusionPolicies,"
                        + " minDomains, matchLabelKeys, readWriteOncePod, affinityLabelKeys, volumeAttributesClass],"
                        + " PREEMPTION=[preemptionPolicy]}",
                Arrays.stream(NewerField.values())
                        .collect(Collectors.groupingBy(
                                NewerField::effect,
                                TreeMap::new,
                                Collectors.mapping(NewerField::key, Collectors.toList())))
                        .toString());
    }
}
