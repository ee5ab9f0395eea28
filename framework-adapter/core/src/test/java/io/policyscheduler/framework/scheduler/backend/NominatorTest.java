package io.policyscheduler.framework.scheduler.backend;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.cluster.object.PodInfo;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NominatorTest {
    private final Nominator map = new Nominator();
    private final PodInfo a = pod("a").build();
    private final PodInfo b = pod("b").build();
    private final PodInfo c = pod("c").build();

    @Test
    void keepsTheOrderOfNomination() {
        map.nominate(a, "n1");
        map.nominate(b, "n1");
        map.nominate(c, "n1");
        map.drop(a);
        map.nominate(a, "n1");
        assertEquals(List.of(b, c, a), map.on("n1"));
        assertEquals(List.of(), map.on("n2"));
    }

    @Test
    void isEmptyWhenTheLastIsDropped() {
        assertTrue(map.isEmpty());
        map.nominate(a, "n1");
        map.nominate(b, "n2");
        map.drop(a);
        assertFalse(map.isEmpty());
        map.drop(b);
        assertTrue(map.isEmpty());
    }

    @Test
    void oneNominationAPod() {
        map.nominate(a, "n1");
        map.nominate(a, "n2");
        assertEquals(List.of(), map.on("n1"));
        assertEquals(List.of(a), map.on("n2"));
        map.nominate(a, "");
        assertNull(map.nodeOf(a));
        map.drop(a);
    }

    @Test
    void theStatusCountsWhenNoNodeIsGiven() {
        PodInfo nominated = a.withNominatedNodeName("n3");
        map.nominate(nominated, "");
        assertEquals("n3", map.nodeOf(a));
        map.nominate(nominated, "n4");
        assertEquals("n4", map.nodeOf(a));
    }

    @ParameterizedTest
    @CsvSource({
        "'', '', memory", // only known here: kept
        "'', n2, n2", // set in the API
        "n1, n2, n2", // changed in the API
        "memory, '', ''", // removed in the API
        "n1, '', memory", // the nomination before it was removed in the API
        "n1, n1, memory", // not written yet
        "'', memory, memory", // written
        "n1, memory, memory",
        "'', earlier, memory", // the watch is late
        "n1, earlier, memory",
    })
    void theNominationInMemoryIsNewerThanAnEarlierOneInTheStatus(String old, String newer, String expected) {
        map.nominate(a, "earlier");
        map.nominate(a, "memory");
        map.renominate(a.withNominatedNodeName(old), a.withNominatedNodeName(newer));
        assertEquals(expected.isEmpty() ? null : expected, map.nodeOf(a));
    }

    /** The watch shows each nomination once; what it shows more often is from another client, and counts as in kube-scheduler. */
    @Test
    void anEarlierNodeThatSomebodyElseWritesAgainCounts() {
        map.nominate(a, "n1");
        map.nominate(a, "n2");
        map.nominate(a, "n1");
        map.nominate(a, "n3");
        List<String> shown = List.of("", "n1", "n1", "n2", "n1", "n3", "n1", "n1", "n2", "");
        List<String> nodes = new ArrayList<>();
        for (int i = 1; i < shown.size(); i++) {
            map.renominate(a.withNominatedNodeName(shown.get(i - 1)), a.withNominatedNodeName(shown.get(i)));
            nodes.add(String.valueOf(map.nodeOf(a)));
        }
        assertEquals(List.of("n3", "n3", "n3", "n3", "n3", "n1", "n1", "n2", "null"), nodes);
    }

    /** The status shows the node until the end is written, and a copy of it in the queue does so longer. */
    @Test
    void aNominationThatHasEndedReturnsIfSomebodyElseWritesIt() {
        PodInfo nominated = a.withNominatedNodeName("n1");
        map.nominate(a, "n1");
        map.renominate(a, nominated);
        map.end(nominated);
        map.renominate(nominated, nominated);
        map.nominate(nominated, "");
        assertNull(map.nodeOf(a));
        map.renominate(nominated, a);
        assertNull(map.nodeOf(a));
        map.renominate(a, nominated);
        assertEquals("n1", map.nodeOf(a));
    }

    @Test
    void anUnknownPodWithoutTheFieldStaysUnknown() {
        map.renominate(a, a);
        assertNull(map.nodeOf(a));
    }
}
