package io.policyscheduler.engine.rules.direct;

import io.policyscheduler.engine.rules.term.Term;
import io.policyscheduler.engine.rules.term.Term.Constant;
import io.policyscheduler.engine.rules.term.TermText;
import io.policyscheduler.engine.rules.value.RuleFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Evaluates every part of a term. */
final class Tracer {
    private static final String FAILED = "failed: ";

    private final Frame frame;
    private final List<TraceStep> steps = new ArrayList<>();

    private Tracer(Frame frame) {
        this.frame = frame;
    }

    static List<TraceStep> trace(Term term, Frame frame) {
        Tracer tracer = new Tracer(frame);
        tracer.visit(term, 0);
        return List.copyOf(tracer.steps);
    }

    private void visit(Term term, int depth) {
        if (term instanceof Constant || term instanceof Term.Variable) {
            return;
        }
        steps.add(new TraceStep(depth, TermText.of(term), value(term)));
        if (term instanceof Term.Logic logic) {
            visit(logic.left(), depth + 1);
            String left = value(logic.left());
            if (left.equals(String.valueOf(logic.and())) || left.startsWith(FAILED)) {
                visit(logic.right(), depth + 1);
            }
        } else if (term instanceof Term.Choice choice) {
            visit(choice.condition(), depth + 1);
            String condition = value(choice.condition());
            if (condition.equals("true")) {
                visit(choice.yes(), depth + 1);
            } else if (condition.equals("false")) {
                visit(choice.no(), depth + 1);
            }
        } else if (term instanceof Term.Let let) {
            visit(let.value(), depth + 1);
            keep(let);
            visit(let.body(), depth + 1);
        } else if (term instanceof Term.Access access
                && access.receiver().type().isMap()) {
            access.arguments().forEach(argument -> visit(argument, depth + 1));
        } else if (term instanceof Term.Fold fold) {
            // The body has a value for each element, not one.
            visit(fold.list(), depth + 1);
        } else {
            term.parts().forEach(part -> visit(part, depth + 1));
        }
    }

    /** A local that failed has no value, and nothing that follows has one. */
    private void keep(Term.Let let) {
        frame.meter.start();
        try {
            Code value = CodeBuilder.standalone(let.value());
            frame.objects[let.local().slot()] = value.value(frame, let.local().type());
        } catch (RuleFailure e) {
            frame.objects[let.local().slot()] = null;
        }
    }

    private String value(Term term) {
        frame.meter.start();
        try {
            @Nullable Object value = CodeBuilder.standalone(term).value(frame, term.type());
            if (value instanceof List<?> list) {
                return list.size() + (list.size() == 1 ? " element" : " elements");
            }
            return value == null ? "null" : TermText.of(value);
        } catch (RuleFailure e) {
            return FAILED + e.kind().text();
        }
    }
}
