package io.policyscheduler.cmd.cli;

import io.policyscheduler.cmd.options.ClusterTroubleException;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Prints usage errors, input errors, and internal errors, each in one line. */
public final class ErrorReport implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private static final String READ_ENOUGH = "Broken pipe";

    private final BooleanSupplier debug;

    /** @param debug whether to print stack traces; evaluated when an error happens */
    public ErrorReport(BooleanSupplier debug) {
        this.debug = debug;
    }

    @Override
    public int handleParseException(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        TerminalWriter.print(err, Verdict.BAD, "error:");
        err.println(" " + UsageText.of(e));
        err.println("see " + command.getCommandSpec().qualifiedName() + " --help");
        trace(e, err, List.of(args).contains("--debug"));
        return ExitCode.USAGE;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine command, ParseResult result) {
        PrintWriter err = command.getErr();
        command.getOut().flush();
        int code = code(e);
        if (code == ExitCode.BUG) {
            err.println(
                    "error: internal error: " + e + (debug.getAsBoolean() ? "" : "; use --debug for the stack trace"));
        } else {
            String.valueOf(e.getMessage()).lines().forEach(line -> {
                TerminalWriter.print(err, Verdict.BAD, "error:");
                err.println(" " + line);
            });
        }
        trace(e, err, debug.getAsBoolean());
        return code;
    }

    /**
     * Returns the exit code of a command after its output is flushed.
     *
     * @param failure the error of writing the output; null if all of it was written
     * @param code of the command itself
     */
    static int written(@Nullable IOException failure, int code, PrintWriter err) {
        // A reader such as head closes the pipe early, which is not an error.
        if (failure == null || READ_ENOUGH.equals(failure.getMessage())) {
            return code;
        }
        err.println("error: cannot write the output: " + failure.getMessage() + "; the output is incomplete");
        return code == ExitCode.OK || code == ExitCode.NEGATIVE ? ExitCode.BAD_INPUT : code;
    }

    private static int code(Exception e) {
        if (e instanceof InputException) {
            return ExitCode.BAD_INPUT;
        }
        return e instanceof ClusterTroubleException ? ExitCode.CLUSTER_TROUBLE : ExitCode.BUG;
    }

    private static void trace(Exception e, PrintWriter err, boolean wanted) {
        if (wanted) {
            e.printStackTrace(err);
        }
    }
}
