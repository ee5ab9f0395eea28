package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableMap;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.framework.devices.cel.function.CostMeter;
import io.policyscheduler.framework.devices.cel.function.FunctionFailure;
import io.policyscheduler.framework.devices.cel.function.Semver;
import java.util.Map;
import java.util.Optional;

/** An expression that says which devices are wanted. Thread-safe. */
public final class Selector {
    /** Without loops, a shorter expression cannot come near the limit of costs, which is then not kept. */
    static final int LONG = 1000;

    private final CelRuntime.Program program;
    private final CelAbstractSyntaxTree ast;
    private final boolean metered;

    Selector(CelRuntime.Program program, CelAbstractSyntaxTree ast, boolean metered) {
        this.program = program;
        this.ast = ast;
        this.metered = metered;
    }

    /**
     * Whether the device is wanted.
     *
     * @throws SelectorException when the expression says neither yes nor no
     */
    public boolean matches(String driver, Device device) throws SelectorException {
        Map<String, Object> variables;
        try {
            variables = ImmutableMap.of("device", DeviceVariable.of(driver, device));
        } catch (FunctionFailure e) {
            throw runtime(String.valueOf(e.getMessage()));
        }
        try {
            Object result = evaluate(variables);
            if (result instanceof Boolean verdict) {
                return verdict;
            }
            throw runtime(notBool(result));
        } catch (CelEvaluationException e) {
            throw runtime(EvaluationTexts.of(e, failedCall(variables)));
        } catch (FunctionFailure e) {
            throw runtime(String.valueOf(e.getMessage()));
        }
    }

    /** Where the evaluation fails: it is done once more, as not every failure says it. */
    private Optional<CallTrace.Failed> failedCall(Map<String, Object> variables) {
        CallTrace trace = new CallTrace(ast);
        try {
            program.trace(variables, trace);
        } catch (CelEvaluationException | FunctionFailure e) {
            return trace.failed();
        }
        return Optional.empty();
    }

    private Object evaluate(Map<String, Object> variables) throws CelEvaluationException, SelectorException {
        if (!metered) {
            return program.eval(variables);
        }
        CostMeter meter = new CostMeter();
        try {
            Object result = program.trace(variables, meter);
            if (meter.isExceeded()) {
                throw runtime(CostMeter.EXCEEDED);
            }
            return result;
        } catch (CelEvaluationException e) {
            if (meter.isExceeded()) {
                throw runtime(CostMeter.EXCEEDED);
            }
            throw e;
        }
    }

    private static SelectorException runtime(String text) {
        return new SelectorException("CEL runtime error: " + text);
    }

    private static String notBool(Object result) {
        String why;
        String type;
        if (result instanceof Semver) {
            type = "kubernetes.Semver";
            why = "type conversion error from 'Semver' to 'bool'";
        } else if (result instanceof String) {
            type = "string";
            why = "unsupported native conversion from string to 'bool'";
        } else {
            type = result instanceof Long ? "int" : result instanceof Double ? "double" : "any";
            why = "unsupported type conversion from '" + type + "' to bool";
        }
        return "CEL result of type " + type + " could not be converted to bool: " + why;
    }
}
