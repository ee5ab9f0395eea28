package io.policyscheduler.framework.insight.explain;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.insight.explain.Explanation.Amounts;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AmountsTest {
    @ParameterizedTest
    @CsvSource({
        "cpu, 300, 0.3 CPU",
        "cpu, 1, 0.001 CPU",
        "cpu, 4000, 4 CPUs",
        "cpu, 1000, 1 CPU",
        "pods, 1, 1 pod",
        "cpu, 40000, 40 CPUs",
        "cpu, -500, -0.5 CPU",
        "memory, 0, 0 of memory",
        "memory, 1023, 1023 of memory",
        "memory, 1024, 1Ki of memory",
        "memory, 1025, 1.01Ki of memory",
        "memory, 1610612736, 1.5Gi of memory",
        "memory, 9223372036854775807, 8Ei of memory",
        "ephemeral-storage, 10737418240, 10Gi of ephemeral-storage",
        "hugepages-2Mi, 4194304, 4Mi of hugepages-2Mi",
        "nvidia.com/gpu, 2, 2 nvidia.com/gpu",
    })
    void readsAsPeopleWrite(String resource, long amount, String text) {
        assertEquals(text, Amounts.of(resource, amount));
    }
}
