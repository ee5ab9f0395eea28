package io.policyscheduler.predicates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.FailureReasons;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureReasonsTest {
    @Test
    void textsAndResolvability() {
        List<FailureReason> expected = List.of(
                new FailureReason("node(s) didn't match the requested hostname", false),
                new FailureReason("node(s) didn't have free ports for the requested pod ports", true),
                new FailureReason("node(s) didn't match node selector", false),
                new FailureReason("node(s) were unschedulable", false),
                new FailureReason("node(s) had taints that the pod didn't tolerate", false),
                new FailureReason("node(s) had no available disk", true),
                new FailureReason("node(s) didn't have the requested labels", false),
                new FailureReason("node(s) didn't match service affinity", true),
                new FailureReason("node(s) exceed max volume count", true),
                new FailureReason("node(s) had volume node affinity conflict", false),
                new FailureReason("node(s) didn't find available persistent volumes to bind", false),
                new FailureReason("node(s) had no available volume zone", false),
                new FailureReason("node(s) didn't match pod topology spread constraints", true),
                new FailureReason("node(s) didn't match pod affinity/anti-affinity", true),
                new FailureReason("node(s) didn't match pod affinity rules", false),
                new FailureReason("node(s) didn't match pod anti-affinity rules", true),
                new FailureReason("node(s) didn't satisfy existing pods anti-affinity rules", true));
        assertEquals(
                expected,
                List.of(
                        FailureReasons.HOST_NAME,
                        FailureReasons.HOST_PORTS,
                        FailureReasons.NODE_SELECTOR,
                        FailureReasons.UNSCHEDULABLE,
                        FailureReasons.TAINTS,
                        FailureReasons.DISK_CONFLICT,
                        FailureReasons.LABEL_PRESENCE,
                        FailureReasons.SERVICE_AFFINITY,
                        FailureReasons.MAX_VOLUME_COUNT,
                        FailureReasons.VOLUME_NODE_AFFINITY_CONFLICT,
                        FailureReasons.VOLUME_BINDING_NO_MATCH,
                        FailureReasons.VOLUME_ZONE_CONFLICT,
                        FailureReasons.TOPOLOGY_SPREAD,
                        FailureReasons.POD_AFFINITY,
                        FailureReasons.POD_AFFINITY_RULES,
                        FailureReasons.POD_ANTI_AFFINITY_RULES,
                        FailureReasons.EXISTING_ANTI_AFFINITY_RULES));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pods", "cpu", "memory", "ephemeral-storage", "nvidia.com/gpu"})
    void insufficientNamesTheResource(String resource) {
        assertEquals(new FailureReason("Insufficient " + resource, true), FailureReasons.insufficient(resource));
    }

    @Test
    void usualResourcesShareOneReason() {
        for (String resource : List.of("pods", "cpu", "memory", "ephemeral-storage")) {
            assertSame(FailureReasons.insufficient(resource), FailureReasons.insufficient(resource));
        }
    }
}
