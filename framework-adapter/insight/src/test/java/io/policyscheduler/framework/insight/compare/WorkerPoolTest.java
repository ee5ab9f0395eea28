package io.policyscheduler.framework.insight.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {
    private final List<Integer> asked = new ArrayList<>();

    private List<Supplier<Integer>> questions(int count) {
        List<Supplier<Integer>> questions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            questions.add(() -> {
                asked.add(number);
                return 10 * number;
            });
        }
        return questions;
    }

    @Test
    void oneAloneAnswersInOrder() {
        WorkerPool one = new WorkerPool(1, task -> {
            throw new AssertionError("nobody else is asked");
        });
        assertEquals(List.of(0, 10, 20), one.all(questions(3)));
        assertEquals(List.of(0, 1, 2), asked);
        assertEquals(List.of(), one.all(questions(0)));
    }

    @Test
    void answersComeInTheOrderOfTheQuestionsAndEachIsAskedOnce() {
        Deque<Runnable> waiting = new ArrayDeque<>();
        List<Supplier<Integer>> questions = questions(3);
        // The other thread starts now, and answers all that are left.
        questions.add(1, () -> {
            waiting.remove().run();
            return 5;
        });
        assertEquals(List.of(0, 5, 10, 20), new WorkerPool(2, waiting::add).all(questions));
        assertEquals(List.of(0, 1, 2), asked);
    }

    /** Each task may hold a copy of a cluster. */
    @Test
    void noMoreThreadsAreAskedThanThereAre() {
        List<Runnable> started = new ArrayList<>();
        assertEquals(10, new WorkerPool(3, started::add).all(questions(10)).size());
        assertEquals(2, started.size());
        new WorkerPool(3, started::add).all(questions(2));
        assertEquals(3, started.size());
    }

    /** Tasks that wait for each other, so that a single thread would never finish. */
    @Test
    void questionsAreAnsweredSideBySide() {
        CountDownLatch both = new CountDownLatch(2);
        Supplier<String> question = () -> {
            both.countDown();
            try {
                both.await();
                return "met";
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        ExecutorService others = Executors.newSingleThreadExecutor();
        try {
            assertEquals(List.of("met", "met"), new WorkerPool(2, others).all(List.of(question, question)));
        } finally {
            others.shutdownNow();
        }
    }

    @Test
    void theFirstFailureIsThrownWhenAllHaveEnded() {
        List<Supplier<Integer>> questions = questions(3);
        questions.add(1, () -> {
            throw new IllegalStateException("first");
        });
        questions.add(() -> {
            throw new IllegalArgumentException("second");
        });
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> WorkerPool.ONE.all(questions));
        assertEquals("first", thrown.getMessage());
        assertEquals(List.of(0, 1, 2), asked);
    }

    @Test
    void somebodyHasToWork() {
        assertThrows(IllegalArgumentException.class, () -> new WorkerPool(0, Runnable::run));
    }
}
