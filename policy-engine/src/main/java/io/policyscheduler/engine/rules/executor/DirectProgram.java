package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.ExpressionPart;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartStatistics;
import io.policyscheduler.engine.rules.compiler.ExpressionPart.PartValue;
import io.policyscheduler.engine.rules.compiler.Syntax;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.PodView.Elements;
import io.policyscheduler.engine.rules.data.RuleFailure;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.executor.Code.Frame;
import io.policyscheduler.engine.rules.executor.Executable.Execution;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A checked rule as a tree of {@link Code} objects. */
public final class DirectProgram implements Executable {
    private final Code code;
    private final int slots;
    private final int memos;

    private DirectProgram(Code code, int slots, int memos) {
        this.code = code;
        this.slots = slots;
        this.memos = memos;
    }

    /** Compiles a checked tree. */
    public static DirectProgram compile(Term term) {
        CodeBuilder builder = new CodeBuilder(true);
        Code code = builder.build(term);
        return new DirectProgram(code, CodeBuilder.slots(term), builder.memos());
    }

    @Override
    public Execution start(PodInfo pod, ClusterCounts counts, Meter meter) {
        return new Run(code, Frame.of(slots, memos, pod, counts, meter));
    }

    /**
     * Evaluates a scalar term of constants.
     *
     * @throws io.policyscheduler.engine.rules.data.RuleFailure if it fails
     */
    public static Constant constant(Term term) {
        Code code = CodeBuilder.standalone(term);
        Frame frame = Frame.ofConstants();
        return switch (term.type()) {
            case BOOL -> Constant.of(code.bool(frame));
            case NUMBER -> Constant.of(code.number(frame));
            default -> Constant.of(code.string(frame));
        };
    }

    /** The values of every part that is evaluated. */
    public static PartValue trace(
            ExpressionPart source, PodInfo pod, NodeInfo node, ClusterCounts counts, Meter meter) {
        Frame frame = Frame.of(Tracer.slots(source), 0, pod, counts, meter);
        frame.node(node);
        return Tracer.trace(source, frame);
    }

    private record Run(Code code, Frame frame) implements Execution {
        @Override
        public boolean bool(@Nullable NodeInfo node) {
            if (node != null) {
                frame.node(node);
            }
            return code.bool(frame);
        }

        @Override
        public double number(NodeInfo node) {
            frame.node(node);
            return code.number(frame);
        }
    }

    /** An evaluator of every part of a rule. */
    static final class Tracer {
        /** The value of a part that failed, or has no value. */
        private static final Object NO_RESULT = new Object();

        private final Frame frame;
        private final Map<ExpressionPart, PartStatistics> counters = new IdentityHashMap<>();

        private Tracer(Frame frame) {
            this.frame = frame;
        }

        static PartValue trace(ExpressionPart source, Frame frame) {
            Tracer tracer = new Tracer(frame);
            tracer.visit(source);
            return tracer.valueOf(source);
        }

        /** The number of slots of a frame for all parts, including folded ones. */
        static int slots(ExpressionPart part) {
            Term term = part.term();
            int slots = term == null ? 0 : CodeBuilder.slots(term);
            for (ExpressionPart inner : part.parts()) {
                slots = Math.max(slots, slots(inner));
            }
            return slots;
        }

        private PartValue valueOf(ExpressionPart part) {
            return new PartValue(
                    part,
                    counters.getOrDefault(part, PartStatistics.NONE),
                    part.parts().stream().map(this::valueOf).toList());
        }

        private @Nullable Object visit(ExpressionPart part) {
            Term term = part.term();
            Object value = term == null || isHalf(term) ? NO_RESULT : note(part, term);
            Syntax syntax = part.syntax();
            if (syntax instanceof Syntax.Binary binary && term != null && isLogic(binary.operator())) {
                logic(part, binary.operator(), term);
            } else if (syntax instanceof Syntax.Conditional) {
                Object condition = visit(part.parts().get(0));
                if (condition instanceof Boolean result) {
                    visit(part.parts().get(result ? 1 : 2));
                }
            } else if (syntax instanceof Syntax.Local) {
                Object local = visit(part.parts().get(0));
                // If a local fails, nothing after it has a value.
                if (local != NO_RESULT && (!(term instanceof Term.Let let) || keep(let))) {
                    visit(part.parts().get(1));
                }
            } else if (term instanceof Term.Fold fold
                    && syntax instanceof Syntax.MethodCall
                    && part.parts().size() == 2) {
                visit(part.parts().get(0));
                elements(fold, part.parts().get(1));
            } else if (syntax instanceof Syntax.Projection) {
                projection(part, term);
            } else {
                part.parts().forEach(this::visit);
            }
            return value;
        }

        /** A table or a row is not a value by itself. */
        private static boolean isHalf(Term term) {
            return term.type() == RuleType.TABLES || term.type() == RuleType.TABLE || term.type() == RuleType.RECORD;
        }

        private @Nullable Object note(ExpressionPart part, Term term) {
            PartStatistics before = counters.getOrDefault(part, PartStatistics.NONE);
            try {
                Object value = known(term.type(), evaluate(term));
                counters.put(
                        part,
                        before.and(value instanceof List<?> list ? (Integer) list.size() : displayValue(value), null));
                return value;
            } catch (RuleFailure e) {
                counters.put(part, before.and(null, e.kind().text()));
                return NO_RESULT;
            }
        }

        /** Converts the double of an optional number or bool to its value. */
        private static @Nullable Object known(RuleType type, @Nullable Object value) {
            if (!type.isMaybeNumber() || !(value instanceof Double number)) {
                return value;
            }
            if (Double.isNaN(number)) {
                return null;
            }
            return type == RuleType.MAYBE_BOOL ? (Object) (number == 1) : number;
        }

        /** Views are reused, so only values are stored. */
        private static @Nullable Object displayValue(@Nullable Object value) {
            return value instanceof Boolean || value instanceof Double || value instanceof String ? value : null;
        }

        private @Nullable Object evaluate(Term term) {
            frame.meter.start();
            if (term instanceof Term.Constant constant) {
                return constant.value();
            }
            return CodeBuilder.standalone(term).value(frame, term.type());
        }

        private static boolean isLogic(String operator) {
            return operator.equals("&&") || operator.equals("and") || operator.equals("||") || operator.equals("or");
        }

        private void logic(ExpressionPart part, String operator, Term term) {
            Object left = visit(part.parts().get(0));
            boolean counts;
            if (term.type() == RuleType.BOOL) {
                boolean and = operator.equals("&&") || operator.equals("and");
                counts = !Boolean.valueOf(!and).equals(left);
            } else {
                Term text = part.parts().get(0).term();
                counts = text != null && left != NO_RESULT && isMissing(text, left);
            }
            if (counts) {
                visit(part.parts().get(1));
            }
        }

        private boolean isMissing(Term value, @Nullable Object result) {
            return value.type().isMaybeNumber()
                    ? result == null
                    : Boolean.TRUE.equals(evaluate(new TextTerm.Blank(value)));
        }

        private boolean keep(Term.Let let) {
            try {
                frame.objects[let.local().slot()] = evaluate(let.value());
                return true;
            } catch (RuleFailure e) {
                return false;
            }
        }

        /** Visits the body for the elements that the operation evaluates. */
        private void elements(Term.Fold fold, ExpressionPart body) {
            for (Object element : list(fold.list())) {
                move(fold, element);
                Object result = visit(body);
                boolean decided = (fold.operation() == ListOperation.ANY && Boolean.TRUE.equals(result))
                        || (fold.operation() == ListOperation.ALL && Boolean.FALSE.equals(result));
                if (decided) {
                    return;
                }
            }
        }

        /** A projection without condition, or over a list of values, has no list operation as term. */
        private void projection(ExpressionPart part, @Nullable Term term) {
            List<ExpressionPart> parts = part.parts();
            visit(parts.get(0));
            if (!(term instanceof Term.Fold fold)) {
                parts.subList(1, parts.size()).stream()
                        .filter(inner -> !(term == null || term.type().isObjectList()))
                        .forEach(this::visit);
                return;
            }
            ExpressionPart value = parts.get(parts.size() - 1);
            Term list = parts.get(0).term();
            for (Object element : list == null ? List.of() : list(list)) {
                move(fold, element);
                if (parts.size() == 2 || Boolean.TRUE.equals(visit(parts.get(1)))) {
                    visit(value);
                }
            }
        }

        private void move(Term.Fold fold, Object element) {
            int slot = fold.element().slot();
            frame.objects[slot] = fold.element().type() == RuleType.POD
                    ? frame.podView(slot, (PodInfo) element)
                    : Elements.view(element);
        }

        private List<?> list(Term term) {
            try {
                return evaluate(term) instanceof List<?> list ? list : List.of();
            } catch (RuleFailure e) {
                return List.of();
            }
        }
    }
}
