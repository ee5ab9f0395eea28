package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.testing.Clusters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostNameTest {
    private final HostName predicate = new HostName();

    @ParameterizedTest
    @CsvSource({"'',true", "n1,true", "n2,false", "N1,false", "n1.example.com,false"})
    void comparesTheNameAskedFor(String requested, boolean fits) {
        ClusterState cluster = Clusters.cluster(node("n1").build());
        Verdict expected = fits ? Verdict.FITS : Verdict.unfit(FailureReasons.HOST_NAME);
        assertEquals(
                expected, Checks.verdict(predicate, pod("p").onNode(requested).build(), cluster, "n1"));
    }

    @Test
    void readsOneNode() {
        assertEquals("HostName", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
    }
}
