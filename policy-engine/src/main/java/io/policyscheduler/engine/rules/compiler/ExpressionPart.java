package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.compiler.RuleException.Excerpt;
import io.policyscheduler.engine.rules.compiler.Syntax.ParsedRule;
import io.policyscheduler.engine.rules.compiler.Syntax.Span;
import io.policyscheduler.engine.rules.compiler.Term.ListOperation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of a rule as it is written, and the term that the checker made of it. Two parts may share a term, and a part that
 * folding took away still has its own. Immutable; compared by identity.
 */
public final class ExpressionPart {
    private final String expression;
    private final Span span;
    private final Syntax syntax;
    private final @Nullable Term term;
    private final List<ExpressionPart> parts;

    private ExpressionPart(
            String expression, Span span, Syntax syntax, @Nullable Term term, List<ExpressionPart> parts) {
        this.expression = expression;
        this.span = span;
        this.syntax = syntax;
        this.term = term;
        this.parts = List.copyOf(parts);
    }

    /**
     * The tree of a rule.
     *
     * @param terms what was made of each part, by identity; what is no value by itself is missing
     */
    public static ExpressionPart of(String expression, ParsedRule parsed, Map<Syntax, Term> terms) {
        return of(expression, parsed, parsed.root(), terms);
    }

    private static ExpressionPart of(String expression, ParsedRule parsed, Syntax syntax, Map<Syntax, Term> terms) {
        List<ExpressionPart> parts = new ArrayList<>();
        for (Syntax part : SyntaxParts.of(syntax)) {
            parts.add(of(expression, parsed, part, terms));
        }
        return new ExpressionPart(expression, parsed.span(syntax), syntax, terms.get(syntax), parts);
    }

    /** The whole rule as written. */
    public String expression() {
        return expression;
    }

    /** Where it stands in the rule, without parentheses around it. */
    public Span span() {
        return span;
    }

    /** The part as written, in one line. */
    public String text() {
        return span.of(expression).strip().replaceAll("\\s+", " ");
    }

    /** The form that it has. */
    public Syntax syntax() {
        return syntax;
    }

    /** What the checker made of it; null for what is no value by itself, such as a list of literals. */
    public @Nullable Term term() {
        return term;
    }

    /** The parts that have values of their own, as they are written from left to right. */
    public List<ExpressionPart> parts() {
        return parts;
    }

    /** Where it begins. */
    public Excerpt excerpt() {
        return new Excerpt(expression, span.start());
    }

    /** 1-based line of its first character in the rule. */
    public int line() {
        return excerpt().line();
    }

    /** 1-based column of its first character in that line. */
    public int column() {
        return excerpt().column();
    }

    /** Visits this part and all of its parts, the whole before its parts. */
    public void forEach(Consumer<ExpressionPart> visitor) {
        visitor.accept(this);
        parts.forEach(part -> part.forEach(visitor));
    }

    /** Knows which parts of a form are values: names of elements, of functions and of parameters are not. */
    static final class SyntaxParts {
        private SyntaxParts() {}

        /** In the order in which they are evaluated. */
        static List<Syntax> of(Syntax syntax) {
            if (syntax instanceof Syntax.ListLiteral list) {
                return list.items();
            }
            if (syntax instanceof Syntax.Select select) {
                return target(select.target());
            }
            if (syntax instanceof Syntax.Index index) {
                return join(target(index.target()), List.of(index.key()));
            }
            if (syntax instanceof Syntax.MethodCall call) {
                boolean declares = call.arguments().size() == 2
                        && call.arguments().get(0) instanceof Syntax.Name
                        && Arrays.stream(ListOperation.values())
                                .anyMatch(operation -> operation.method().equals(call.name()));
                boolean math =
                        call.target() instanceof Syntax.Name name && name.name().equals("Math");
                return join(
                        target(call.target()),
                        declares && !math ? call.arguments().subList(1, 2) : call.arguments());
            }
            if (syntax instanceof Syntax.FunctionCall call) {
                return call.arguments();
            }
            if (syntax instanceof Syntax.Unary unary) {
                return List.of(unary.operand());
            }
            if (syntax instanceof Syntax.Binary binary) {
                return List.of(binary.left(), binary.right());
            }
            if (syntax instanceof Syntax.Projection projection) {
                return projection.condition() == null
                        ? List.of(projection.list(), projection.value())
                        : List.of(projection.list(), projection.condition(), projection.value());
            }
            if (syntax instanceof Syntax.Conditional conditional) {
                return List.of(conditional.condition(), conditional.yes(), conditional.no());
            }
            return syntax instanceof Syntax.Local local ? List.of(local.value(), local.body()) : List.of();
        }

        /** A name before a dot is no part: pod, node, params, Math, an element. */
        private static List<Syntax> target(Syntax target) {
            return target instanceof Syntax.Name ? List.of() : List.of(target);
        }

        private static List<Syntax> join(List<Syntax> first, List<Syntax> second) {
            List<Syntax> all = new ArrayList<>(first);
            all.addAll(second);
            return all;
        }
    }

    /**
     * A part of a rule and what it came to for one pod and node.
     *
     * @param parts the parts of it, those without a value of their own left out
     */
    public record PartValue(ExpressionPart part, Tally tally, List<PartValue> parts) {
        public PartValue {
            parts = List.copyOf(parts);
        }
    }

    /**
     * The values of a part of a rule in all of its evaluations: one, none, or one for each element of a list.
     *
     * @param evaluations how many there were, those that failed included
     * @param trues how many gave true
     * @param falses how many gave false
     * @param failures how many failed
     * @param same true when all of them gave the same
     * @param value the last value: a Boolean, Double or String, for a list the Integer number of its elements; null for a missing
     *     text, without evaluation and after a failure
     * @param failure why the last one failed, null when it did not
     */
    public record Tally(
            long evaluations,
            long trues,
            long falses,
            long failures,
            boolean same,
            @Nullable Object value,
            @Nullable String failure) {
        /** No evaluation. */
        public static final Tally NONE = new Tally(0, 0, 0, 0, true, null, null);

        /** This and one more evaluation. */
        public Tally and(@Nullable Object next, @Nullable String why) {
            boolean equal = evaluations == 0 || (Objects.equals(value, next) && Objects.equals(failure, why));
            return new Tally(
                    evaluations + 1,
                    trues + (Boolean.TRUE.equals(next) ? 1 : 0),
                    falses + (Boolean.FALSE.equals(next) ? 1 : 0),
                    failures + (why == null ? 0 : 1),
                    same && equal,
                    next,
                    why);
        }
    }
}
