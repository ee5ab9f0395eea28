package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        StringWriter err = new StringWriter();
        List<String> ends = new ArrayList<>();
        FatalErrors errors = new FatalErrors(
                new PrintWriter(err), code -> ends.add("exit " + code), code -> ends.add("halt " + code));
        errors.uncaughtException(new Thread("watch-3"), cause);
        errors.uncaughtException(new Thread("watch-4"), new AssertionError("later"));

        assertEquals(List.of(end), ends);
        List<String> lines = err.toString().lines().toList();
        assertEquals("error: the thread watch-3 has failed, so the process ends: " + text, lines.get(0));
        assertTrue(lines.stream().anyMatch(line -> line.contains("at io.policyscheduler.")), err::toString);
        assertTrue(!err.toString().contains("watch-4"), err::toString);
    }
}
