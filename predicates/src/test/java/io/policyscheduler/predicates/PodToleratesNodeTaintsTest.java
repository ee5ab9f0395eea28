package io.policyscheduler.predicates;

import static io.policyscheduler.engine.testing.NodeBuilder.node;
import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.algorithm.FailureReasons;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.testing.Clusters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodToleratesNodeTaintsTest {
    private static final Verdict NOT_TOLERATED = Verdict.unfit(FailureReasons.TAINTS);

    private final PodToleratesNodeTaints predicate = new PodToleratesNodeTaints();

    @ParameterizedTest
    @CsvSource({"NoSchedule, false", "NoExecute, false", "PreferNoSchedule, true", "noschedule, true", "'', true"})
    void effectsThatRepel(String effect, boolean fits) {
        ClusterState cluster =
                Clusters.cluster(node("n1").taint("k", "v", effect).build());
        assertEquals(fits ? Verdict.FITS : NOT_TOLERATED, Checks.verdict(predicate, pod("p").build(), cluster, "n1"));
    }

    @ParameterizedTest
    @CsvSource({
        "k, Equal, v, NoSchedule, true",
        "k, '', v, '', true",
        "k, Equal, w, '', false",
        "k, Exists, '', NoSchedule, true",
        "k, Exists, '', NoExecute, false",
        "k, Exists, '', PreferNoSchedule, false",
        "other, Exists, '', '', false",
        "'', Exists, '', '', true",
        "'', Equal, v, '', true",
        "'', Equal, '', '', false",
        "k, Foo, v, '', false"
    })
    void tolerations(String key, String operator, String value, String effect, boolean fits) {
        ClusterState cluster =
                Clusters.cluster(node("n1").taint("k", "v", "NoSchedule").build());
        PodInfo tolerant = pod("p").toleration(key, operator, value, effect).build();
        assertEquals(fits ? Verdict.FITS : NOT_TOLERATED, Checks.verdict(predicate, tolerant, cluster, "n1"));
    }

    @Test
    void everyTaintNeedsATolerationAndOneReasonIsGiven() {
        ClusterState cluster = Clusters.cluster(node("n1")
                .taint("a", "", "NoSchedule")
                .taint("b", "", "NoExecute")
                .build());
        PodInfo one = pod("one").toleration("a", "Exists", "", "").build();
        PodInfo both = pod("both")
                .toleration("a", "Exists", "", "")
                .toleration("b", "Exists", "", "NoExecute")
                .build();
        assertEquals(NOT_TOLERATED, Checks.verdict(predicate, pod("none").build(), cluster, "n1"));
        assertEquals(NOT_TOLERATED, Checks.verdict(predicate, one, cluster, "n1"));
        assertEquals(Verdict.FITS, Checks.verdict(predicate, both, cluster, "n1"));
    }

    @Test
    void readsOneNode() {
        assertEquals("PodToleratesNodeTaints", predicate.name());
        assertEquals(Scope.NODE, predicate.scope());
    }
}
