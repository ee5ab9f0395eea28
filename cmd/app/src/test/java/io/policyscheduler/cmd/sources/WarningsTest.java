package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.report.Progress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarningsTest {
    @Test
    void toldAndKept() {
        StringWriter err = new StringWriter();
        Warnings warnings = new Warnings(new Progress(new PrintWriter(err), false, () -> Instant.EPOCH));
        List<String> all = warnings.all();
        warnings.accept("dump.json: Pod a/b: no spec");
        warnings.accept("policy.json:5:5: warning W003: GeneralPredicates checks it already");
        assertEquals("""
                warning: dump.json: Pod a/b: no spec
                policy.json:5:5: warning W003: GeneralPredicates checks it already
                """, err.toString().replace(System.lineSeparator(), "\n"));
        assertEquals(
                List.of(
                        "dump.json: Pod a/b: no spec",
                        "policy.json:5:5: warning W003: GeneralPredicates checks it already"),
                all);
    }
}
