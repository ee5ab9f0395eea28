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

class CheckNodeUnschedulableTest {
    private static final Verdict UNSCHEDULABLE = Verdict.unfit(FailureReasons.UNSCHEDULABLE);

    private final CheckNodeUnschedulable predicate = new CheckNodeUnschedulable();
    private final ClusterState cluster = Clusters.cluster(
            node("cordoned").unschedulable().build(),
            node("open").build(),
            node("tainted")
                    .taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
                    .build());

    @Test
    void onlyTheFieldCounts() {
        assertEquals(UNSCHEDULABLE, Checks.verdict(predicate, pod("p").build(), cluster, "cordoned"));
        assertEquals(Verdict.FITS, Checks.verdict(predicate, pod("p").build(), cluster, "open"));
        assertEquals(Verdict.FITS, Checks.verdict(predicate, pod("p").build(), cluster, "tainted"));
    }

    @ParameterizedTest
    @CsvSource({
        "node.kubernetes.io/unschedulable, Exists, '', NoSchedule, true",
        "node.kubernetes.io/unschedulable, Exists, '', '', true",
        "node.kubernetes.io/unschedulable, Equal, '', NoSchedule, true",
        "node.kubernetes.io/unschedulable, '', '', '', true",
        "'', Exists, '', '', true",
        "node.kubernetes.io/unschedulable, Equal, x, '', false",
        "node.kubernetes.io/unschedulable, Exists, '', NoExecute, false",
        "node.kubernetes.io/unschedulable, Foo, '', '', false",
        "node.kubernetes.io/not-ready, Exists, '', '', false"
    })
    void tolerationOfTheCordonTaint(String key, String operator, String value, String effect, boolean fits) {
        assertEquals(
                fits ? Verdict.FITS : UNSCHEDULABLE,
                Checks.verdict(
                        predicate,
                        pod("p").toleration(key, operator, value, effect).build(),
                        cluster,
                        "cordoned"));
    }

    @Test
    void readsOneNode() {
        assertEquals("CheckNodeUnschedulable", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
    }
}
