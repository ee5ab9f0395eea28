package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.live.WorkerThreads.Ordered;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads that serve the newest task first. */
public class WorkerThreadsTest {
    private final Deque<Runnable> begun = new ArrayDeque<>();
    private final Ordered executor = new Ordered(begun::add);
    private final List<String> done = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "'a1 a2 a3',    'a1 a2 a3'",
        "'a1 b1',       'b1 a1'",
        "'a1 b1 a2 b2', 'b1 b2 a1 a2'",
    })
    void tasksOfOneKeyDoNotChangePlaces(String given, String expected) {
        for (String task : given.split(" ")) {
            executor.execute(task.substring(0, 1), () -> done.add(task));
        }
        runAll();
        assertEquals(List.of(expected.split(" ")), done);
    }

    @ParameterizedTest
    @CsvSource({"exception, java.lang.IllegalStateException: exception", "error, java.lang.AssertionError: error"})
    void whatATaskThrowsIsToldAndTheNextOneRuns(String thrown, String expected) throws InterruptedException {
        executor.execute("a", () -> {
            if (thrown.equals("error")) {
                throw new AssertionError(thrown);
            }
            throw new IllegalStateException(thrown);
        });
        executor.execute("a", () -> done.add("a2"));
        Thread thread = new Thread(this::runAll);
        thread.setUncaughtExceptionHandler((where, what) -> done.add(what.toString()));
        thread.start();
        thread.join();
        assertEquals(List.of(expected, "a2"), done);
    }

    private void runAll() {
        for (Runnable task = begun.pollLast(); task != null; task = begun.pollLast()) {
            task.run();
        }
    }
}
