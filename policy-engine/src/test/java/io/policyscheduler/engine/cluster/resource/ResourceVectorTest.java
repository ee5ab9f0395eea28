package io.policyscheduler.engine.cluster.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourceVectorTest {
    @Test
    void readsBackWhatItWasMadeOf() {
        ResourceVector vector = ResourceVector.of(1500, 2048, 10, 110, Map.of("z.com/b", 0L, "a.com/gpu", 4L));
        assertEquals(1500, vector.milliCpu());
        assertEquals(2048, vector.memory());
        assertEquals(10, vector.ephemeralStorage());
        assertEquals(110, vector.pods());
        assertEquals(2, vector.scalarCount());
        assertEquals(List.of("a.com/gpu", "z.com/b"), List.of(vector.scalarName(0), vector.scalarName(1)));
        assertEquals(List.of(4L, 0L), List.of(vector.scalarAmount(0), vector.scalarAmount(1)));
        assertEquals(4, vector.scalar("a.com/gpu"));
        assertEquals("cpu=1500m memory=2048 ephemeral-storage=10 pods=110 a.com/gpu=4 z.com/b=0", vector.toString());
    }

    @Test
    void aScalarOfAmountZeroIsPresent() {
        ResourceVector vector = ResourceVector.of(0, 0, 0, 0, Map.of("a.com/gpu", 0L));
        assertEquals(0, vector.scalar("a.com/gpu"));
        assertTrue(vector.hasScalar("a.com/gpu"));
        assertEquals(0, vector.scalar("b.com/gpu"));
        assertFalse(vector.hasScalar("b.com/gpu"));
        assertNotEquals(ResourceVector.ZERO, vector);
    }

    @Test
    void equalByContent() {
        ResourceVector base = ResourceVector.of(1, 2, 3, 4, Map.of("a/b", 5L));
        assertEquals(base, ResourceVector.of(1, 2, 3, 4, Map.of("a/b", 5L)));
        assertEquals(
                base.hashCode(),
                ResourceVector.of(1, 2, 3, 4, Map.of("a/b", 5L)).hashCode());
        for (ResourceVector other : List.of(
                ResourceVector.of(9, 2, 3, 4, Map.of("a/b", 5L)),
                ResourceVector.of(1, 9, 3, 4, Map.of("a/b", 5L)),
                ResourceVector.of(1, 2, 9, 4, Map.of("a/b", 5L)),
                ResourceVector.of(1, 2, 3, 9, Map.of("a/b", 5L)),
                ResourceVector.of(1, 2, 3, 4, Map.of("a/b", 9L)),
                ResourceVector.of(1, 2, 3, 4, Map.of("a/c", 5L)),
                ResourceVector.of(1, 2, 3, 4, Map.of()))) {
            assertNotEquals(base, other);
        }
        assertEquals(ResourceVector.ZERO, ResourceVector.of(0, 0, 0, 0, Map.of()));
        assertEquals("cpu=0m memory=0", ResourceVector.ZERO.toString());
    }
}
