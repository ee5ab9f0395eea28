package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.PreemptionPlan;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PreemptionPlanTest {
    private static final PodInfo VICTIM = pod("victim").build();
    private static final PodInfo LOWER = pod("lower").build();

    private static PreemptionResult result(String chosen) {
        return new PreemptionResult(
                true,
                List.of("n1", "n2"),
                new TreeMap<>(Map.of("n1", new Victims(List.of(VICTIM), 0), "n2", new Victims(List.of(), 0))),
                List.of("n1", "n2"),
                chosen,
                new TreeMap<>(Map.of("n1", List.of(LOWER))),
                false);
    }

    @Test
    void hasWhatBelongsToTheChosenNode() {
        assertEquals(
                new PreemptionPlan("n1", List.of(VICTIM), List.of(LOWER), false, "", null),
                PreemptionPlan.of(result("n1")));
        assertEquals(new PreemptionPlan("n2", List.of(), List.of(), false, "", null), PreemptionPlan.of(result("n2")));
    }

    @Test
    void saysWhatIsSaidWithoutANode() {
        PreemptionResult nothing = new PreemptionResult(
                true, List.of(), new TreeMap<>(), List.of(), null, new TreeMap<>(), true, "no way", "broken");
        assertEquals(
                new PreemptionPlan(null, List.of(), List.of(), true, "no way", "broken"), PreemptionPlan.of(nothing));
    }
}
