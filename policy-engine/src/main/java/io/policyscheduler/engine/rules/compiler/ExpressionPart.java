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
 * A part of a rule as written, and its term. Two parts can share a term, and a part that folding removed still has its own.
 * Immutable; compared by identity.
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
     * @param terms the term of each part, by identity; parts without a value are missing
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

    /** The position in the rule, without parentheses around it. */
    public Span span() {
        return span;
    }

    /** The part as written, in one line. */
    public String text() {
        return span.of(expression).strip().replaceAll("\\s+", " ");
    }

    /** The syntax of the part. */
    public Syntax syntax() {
        return syntax;
    }

    /** The term; null for parts without a value, such as a list of literals. */
    public @Nullable Term term() {
        return term;
    }

    /** The operands with values, from left to right. */
    public List<ExpressionPart> parts() {
        return parts;
    }

    /** The position of its beginning. */
    public Excerpt excerpt() {
        return new Excerpt(expression, span.start());
    }

    /** The 1-based line of its first character in the rule. */
    public int line() {
        return excerpt().line();
    }

    /** The 1-based column of its first character in that line. */
    public int column() {
        return excerpt().column();
    }

    /** Visits this part and all of its parts, in pre-order. */
    public void forEach(Consumer<ExpressionPart> visitor) {
        visitor.accept(this);
        parts.forEach(part -> part.forEach(visitor));
    }

    /** Finds the operands of a syntax that are values: names of elements, of functions and of parameters are not. */
    static final class SyntaxParts {
        private SyntaxParts() {}

        /** In evaluation order. */
        static List<Syntax> of(Syntax syntax) {
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
            return syntax.parts();
        }

        /** A name before a dot is not a value: pod, node, params, Math, an element. */
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
     * The values of a part of a rule for one pod and node.
     *
     * @param parts its operands, without those that have no value
     */
    public record PartValue(ExpressionPart part, PartStatistics statistics, List<PartValue> parts) {
        public PartValue {
            parts = List.copyOf(parts);
        }
    }

    /**
     * The values of a part in all of its evaluations: one, none, or one for each element of a list.
     *
     * @param evaluations number of evaluations, including failures
     * @param trues number of true values
     * @param falses number of false values
     * @param failures number of failures
     * @param same whether all values are equal
     * @param value the last value: a Boolean, Double or String, for a list the Integer number of its elements; null for a missing
     *     text, without evaluation and after a failure
     * @param failure the error of the last evaluation, null for none
     */
    public record PartStatistics(
            long evaluations,
            long trues,
            long falses,
            long failures,
            boolean same,
            @Nullable Object value,
            @Nullable String failure) {
        /** No evaluation. */
        public static final PartStatistics NONE = new PartStatistics(0, 0, 0, 0, true, null, null);

        /** Adds one more evaluation. */
        public PartStatistics and(@Nullable Object next, @Nullable String why) {
            boolean equal = evaluations == 0 || (Objects.equals(value, next) && Objects.equals(failure, why));
            return new PartStatistics(
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
