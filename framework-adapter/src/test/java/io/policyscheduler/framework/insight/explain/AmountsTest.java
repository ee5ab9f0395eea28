package io.policyscheduler.framework.insight.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountsTest {
    @ParameterizedTest
    @CsvSource({
        "cpu, 300, 0.3 CPU",
        "cpu, 1, 0.001 CPU",
        "cpu, 4000, 4 CPU",
        "cpu, 40000, 40 CPU",
        "cpu, -500, -0.5 CPU",
        "memory, 0, 0 memory",
        "memory, 1023, 1023 memory",
        "memory, 1024, 1Ki memory",
        "memory, 1025, 1.01Ki memory",
        "memory, 1610612736, 1.5Gi memory",
        "memory, 9223372036854775807, 8Ei memory",
        "ephemeral-storage, 10737418240, 10Gi ephemeral-storage",
        "hugepages-2Mi, 4194304, 4Mi hugepages-2Mi",
        "pods, 1, 1 pod",
        "pods, 2, 2 pods",
        "nvidia.com/gpu, 2, 2 nvidia.com/gpu",
    })
    void readsAsPeopleWrite(String resource, long amount, String text) {
        assertEquals(text, Amounts.of(resource, amount));
    }
}
