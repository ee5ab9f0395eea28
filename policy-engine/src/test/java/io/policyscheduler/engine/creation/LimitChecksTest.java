package io.policyscheduler.engine.creation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.creation.LimitRanges.LimitChecks;
import io.policyscheduler.engine.creation.ObjectCreation.RejectedException;
import io.policyscheduler.engine.creation.ObjectCreation.Rules;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code RefusalsTest} tests the messages of both releases; this one tests the bounds. */
class LimitChecksTest {
    private static ObjectNode yaml(String text) throws IOException {
        return new YAMLMapper().readValue(text, ObjectNode.class);
    }

    private static LimitChecks checks(Release release, String... ranges) throws IOException {
        ObjectNode[] objects = new ObjectNode[ranges.length];
        for (int i = 0; i < ranges.length; i++) {
            objects[i] = yaml("{metadata: {name: r" + (ranges.length - i) + ", namespace: a}, spec: {limits: ["
                    + ranges[i] + "]}}");
        }
        return new LimitChecks(Rules.of(FeatureGates.defaults().at(release)), kind -> List.of(objects));
    }

    private static String refused(LimitChecks checks, String kind, ObjectNode object) {
        return assertThrows(RejectedException.class, () -> checks.check(kind, object))
                .text();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "min: {cpu: 1} | requests: {cpu: 1}",
                "min: {cpu: 1} | requests: {cpu: 1}, limits: {cpu: 1}",
                "max: {cpu: 1} | limits: {cpu: 1}",
                "max: {cpu: 1} | requests: {cpu: 1}, limits: {cpu: 1}",
                "maxLimitRequestRatio: {cpu: 2} | requests: {cpu: 1}, limits: {cpu: 2}",
                "maxLimitRequestRatio: {cpu: 1500m} | requests: {cpu: 2}, limits: {cpu: 3}",
            })
    void theBoundItselfIsAllowed(String item, String resources) throws IOException {
        ObjectNode pod = yaml("{metadata: {namespace: a}, spec: {containers: [{resources: {" + resources + "}}]}}");
        for (String type : List.of("Container", "Pod")) {
            LimitChecks checks = checks(Release.NEWEST, "{type: " + type + ", " + item + "}");
            assertDoesNotThrow(() -> checks.check("Pod", pod));
        }
    }

    @Test
    void rangesAreAskedByName() throws IOException {
        LimitChecks checks =
                checks(Release.NEWEST, "{type: Container, max: {cpu: 2}}", "{type: Container, max: {cpu: 1}}");
        ObjectNode pod = yaml("{metadata: {namespace: a}, spec: {containers: [{resources: {limits: {cpu: 3}}}]}}");
        assertEquals("maximum cpu usage per Container is 1, but limit is 3", refused(checks, "Pod", pod));
        pod.withObject("/metadata").put("namespace", "b");
        assertDoesNotThrow(() -> checks.check("Pod", pod));
    }

    @Test
    void aClaimNeedsARequest() throws IOException {
        ObjectNode claim = yaml("{metadata: {namespace: a}, spec: {resources: {limits: {storage: 1}}}}");
        LimitChecks checks =
                checks(Release.NEWEST, "{type: PersistentVolumeClaim, min: {storage: 1}, max: {storage: 2}}");
        assertEquals(
                "[minimum storage usage per PersistentVolumeClaim is 1.  No request is specified, maximum storage usage"
                        + " per PersistentVolumeClaim is 2.  No request is specified]",
                refused(checks, "PersistentVolumeClaim", claim));
        assertDoesNotThrow(() -> checks.check("Service", claim));
    }

    @Test
    void beforeSidecarsOnlyWhatAllContainersNameIsAddedUp() throws IOException {
        ObjectNode pod = yaml("{metadata: {namespace: a}, spec: {containers: [{resources: {limits: {cpu: 1}}}, {}]}}");
        String range = "{type: Pod, max: {cpu: 1}}";
        assertDoesNotThrow(() -> checks(Release.NEWEST, range).check("Pod", pod));
        assertEquals(
                "maximum cpu usage per Pod is 1.  No limit is specified",
                refused(checks(Release.parse("1.17"), range), "Pod", pod));
    }
}
