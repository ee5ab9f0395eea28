package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.executor.MvelProgram.CompiledPart;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.engine.rules.data.Arithmetics;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.ClusterRuleView;
import io.policyscheduler.engine.rules.data.Elements;
import io.policyscheduler.engine.rules.data.NodeView;
import io.policyscheduler.engine.rules.data.NowView;
import io.policyscheduler.engine.rules.data.PodView;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mvel2.MVEL;
import org.mvel2.integration.VariableResolverFactory;
import org.mvel2.integration.impl.MapVariableResolverFactory;

/** An {@link MvelProgram} at work on one pod. */
final class MvelRun implements Execution {
    /** Each level of nesting adds several; the limit is for a chain that goes round. */
    private static final int MAX_CAUSES = 1_000;

    private final MvelProgram program;
    private final ClusterCounts counts;
    private final Meter meter;
    private final NodeView nodeView;
    private final Map<String, @Nullable Object> variables = new HashMap<>();
    private final VariableResolverFactory factory = new MapVariableResolverFactory(variables);

    MvelRun(MvelProgram program, PodInfo pod, ClusterCounts counts, Meter meter) {
        this.program = program;
        this.counts = counts;
        this.meter = meter;
        this.nodeView = new NodeView(counts, meter);
        variables.put("pod", new PodView(pod, counts, meter));
        variables.put("node", nodeView);
        variables.put("cluster", new ClusterRuleView(counts));
        variables.put("now", new NowView(counts.cluster()));
        variables.put("ops", new MvelOperations(this));
    }

    @Override
    public boolean bool(@Nullable NodeInfo node) {
        if (node != null) {
            nodeView.move(node);
        }
        return (Boolean) run();
    }

    @Override
    public double number(NodeInfo node) {
        nodeView.move(node);
        return Arithmetics.finite((Double) run());
    }

    /** A Boolean or a Double; fails with a RuleFailure, whatever MVEL throws. */
    private Object run() {
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

    Meter meter() {
        return meter;
    }

    NodeView node() {
        return nodeView;
    }

    TableValues table(String name) {
        return counts.tables().values(name);
    }

    LinearPattern pattern(int index) {
        return program.patterns().get(index);
    }

    /** The value of a body of a list operation for one element. */
    Object body(int index, Object element) {
        return required(bodyValue(index, element));
    }

    /** Likewise of one that may be missing. */
    @Nullable
    Object bodyValue(int index, Object element) {
        meter.charge(program.parts().get(index).part().charge());
        return with(index, element instanceof PodInfo pod ? new PodView(pod, counts, meter) : Elements.view(element));
    }

    /** The value of a part in which a local has the value of another part. */
    Object let(int value, int body) {
        return required(with(body, value(value)));
    }

    private @Nullable Object with(int index, @Nullable Object value) {
        CompiledPart part = program.parts().get(index);
        variables.put(Emitter.variable(part.part().element()), value);
        return MVEL.executeExpression(part.expression(), null, factory);
    }

    /** The value of any other part. */
    Object part(int index) {
        return required(value(index));
    }

    /** Likewise of one that may be missing. */
    @Nullable
    Object value(int index) {
        return MVEL.executeExpression(program.parts().get(index).expression(), null, factory);
    }

    private static Object required(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a part without a value");
        }
        return value;
    }

    /** The value of a part that counts, without looking the count up. */
    Object walking(int index) {
        Meter before = counts.walk(meter);
        try {
            return part(index);
        } finally {
            counts.walk(before);
        }
    }
}
