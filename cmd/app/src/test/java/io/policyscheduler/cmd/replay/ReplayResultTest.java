package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.replay.ReplayRun.ReplayResult;
import io.policyscheduler.cmd.replay.ReplayRun.ReplayResult.ComparedScenario;
import io.policyscheduler.cmd.replay.ReplayRun.ReplayResult.ComparedScenario.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReplayResultTest {
    private final ReplayResult result = new ReplayResult("f.jsonl", ReplayMode.FRAMEWORK);

    @Test
    void everyScenarioCountsOnce() {
        result.add(new ComparedScenario("a", Kind.EQUAL, List.of()));
        result.add(
                new ComparedScenario("b", Kind.DIFFERENT, List.of("x: recorded 1, here 2", "y: recorded 1, here 2")));
        result.add(new ComparedScenario("c", Kind.EXCEPTED, List.of("v1.17 died")));
        result.add(new ComparedScenario("d", Kind.SKIPPED, List.of("MyScore", "MyFilter")));
        result.add(new ComparedScenario("e", Kind.EXCEPTED, List.of("v1.17 died")));
        result.add(new ComparedScenario("f", Kind.EQUAL, List.of()));
        assertEquals(List.of("f.jsonl", ReplayMode.FRAMEWORK), List.of(result.file(), result.mode()));
        assertEquals(List.of(6, 2), List.of(result.scenarios(), result.equal()));
        assertEquals(
                List.of(new ReplayResult.Difference("b", List.of("x: recorded 1, here 2", "y: recorded 1, here 2"))),
                result.differences());
        assertEquals(Map.of("v1.17 died", 2), result.excepted());
        assertEquals(Map.of("MyScore, MyFilter", 1), result.skipped());
    }

    @Test
    void nothingComparedIsNothing() {
        assertEquals(List.of(0, 0), List.of(result.scenarios(), result.equal()));
        assertEquals(List.of(), result.differences());
        assertEquals(Map.of(), result.excepted());
        assertEquals(Map.of(), result.skipped());
    }

    @Test
    void whatIsReadCannotBeChanged() {
        List<String> lines = new ArrayList<>(List.of("x"));
        ComparedScenario compared = new ComparedScenario("a", Kind.DIFFERENT, lines);
        lines.clear();
        result.add(compared);
        assertEquals(List.of(new ReplayResult.Difference("a", List.of("x"))), result.differences());
        assertThrows(
                UnsupportedOperationException.class, () -> result.differences().clear());
        assertThrows(
                UnsupportedOperationException.class, () -> result.excepted().clear());
        assertThrows(UnsupportedOperationException.class, () -> result.skipped().clear());
    }
}
