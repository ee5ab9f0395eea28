package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.live.KubeClusterWriter.ConditionWrites;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionWritesTest {
    private final Deque<Runnable> begun = new ArrayDeque<>();
    private final ConditionWrites writes = new ConditionWrites(begun::add);
    private final List<String> written = new ArrayList<>();

    private void put(String uid, String text) {
        writes.put(uid, () -> written.add(text));
    }

    private void runAll() {
        while (!begun.isEmpty()) {
            begun.remove().run();
        }
    }

    @Test
    void theLastWriteOfAPodWins() {
        put("a", "a1");
        put("b", "b1");
        put("a", "a2");
        assertEquals(2, writes.size());
        assertEquals(2, begun.size());
        runAll();
        assertEquals(List.of("a2", "b1"), written);
        assertEquals(0, writes.size());
    }

    @Test
    void twoWritesOfAPodNeverRunAtOnce() {
        writes.put("a", () -> {
            put("a", "second");
            assertTrue(writes.isRunning("a"));
            // Another thread finds nothing to write.
            begun.remove().run();
            assertEquals(2, writes.size());
            written.add("first");
        });
        runAll();
        assertFalse(writes.isRunning("a"));
        assertEquals(List.of("first", "second"), written);
    }

    @Test
    void aFullQueueDropsTheOldest() {
        for (int i = 0; i <= ConditionWrites.MOST; i++) {
            put("u" + i, "w" + i);
        }
        assertEquals(ConditionWrites.MOST, writes.size());
        assertEquals(1, writes.dropped());
        runAll();
        assertEquals("w1", written.get(0));
        assertEquals(ConditionWrites.MOST, written.size());
    }

    @Test
    void aWriteCanBeReplacedByAnother() {
        put("a", "a1");
        put("b", "b1");
        writes.drop("a");
        runAll();
        assertEquals(List.of("b1"), written);
    }

    @Test
    void aWriteThatFailsLetsTheNextOneRun() {
        writes.put("a", () -> {
            put("a", "second");
            throw new IllegalStateException("bug");
        });
        try {
            begun.remove().run();
        } catch (IllegalStateException e) {
            written.add(e.getMessage());
        }
        runAll();
        assertEquals(List.of("bug", "second"), written);
        assertEquals(0, writes.size());
    }
}
