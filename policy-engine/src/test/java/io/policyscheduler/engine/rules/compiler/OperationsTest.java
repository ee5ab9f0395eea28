package io.policyscheduler.engine.rules.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.rules.RandomRuleInput;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.FunctionChecker.StringMethods;
import io.policyscheduler.engine.rules.compiler.Operations.Operation;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OperationsTest {
    static Stream<Operation> operations() {
        return Operations.all().stream();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void examplesRun(Operation operation) throws RuleException {
        assertFalse(operation.text().isBlank());
        assertTrue(operation.names().stream().anyMatch(operation.example()::contains), operation::example);
        RuleProgram program = RuleCompiler.standard().compile(operation.example(), Map.of(), RuleType.BOOL);
        RandomRuleInput input = RandomRuleInput.of(new Random(1));
        assertEquals(
                program.start(input.pod(), input.cluster())
                        .bool(input.cluster().nodes().get(0)),
                program.start(input.pod(), input.cluster(), RuleProgram.Executor.MVEL)
                        .bool(input.cluster().nodes().get(0)));
    }

    private static Set<String> names(Operation.Group group) {
        return operations()
                .filter(operation -> operation.group() == group)
                .flatMap(operation -> operation.names().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void nothingIsMissing() {
        assertEquals(FunctionChecker.FUNCTIONS, names(Operation.Group.FUNCTION));
        assertEquals(StringMethods.ALL, names(Operation.Group.STRING));
        assertEquals(
                Set.of("all", "any", "count", "filter", "if", "isEmpty", "map", "max", "size", "sum"),
                names(Operation.Group.LIST));
        assertEquals(
                Set.of(
                        "!",
                        "!=",
                        "%",
                        "&&",
                        "*",
                        "+",
                        "-",
                        "/",
                        ":",
                        "<",
                        "<=",
                        "==",
                        ">",
                        ">=",
                        "?",
                        "and",
                        "contains",
                        "in",
                        "or",
                        "||",
                        "~="),
                names(Operation.Group.OPERATOR));
    }
}
