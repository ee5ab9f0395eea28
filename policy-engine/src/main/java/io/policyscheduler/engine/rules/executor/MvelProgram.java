package io.policyscheduler.engine.rules.executor;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.ClusterCounts.ClusterRuleView;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.NodeView;
import io.policyscheduler.engine.rules.data.NodeView.ConditionView;
import io.policyscheduler.engine.rules.data.NodeView.ImageView;
import io.policyscheduler.engine.rules.data.NowView;
import io.policyscheduler.engine.rules.data.PodRelations.ClaimView;
import io.policyscheduler.engine.rules.data.PodView;
import io.policyscheduler.engine.rules.data.PodView.BudgetView;
import io.policyscheduler.engine.rules.data.PodView.ContainerView;
import io.policyscheduler.engine.rules.data.PodView.Elements;
import io.policyscheduler.engine.rules.data.PodView.PortView;
import io.policyscheduler.engine.rules.data.PodView.VolumeView;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableValues;
import io.policyscheduler.engine.rules.data.ValueOperations.Arithmetics;
import io.policyscheduler.engine.rules.executor.Executable.Execution;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.mvel2.MVEL;
import org.mvel2.ParserConfiguration;
import org.mvel2.ParserContext;
import org.mvel2.integration.VariableResolverFactory;
import org.mvel2.integration.impl.MapVariableResolverFactory;
import org.mvel2.optimizers.OptimizerFactory;

/** A checked rule compiled by MVEL. Immutable, and thread-safe with the reflective optimizer. */
public final class MvelProgram implements Executable {
    /** A part that is compiled separately; see {@link MvelEmitter.Part}. */
    record CompiledPart(Serializable expression, MvelEmitter.Part part) {}

    /** Loads no classes: the generated text contains no class names. */
    private static final class NoClasses extends ClassLoader {
        NoClasses() {
            super(null);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            throw new NoClass(name);
        }
    }

    /** MVEL looks up a class for every name; stack traces of the failures would take most of the time. */
    private static final class NoClass extends ClassNotFoundException {
        private static final long serialVersionUID = 1L;

        NoClass(String name) {
            super(name);
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** The types of elements and locals; all others are lists. */
    private static final Map<RuleType, Class<?>> VARIABLES = ImmutableMap.<RuleType, Class<?>>builder()
            .put(RuleType.POD, PodView.class)
            .put(RuleType.CONTAINER, ContainerView.class)
            .put(RuleType.TAINT, Taint.class)
            .put(RuleType.TOLERATION, Toleration.class)
            .put(RuleType.PORT, PortView.class)
            .put(RuleType.VOLUME, VolumeView.class)
            .put(RuleType.CLAIM, ClaimView.class)
            .put(RuleType.BUDGET, BudgetView.class)
            .put(RuleType.IMAGE, ImageView.class)
            .put(RuleType.CONDITION, ConditionView.class)
            .put(RuleType.BOOL, Boolean.class)
            .put(RuleType.NUMBER, Double.class)
            .put(RuleType.STRING, String.class)
            .put(RuleType.MAYBE, String.class)
            .put(RuleType.MAYBE_NUMBER, Double.class)
            .put(RuleType.MAYBE_BOOL, Double.class)
            .buildOrThrow();

    private static final ClassLoader NO_CLASSES = new NoClasses();

    private final String text;
    private final Serializable main;
    private final List<CompiledPart> parts = new ArrayList<>();
    private final List<LinearPattern> patterns;

    private MvelProgram(Term term) {
        // The default optimizer and the one that writes byte code gave
        // wrong results when several threads ran one program.
        OptimizerFactory.setDefaultOptimizer(OptimizerFactory.SAFE_REFLECTIVE);
        MvelEmitter emitter = new MvelEmitter();
        text = emitter.emit(term);
        Map<String, Class<?>> variables = new LinkedHashMap<>();
        variables.put("pod", PodView.class);
        variables.put("node", NodeView.class);
        variables.put("cluster", ClusterRuleView.class);
        variables.put("now", NowView.class);
        variables.put("ops", MvelOperations.class);
        main = compile(text, variables);
        for (MvelEmitter.Part part : emitter.parts()) {
            Map<String, Class<?>> seen = new LinkedHashMap<>(variables);
            for (Term.Variable element : part.elements()) {
                seen.put(MvelEmitter.variable(element), VARIABLES.getOrDefault(element.type(), List.class));
            }
            parts.add(new CompiledPart(compile(part.text(), seen), part));
        }
        patterns = List.copyOf(emitter.patterns());
    }

    /** Compiles a checked tree. */
    public static MvelProgram compile(Term term) {
        return new MvelProgram(term);
    }

    @Override
    public Execution start(PodInfo pod, ClusterCounts counts, Meter meter) {
        return new MvelRun(this, pod, counts, meter);
    }

    private static Serializable compile(String text, Map<String, Class<?>> variables) {
        ParserConfiguration configuration = new ParserConfiguration();
        configuration.setClassLoader(NO_CLASSES);
        configuration.setAllowBootstrapBypass(false);
        configuration.setAllowNakedMethCall(false);
        ParserContext context = new ParserContext(configuration);
        context.setStrictTypeEnforcement(true);
        context.setStrongTyping(true);
        variables.forEach(context::addInput);
        return MVEL.compileExpression(text, context);
    }

    /** The generated text. */
    public String text() {
        return text;
    }

    Serializable main() {
        return main;
    }

    List<CompiledPart> parts() {
        return parts;
    }

    List<LinearPattern> patterns() {
        return patterns;
    }

    /** An {@link MvelProgram} for one pod. */
    static final class MvelRun implements Execution {
        /** Each level of nesting adds several causes; the limit is for cycles. */
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

        /** A Boolean or a Double; fails with a RuleFailure for any exception of MVEL. */
        private Object run() {
            try {
                return MVEL.executeExpression(program.main(), null, factory);
            } catch (RuntimeException e) {
                throw failure(e);
            }
        }

        /** Unwraps the exception of a method, which MVEL often wraps several times. */
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

        /** The same for an optional value. */
        @Nullable
        Object bodyValue(int index, Object element) {
            meter.charge(program.parts().get(index).part().charge());
            return with(
                    index, element instanceof PodInfo pod ? new PodView(pod, counts, meter) : Elements.view(element));
        }

        /** The value of a part in which a local has the value of another part. */
        Object let(int value, int body) {
            return required(with(body, value(value)));
        }

        private @Nullable Object with(int index, @Nullable Object value) {
            CompiledPart part = program.parts().get(index);
            variables.put(MvelEmitter.variable(part.part().element()), value);
            return MVEL.executeExpression(part.expression(), null, factory);
        }

        /** The value of any other part. */
        Object part(int index) {
            return required(value(index));
        }

        /** The same for an optional value. */
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

        /** The value of a count without an index. */
        Object walking(int index) {
            Meter before = counts.walk(meter);
            try {
                return part(index);
            } finally {
                counts.walk(before);
            }
        }
    }
}
