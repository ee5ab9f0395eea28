package io.policyscheduler.cmd.options;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Handles SIGTERM and SIGINT. It delays the end of the process until {@link #close()}, when everything is stopped in order, or
 * for ten seconds, or until a second signal. This includes an exit of this process itself, as after a failed thread.
 */
public final class StopSignal implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 10;
    private static final List<String> SIGNALS = List.of("TERM", "INT");
    /** Of the exit code of a process that a signal has ended. */
    private static final int SIGNALLED = 128;

    private final CountDownLatch given = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Map<Signal, SignalHandler> before = new HashMap<>();
    private final Thread hook = new Thread(this::waitForStop, "stop");
    private final IntConsumer halt;
    private volatile String name = "the end of the process";

    public StopSignal() {
        this(code -> Runtime.getRuntime().halt(code));
    }

    /** @param halt ends the process immediately with an exit code */
    StopSignal(IntConsumer halt) {
        this.halt = halt;
        Runtime.getRuntime().addShutdownHook(hook);
        for (String signal : SIGNALS) {
            Signal handled = new Signal(signal);
            before.put(handled, Signal.handle(handled, this::received));
        }
    }

    /** Runs on a separate thread for each signal. */
    private void received(Signal signal) {
        boolean isFirst = !isGiven();
        name = "SIG" + signal.getName();
        given.countDown();
        if (!isFirst || !waitForStop()) {
            halt.accept(SIGNALLED + signal.getNumber());
        }
    }

    private boolean waitForStop() {
        given.countDown();
        try {
            return stopped.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Whether the process is to stop. */
    public boolean isGiven() {
        return given.getCount() == 0;
    }

    /** The received signal, such as {@code SIGTERM}. */
    public String name() {
        return name;
    }

    /** Waits for the signal. */
    public void await() throws InterruptedException {
        given.await();
    }

    /** Waits for the signal; returns true when it has arrived. */
    public boolean await(Duration patience) throws InterruptedException {
        return given.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** All is stopped. */
    @Override
    public void close() {
        before.forEach(Signal::handle);
        stopped.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook runs already, and now ends.
            given.countDown();
        }
    }
}
