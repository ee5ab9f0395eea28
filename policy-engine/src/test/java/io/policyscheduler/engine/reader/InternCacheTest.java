package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.policyscheduler.engine.reader.ObjectReader.InternCache;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InternCacheTest {
    private record Value(int hash, String text) {
        @Override
        public int hashCode() {
            return hash;
        }
    }

    private final InternCache<Value> cache = new InternCache<>(8);

    @Test
    void equalValuesAreOneObject() {
        Value first = new Value(7, "a");
        assertSame(first, cache.intern(first));
        assertSame(first, cache.intern(new Value(7, "a")));
    }

    @Test
    void valuesWhoseHashesMeetStayBesideEachOther() {
        List<Value> values = IntStream.range(0, 4)
                .mapToObj(i -> cache.intern(new Value(1, "v" + i)))
                .toList();
        for (int round = 0; round < 3; round++) {
            for (Value value : values) {
                assertSame(value, cache.intern(new Value(1, value.text())));
            }
        }
    }

    @Test
    void theOldestGoes() {
        List<Value> values = IntStream.range(0, 5)
                .mapToObj(i -> cache.intern(new Value(1, "v" + i)))
                .toList();
        assertSame(values.get(4), cache.intern(new Value(1, "v4")));
        assertSame(values.get(1), cache.intern(new Value(1, "v1")));
        assertNotSame(values.get(0), cache.intern(new Value(1, "v0")));
    }

    /** As those of pods that differ in a number. */
    @Test
    void hashesInAnEvenRowKeepTheirPlaces() {
        for (int step : new int[] {1, 31, 31 * 31, 1 << 12, 1 << 16, 1 << 20, 923_521}) {
            InternCache<Value> many = new InternCache<>(1 << 12);
            int stays = 0;
            for (int i = 0; i < 400; i++) {
                many.intern(new Value(i * step, "v"));
            }
            for (int i = 0; i < 400; i++) {
                Value again = new Value(i * step, "v");
                stays += many.intern(again) == again ? 0 : 1;
            }
            assertEquals(400, stays, "step " + step);
        }
    }
}
