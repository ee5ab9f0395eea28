package io.policyscheduler.cmd.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.simulate.SimulateCommand.VerifiedRules;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleProgram;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifiedRulesTest {
    /** The report mentions the verification of rules only if it was requested, even if there was nothing to verify. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "DIRECT | 0     | `` | {}",
                "MVEL   | 0     | `` | {}",
                "DIRECT | 0.001 | rules run by direct: 0 evaluations verified, 0 differences | {\"rules\":{\"executor\":\"direct\",\"verified\":{}}}",
                "MVEL   | 1     | rules run by mvel: 0 evaluations verified, 0 differences | {\"rules\":{\"executor\":\"mvel\",\"verified\":{}}}",
            })
    void toldWhenAskedFor(RuleProgram.Executor executor, double share, String line, String json) {
        VerifiedRules rules = new VerifiedRules(new RuleExecution(executor, share));
        StringWriter out = new StringWriter();
        rules.print(new PrintWriter(out, true));
        assertEquals(line.isEmpty() ? "" : line + "\n", out.toString());
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        rules.addTo(node);
        assertEquals(json, node.toString());
    }
}
