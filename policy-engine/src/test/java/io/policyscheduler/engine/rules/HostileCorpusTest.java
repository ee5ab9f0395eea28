package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.RuleProblem;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every expression of the corpus is rejected when it is loaded, with a code, a position, and a caret. */
class HostileCorpusTest {
    static List<HostileCorpus.Entry> corpus() throws IOException {
        return HostileCorpus.read();
    }

    @Test
    void isLarge() throws IOException {
        assertTrue(corpus().size() >= 700, () -> "too few");
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void isRefused(HostileCorpus.Entry entry) {
        String expression = entry.expression();
        RuleException refused = assertThrows(
                RuleException.class, () -> ExampleTables.compiler().compile(expression, Map.of(), RuleType.BOOL));
        RuleProblem problem = refused.problem();
        assertAll(
                () -> assertEquals(entry.code(), problem.code().code(), problem::format),
                () -> assertTrue(problem.offset() >= 0 && problem.offset() <= expression.length()),
                () -> assertEquals(1, problem.line()),
                () -> assertEquals(problem.offset() + 1, problem.column()),
                () -> assertTrue(problem.caret().endsWith("^")),
                () -> assertTrue(problem.message().length() < 200, problem::message),
                () -> assertTrue(problem.text().chars().allMatch(c -> c >= ' ' && c <= '~'), problem::text));
    }
}
