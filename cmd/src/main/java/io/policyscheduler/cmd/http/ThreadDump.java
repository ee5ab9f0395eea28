package io.policyscheduler.cmd.http;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What all threads of this process are doing, as text: what one asks first of a program that seems to hang. */
final class ThreadDump {
    private ThreadDump() {}

    /** Threads by name, each with its state and its stack, innermost call first. */
    static String text() {
        return text(Thread.getAllStackTraces());
    }

    private static String text(Map<Thread, StackTraceElement[]> stacks) {
        List<Thread> threads = stacks.keySet().stream()
                .sorted(Comparator.comparing(Thread::getName).thenComparing(Thread::getId))
                .toList();
        StringBuilder text = new StringBuilder(16 * 1024);
        for (Thread thread : threads) {
            text.append('"').append(thread.getName()).append("\" ").append(thread.getState());
            text.append(thread.isDaemon() ? " daemon\n" : "\n");
            for (StackTraceElement call : stacks.getOrDefault(thread, new StackTraceElement[0])) {
                text.append("    at ").append(call).append('\n');
            }
            text.append('\n');
        }
        return text.toString();
    }
}
