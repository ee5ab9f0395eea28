package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.ErrorReport.FatalErrors;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class FatalErrorsTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(new AssertionError("a\nb"), "java.lang.AssertionError: a", "exit 70"),
                Arguments.of(new IllegalStateException(), "java.lang.IllegalStateException", "exit 70"),
                Arguments.of(new StackOverflowError(), "java.lang.StackOverflowError", "exit 70"),
                Arguments.of(new OutOfMemoryError("heap"), "java.lang.OutOfMemoryError: heap", "halt 70"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void theFirstIsToldByThreadAndEndsTheProcess(Throwable cause, String text, String end) {
        String line = "error: the thread watch-3 failed; the process exits: " + text;
        assertEquals(List.of(line + "; use --debug for the stack trace"), output(false, cause, end));
        List<String> lines = output(true, cause, end);
        assertEquals(line, lines.get(0));
        assertTrue(lines.stream().anyMatch(more -> more.contains("at io.policyscheduler.")), lines::toString);
        assertTrue(lines.stream().noneMatch(more -> more.contains("watch-4")), lines::toString);
    }

    private static List<String> output(boolean debug, Throwable cause, String end) {
        StringWriter err = new StringWriter();
        List<String> ends = new ArrayList<>();
        FatalErrors errors = new FatalErrors(
                new PrintWriter(err), debug, code -> ends.add("exit " + code), code -> ends.add("halt " + code));
        errors.uncaughtException(new Thread("watch-3"), cause);
        errors.uncaughtException(new Thread("watch-4"), new AssertionError("later"));

        assertEquals(List.of(end), ends);
        return err.toString().lines().toList();
    }
}
