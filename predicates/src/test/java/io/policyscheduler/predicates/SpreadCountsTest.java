package io.policyscheduler.predicates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.index.TopologyCounts;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SpreadCountsTest {
    /** Against counting everything again after each change. */
    @Test
    void minimumIsAlwaysThatOfAllValues() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            TopologyCounts start = new TopologyCounts();
            Map<String, Long> plain = new HashMap<>();
            for (int i = random.nextInt(5); i > 0; i--) {
                String value = "v" + random.nextInt(5);
                long amount = random.nextInt(4);
                start.add("zone", value, amount);
                plain.merge(value, amount, Long::sum);
            }
            SpreadCounts counts = new SpreadCounts(start).copy();
            int values = round % 2 == 0 ? 1 : 6;
            for (int i = 0; i < 8; i++) {
                String value = "v" + random.nextInt(values);
                long amount = random.nextBoolean() ? 1 : -1;
                counts.add("zone", value, amount);
                plain.merge(value, amount, Long::sum);
                assertEquals(Collections.min(plain.values()), counts.minimum("zone"));
                assertEquals(plain.get(value), counts.get("zone", value));
            }
        }
    }
}
