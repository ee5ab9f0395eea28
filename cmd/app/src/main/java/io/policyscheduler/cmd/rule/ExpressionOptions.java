package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleCode.RuleLimits;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.RuleProblem;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** An expression of the rule language on the command line, as a mixin. */
final class ExpressionOptions {
    /** The file name in messages about an expression of the command line. */
    static final String PLACE = "expression";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-e", "--expression"},
            paramLabel = "EXPR",
            description = "Expression of the rule language.")
    private @Nullable String expression;

    @Option(
            names = "--param",
            paramLabel = "NAME=VALUE",
            description = "Value of params.NAME: true, false, a number, a JSON list, or a string. Repeatable.")
    private Map<String, String> params = Map.of();

    boolean isGiven() {
        return expression != null;
    }

    /** The expression; its absence is a usage error. */
    String text() {
        if (expression == null) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--expression=EXPR'");
        }
        return expression;
    }

    /**
     * Compiles the expression.
     *
     * @param type BOOL or NUMBER; null to infer it
     * @throws RuleException if it is invalid
     */
    RuleProgram compile(@Nullable RuleType type) throws RuleException {
        return compile(text(), params(), type);
    }

    /**
     * Compiles the expression of a command that requires one.
     *
     * @throws InputException if it is invalid, with the place in the expression
     */
    RuleProgram compileOrFail() {
        return compileOrFail(RuleTables.none());
    }

    /** Compiles with tables that the expression may read. */
    RuleProgram compileOrFail(RuleTables tables) {
        try {
            return compile(text(), params(), null, tables);
        } catch (RuleException e) {
            Problem problem = problem(e.problem());
            throw new InputException(problem.line() + "\n" + problem.excerpt().indent(4), e);
        }
    }

    static RuleProgram compile(String expression, Map<String, Object> params, @Nullable RuleType type)
            throws RuleException {
        return compile(expression, params, type, RuleTables.none());
    }

    private static RuleProgram compile(
            String expression, Map<String, Object> params, @Nullable RuleType type, RuleTables tables)
            throws RuleException {
        RuleCompiler compiler = new RuleCompiler(RuleLimits.DEFAULT, RuleExecution.standard(), tables);
        if (type != null) {
            return compiler.compile(expression, params, type);
        }
        try {
            return compiler.compile(expression, params, RuleType.BOOL);
        } catch (RuleException e) {
            if (e.problem().code() != RuleCode.RESULT) {
                throw e;
            }
            return compiler.compile(expression, params, RuleType.NUMBER);
        }
    }

    /** The problems of the expression, as for one in a file. */
    static Problem problem(RuleProblem problem) {
        return new Problem(
                problem.code().code(),
                problem.text(),
                PLACE,
                new SourcePosition(problem.line(), problem.column()),
                problem.caret(),
                null);
    }

    /** The values of {@code --param}. */
    Map<String, Object> params() {
        Map<String, Object> values = new LinkedHashMap<>();
        params.forEach((name, text) -> values.put(name, value(text)));
        return values;
    }

    private static Object value(String text) {
        JsonMapper json = JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
        try {
            return value(json.readTree(text), text);
        } catch (JsonProcessingException e) {
            return text;
        }
    }

    private static Object value(JsonNode node, String text) {
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isNumber()) {
            return node.doubleValue();
        }
        if (node.isArray()) {
            List<Object> items = new ArrayList<>();
            node.forEach(item -> items.add(value(item, item.asText())));
            return items;
        }
        return node.isTextual() ? node.textValue() : text;
    }
}
