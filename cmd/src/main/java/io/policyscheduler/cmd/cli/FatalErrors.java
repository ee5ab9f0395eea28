package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * Ends the process if a thread ends with an exception. Without the thread, the process would be incomplete, and nobody might notice
 * that for days. Only the first exception is printed.
 */
final class FatalErrors implements Thread.UncaughtExceptionHandler {
    private final PrintWriter err;
    private final boolean debug;
    private final IntConsumer exit;
    private final IntConsumer halt;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * @param debug whether to print stack traces
     * @param exit ends the process after its shutdown hooks, which release the lease
     * @param halt ends the process immediately
     */
    FatalErrors(PrintWriter err, boolean debug, IntConsumer exit, IntConsumer halt) {
        this.err = err;
        this.debug = debug;
        this.exit = exit;
        this.halt = halt;
    }

    /** Installs the handler for all threads of this process. */
    static void install(PrintWriter err, boolean debug) {
        Thread.setDefaultUncaughtExceptionHandler(new FatalErrors(
                err, debug, System::exit, code -> Runtime.getRuntime().halt(code)));
    }

    @Override
    public void uncaughtException(Thread thread, Throwable cause) {
        if (!told.compareAndSet(false, true)) {
            return;
        }
        boolean isWorkable = !(cause instanceof OutOfMemoryError || cause instanceof InternalError);
        try {
            String text = String.valueOf(cause).lines().findFirst().orElse("");
            err.println("error: the thread " + thread.getName() + " failed; the process exits:  " + text
                    + (debug ? "" : "; use --debug for the stack trace"));
            if (debug) {
                cause.printStackTrace(err);
            }
            err.flush();
        } finally {
            (isWorkable ? exit : halt).accept(ExitCode.BUG);
        }
    }
}
