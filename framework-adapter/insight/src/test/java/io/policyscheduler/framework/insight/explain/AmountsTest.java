package io.policyscheduler.framework.insight.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountsTest {
    @ParameterizedTest
    @CsvSource({
        "cpu, 300, 0.3 more CPU",
        "cpu, 1, 0.001 more CPU",
        "cpu, 4000, 4 more CPUs",
        "cpu, 1000, 1 more CPU",
        "pods, 1, 1 more pod",
        "cpu, 40000, 40 more CPUs",
        "cpu, -500, -0.5 more CPU",
        "memory, 0, 0 more memory",
        "memory, 1023, 1023 more memory",
        "memory, 1024, 1Ki more memory",
        "memory, 1025, 1.01Ki more memory",
        "memory, 1610612736, 1.5Gi more memory",
        "memory, 9223372036854775807, 8Ei more memory",
        "ephemeral-storage, 10737418240, 10Gi more ephemeral-storage",
        "hugepages-2Mi, 4194304, 4Mi more hugepages-2Mi",
        "nvidia.com/gpu, 2, 2 more nvidia.com/gpu",
    })
    void readsAsPeopleWrite(String resource, long amount, String text) {
        assertEquals(text, Amounts.more(resource, amount));
    }
}
