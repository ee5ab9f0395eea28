package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * Ends the process when any thread ends by an exception: what that thread did would be missing from then on, which nobody might
 * notice for days. Only the first is told.
 */
final class FatalErrors implements Thread.UncaughtExceptionHandler {
    private final PrintWriter err;
    private final boolean debug;
    private final IntConsumer exit;
    private final IntConsumer halt;
    private final AtomicBoolean told = new AtomicBoolean();

    /**
     * @param debug whether stack traces are wanted
     * @param exit ends the process in an orderly way, e.g. by giving a lease back
     * @param halt ends it at once
     */
    FatalErrors(PrintWriter err, boolean debug, IntConsumer exit, IntConsumer halt) {
        this.err = err;
        this.debug = debug;
        this.exit = exit;
        this.halt = halt;
    }

    /** Has the threads of this process watched. */
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
            err.println("error: the thread " + thread.getName() + " has failed, so the process ends: " + text
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
