package io.policyscheduler.engine.rules.executor;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.BudgetView;
import io.policyscheduler.engine.rules.data.ClaimView;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.ClusterRuleView;
import io.policyscheduler.engine.rules.data.ConditionView;
import io.policyscheduler.engine.rules.data.ContainerView;
import io.policyscheduler.engine.rules.data.ImageView;
import io.policyscheduler.engine.rules.data.NodeView;
import io.policyscheduler.engine.rules.data.NowView;
import io.policyscheduler.engine.rules.data.PodView;
import io.policyscheduler.engine.rules.data.PortView;
import io.policyscheduler.engine.rules.data.VolumeView;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.mvel2.MVEL;
import org.mvel2.ParserConfiguration;
import org.mvel2.ParserContext;
import org.mvel2.optimizers.OptimizerFactory;

/** A checked rule compiled by MVEL. Immutable and safe for several threads with the reflective optimizer. */
public final class MvelProgram implements Executable {
    /** A part of the text that is compiled by itself; see {@link Emitter.Part}. */
    record CompiledPart(Serializable expression, Emitter.Part part) {}

    /** Loads nothing: the emitted text names no class. */
    private static final class NoClasses extends ClassLoader {
        NoClasses() {
            super(null);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            throw new NoClass(name);
        }
    }

    /** MVEL asks for a class for every name it meets; stack traces of the refusals would take most of the time. */
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

    /** What stands for elements and locals; all else is a list. */
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
        // The default optimizer and the one that writes byte code gave wrong results when several threads ran one
        // program.
        OptimizerFactory.setDefaultOptimizer(OptimizerFactory.SAFE_REFLECTIVE);
        Emitter emitter = new Emitter();
        text = emitter.emit(term);
        Map<String, Class<?>> variables = new LinkedHashMap<>();
        variables.put("pod", PodView.class);
        variables.put("node", NodeView.class);
        variables.put("cluster", ClusterRuleView.class);
        variables.put("now", NowView.class);
        variables.put("ops", MvelOperations.class);
        main = compile(text, variables);
        for (Emitter.Part part : emitter.parts()) {
            Map<String, Class<?>> seen = new LinkedHashMap<>(variables);
            for (Term.Variable element : part.elements()) {
                seen.put(Emitter.variable(element), VARIABLES.getOrDefault(element.type(), List.class));
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

    /** The text that was compiled. */
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
}
