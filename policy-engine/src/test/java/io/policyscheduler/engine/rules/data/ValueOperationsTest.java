package io.policyscheduler.engine.rules.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueOperationsTest {
    private static String random(Random random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(random.nextInt(8) == 0 ? 'b' : 'a');
        }
        return text.toString();
    }

    @Test
    void searchesAsJavaDoes() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            String text = random(random, random.nextInt(3) * 200 + random.nextInt(100));
            String part = random(random, random.nextInt(30));
            Meter meter = new Meter(10_000);
            assertEquals(text.contains(part), ValueOperations.contains(text, part, meter), () -> part + " in " + text);
            assertTrue(meter.used() <= text.length() + part.length(), () -> meter.used() + " for " + text);
        }
    }

    /** What costs others as much as text times part. */
    @ParameterizedTest
    @CsvSource({
        "250000, 1, 125000",
        "250000, 20, 125010",
        "250000, 100000, 175000",
        "250000, 300000, 125000",
        "256, 20, 128",
        "64, 64, 0",
        "63, 1, 0",
    })
    void aSearchIsChargedByLength(int text, int part, long charge) {
        Meter meter = new Meter(1_000_000);
        ValueOperations.contains("a".repeat(text), "a".repeat(part - 1) + "b", meter);
        assertEquals(charge, meter.used());
    }

    @Test
    void aSearchIsChargedAsFarAsItGoes() {
        Meter meter = new Meter(2_000);
        assertTrue(ValueOperations.contains("x".repeat(1_000) + "needle" + "y".repeat(250_000), "needle", meter));
        assertTrue(meter.used() < 1_100, () -> "" + meter.used());
        assertThrows(RuleFailure.class, () -> ValueOperations.contains("x".repeat(5_000), "needle", meter));
    }

    @ParameterizedTest
    @CsvSource({"64, 64, 0", "65, 65, 2", "250000, 250000, 7812", "250000, 249999, 0"})
    void comparisonsAreChargedByLength(int left, int right, long charge) {
        Meter meter = new Meter(10_000);
        assertEquals(left == right, ValueOperations.equal("a".repeat(left), "a".repeat(right), meter));
        assertEquals(charge, meter.used());
    }

    @ParameterizedTest
    @CsvSource({"100, 64, 0", "100, 96, 3", "250000, 200000, 6250", "100, 250000, 0"})
    void endsAreChargedByLength(int text, int part, long charge) {
        for (int i = 0; i < 2; i++) {
            Meter meter = new Meter(10_000);
            boolean found = i == 0
                    ? ValueOperations.startsWith("a".repeat(text), "a".repeat(part), meter)
                    : ValueOperations.endsWith("a".repeat(text), "a".repeat(part), meter);
            assertEquals(part <= text, found);
            assertEquals(charge, meter.used());
        }
    }
}
