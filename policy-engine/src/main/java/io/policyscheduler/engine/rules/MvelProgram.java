package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.Container;
import io.policyscheduler.engine.cluster.Taint;
import io.policyscheduler.engine.cluster.Toleration;
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
final class MvelProgram {
    /** The body of a list operation. */
    record CompiledBody(Serializable expression, String variable, int slot, int limit) {}

    /** Loads nothing: the emitted text names no class. */
    private static final class NoClasses extends ClassLoader {
        NoClasses() {
            super(null);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            throw new ClassNotFoundException(name);
        }
    }

    private static final Map<RuleType, Class<?>> ELEMENTS = Map.of(
            RuleType.POD, PodView.class,
            RuleType.CONTAINER, Container.class,
            RuleType.TAINT, Taint.class,
            RuleType.TOLERATION, Toleration.class);

    private final String text;
    private final Serializable main;
    private final List<CompiledBody> bodies = new ArrayList<>();
    private final List<LinearPattern> patterns;

    private MvelProgram(Term term) {
        // The default optimizer and the one that writes byte code gave wrong results when several threads ran one program.
        OptimizerFactory.setDefaultOptimizer(OptimizerFactory.SAFE_REFLECTIVE);
        Emitter emitter = new Emitter();
        text = emitter.emit(term);
        Map<String, Class<?>> variables = new LinkedHashMap<>();
        variables.put("pod", PodView.class);
        variables.put("node", NodeView.class);
        variables.put("cluster", ClusterRuleView.class);
        variables.put("ops", MvelOperations.class);
        Scopes scopes = new Scopes(emitter, variables);
        main = compile(text, variables);
        for (Emitter.Body body : emitter.bodies()) {
            Term.Fold fold = body.fold();
            bodies.add(new CompiledBody(
                    compile(body.text(), scopes.of(fold)),
                    Emitter.variable(fold.element()),
                    fold.element().slot(),
                    fold.limit()));
        }
        patterns = List.copyOf(emitter.patterns());
    }

    /** The variables that the body of each list operation sees: its own element, and those of the ones around it. */
    private record Scopes(Emitter emitter, Map<String, Class<?>> outermost) {
        Map<String, Class<?>> of(Term.Fold fold) {
            Map<String, Class<?>> seen = new LinkedHashMap<>(outermost);
            for (Emitter.Body other : emitter.bodies()) {
                if (other.fold().equals(fold) || contains(other.fold().body(), fold)) {
                    Term.Variable element = other.fold().element();
                    seen.put(Emitter.variable(element), ELEMENTS.getOrDefault(element.type(), Object.class));
                }
            }
            return seen;
        }

        private static boolean contains(Term term, Term part) {
            if (term.equals(part)) {
                return true;
            }
            for (Term inner : term.parts()) {
                if (contains(inner, part)) {
                    return true;
                }
            }
            return term instanceof Term.Access access && contains(access.receiver(), part);
        }
    }

    /** Compiles a checked tree. */
    static MvelProgram compile(Term term) {
        return new MvelProgram(term);
    }

    private static Serializable compile(String text, Map<String, Class<?>> variables) {
        ParserConfiguration configuration = new ParserConfiguration();
        configuration.setClassLoader(new NoClasses());
        configuration.setAllowBootstrapBypass(false);
        configuration.setAllowNakedMethCall(false);
        ParserContext context = new ParserContext(configuration);
        context.setStrictTypeEnforcement(true);
        context.setStrongTyping(true);
        variables.forEach(context::addInput);
        return MVEL.compileExpression(text, context);
    }

    /** The text that was compiled. */
    String text() {
        return text;
    }

    Serializable main() {
        return main;
    }

    List<CompiledBody> bodies() {
        return bodies;
    }

    List<LinearPattern> patterns() {
        return patterns;
    }
}
