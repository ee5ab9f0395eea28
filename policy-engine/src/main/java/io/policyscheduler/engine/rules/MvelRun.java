package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.PodInfo;
import io.policyscheduler.engine.rules.MvelProgram.CompiledPart;
import java.util.HashMap;
import java.util.Map;
import org.mvel2.MVEL;
import org.mvel2.integration.VariableResolverFactory;
import org.mvel2.integration.impl.MapVariableResolverFactory;

/** An {@link MvelProgram} at work on one frame. Used by one thread. */
final class MvelRun {
    private static final int MAX_CAUSES = 20;

    private final MvelProgram program;
    private final Frame frame;
    private final Map<String, Object> variables = new HashMap<>();
    private final VariableResolverFactory factory = new MapVariableResolverFactory(variables);

    MvelRun(MvelProgram program, Frame frame) {
        this.program = program;
        this.frame = frame;
        variables.put("pod", frame.object(Term.Variable.POD));
        variables.put("node", frame.object(Term.Variable.NODE));
        variables.put("cluster", frame.object(Term.Variable.CLUSTER));
        variables.put("ops", new MvelOperations(this));
    }

    /** A Boolean or a Double; fails with a RuleFailure, whatever MVEL throws. */
    Object run() {
        try {
            return MVEL.executeExpression(program.main(), null, factory);
        } catch (RuntimeException e) {
            throw failure(e);
        }
    }

    /** MVEL wraps what a method throws, often several times. */
    static RuntimeException failure(RuntimeException thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof RuleFailure failure) {
                return failure;
            }
            cause = cause.getCause();
        }
        return thrown;
    }

    Frame frame() {
        return frame;
    }

    LinearPattern pattern(int index) {
        return program.patterns().get(index);
    }

    /** The value of a body of a list operation for one element. */
    Object body(int index, Object element) {
        CompiledPart part = program.parts().get(index);
        frame.meter.charge(part.part().charge());
        Term.Variable variable = part.part().element();
        Object value = element instanceof PodInfo pod ? frame.podView(variable.slot(), pod) : element;
        variables.put(Emitter.variable(variable), value);
        return MVEL.executeExpression(part.expression(), null, factory);
    }

    /** The value of any other part. */
    Object part(int index) {
        return MVEL.executeExpression(program.parts().get(index).expression(), null, factory);
    }
}
