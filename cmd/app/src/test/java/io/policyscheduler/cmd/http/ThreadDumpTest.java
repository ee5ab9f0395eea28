package io.policyscheduler.cmd.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.http.StatusServer.Threads;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadDumpTest {
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    private void waitForTheEnd() {
        waiting.countDown();
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> stack(String dump, String thread) {
        return Arrays.stream(dump.split("\n\n"))
                .filter(part -> part.startsWith("\"" + thread + "\" "))
                .flatMap(String::lines)
                .toList();
    }

    @Test
    void tellsWhatThreadsDoByTheirNames() throws InterruptedException {
        Thread stuck = new Thread(this::waitForTheEnd, "a stuck one");
        stuck.setDaemon(true);
        stuck.start();
        waiting.await();
        try {
            String dump = Threads.text();
            List<String> lines = stack(dump, "a stuck one");
            assertTrue(lines.get(0).endsWith(" daemon"), dump);
            assertEquals(
                    1,
                    lines.stream()
                            .filter(line -> line.contains(ThreadDumpTest.class.getName() + ".waitForTheEnd("))
                            .count(),
                    dump);
            List<String> names = Arrays.stream(dump.split("\n\n"))
                    .map(part -> part.substring(0, part.indexOf('"', 1)))
                    .toList();
            assertEquals(names.stream().sorted().toList(), names);
        } finally {
            end.countDown();
            stuck.join();
        }
    }
}
