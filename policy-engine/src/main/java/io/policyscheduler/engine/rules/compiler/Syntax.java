package io.policyscheduler.engine.rules.compiler;

import com.google.common.collect.ImmutableList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The syntax tree of an expression, before names and types are resolved. */
public sealed interface Syntax {
    /** The offset for errors about this part: its operator or name. */
    int at();

    /** The parts, in evaluation order; none for literals and names. */
    default List<Syntax> parts() {
        if (this instanceof ListLiteral list) {
            return list.items();
        }
        if (this instanceof Select select) {
            return List.of(select.target());
        }
        if (this instanceof Index index) {
            return List.of(index.target(), index.key());
        }
        if (this instanceof MethodCall call) {
            return ImmutableList.<Syntax>builder()
                    .add(call.target())
                    .addAll(call.arguments())
                    .build();
        }
        if (this instanceof FunctionCall call) {
            return call.arguments();
        }
        if (this instanceof Unary unary) {
            return List.of(unary.operand());
        }
        if (this instanceof Binary binary) {
            return List.of(binary.left(), binary.right());
        }
        if (this instanceof Projection projection) {
            return projection.condition() == null
                    ? List.of(projection.list(), projection.value())
                    : List.of(projection.list(), projection.condition(), projection.value());
        }
        if (this instanceof Conditional conditional) {
            return List.of(conditional.condition(), conditional.yes(), conditional.no());
        }
        return this instanceof Local local ? List.of(local.value(), local.body()) : List.of();
    }

    record NumberLiteral(String digits, int at) implements Syntax {}

    record StringLiteral(String value, int at) implements Syntax {}

    record BoolLiteral(boolean value, int at) implements Syntax {}

    /** {@code null}, {@code nil} or {@code empty}. */
    record NullLiteral(String word, int at) implements Syntax {
        /** True for {@code empty}, which also matches blank strings. */
        public boolean isEmptyWord() {
            return word.equals("empty");
        }
    }

    record ListLiteral(List<Syntax> items, int at) implements Syntax {}

    record Name(String name, int at) implements Syntax {}

    /** {@code target.name}. */
    record Select(Syntax target, String name, int at) implements Syntax {}

    /** {@code target[key]}. */
    record Index(Syntax target, Syntax key, int at) implements Syntax {}

    /** {@code target.name(arguments)}. */
    record MethodCall(Syntax target, String name, List<Syntax> arguments, int at) implements Syntax {}

    /** {@code name(arguments)}. */
    record FunctionCall(String name, List<Syntax> arguments, int at) implements Syntax {}

    /** {@code !operand} or {@code -operand}. */
    record Unary(String operator, Syntax operand, int at) implements Syntax {}

    record Binary(String operator, Syntax left, Syntax right, int at) implements Syntax {}

    /**
     * {@code (value in list if condition)}; without a condition also a plain {@code in} in parentheses.
     *
     * @param at offset of {@code in}
     */
    record Projection(Syntax value, Syntax list, @Nullable Syntax condition, int at) implements Syntax {}

    /**
     * {@code condition ? yes : no}, or the same with {@code if} and {@code else}.
     *
     * @param word {@code ?} or {@code if}
     */
    record Conditional(String word, Syntax condition, Syntax yes, Syntax no, int at) implements Syntax {}

    /** {@code name = value;} and the statements after it. */
    record Local(String name, Syntax value, Syntax body, int at) implements Syntax {}

    /** The syntax tree of a rule, with the position of each part. Immutable. */
    public static final class ParsedRule {
        private final Syntax root;
        /** By identity: equal parts can have several positions. */
        private final Map<Syntax, Span> spans;

        ParsedRule(Syntax root, Map<Syntax, Span> spans) {
            this.root = root;
            this.spans = new IdentityHashMap<>(spans);
        }

        /** The whole rule. */
        public Syntax root() {
            return root;
        }

        /** The position of a part, without parentheses around it; a list operation in parentheses includes them. */
        public Span span(Syntax part) {
            Span span = spans.get(part);
            if (span == null) {
                throw new IllegalArgumentException("no part of this rule: " + part);
            }
            return span;
        }
    }

    /**
     * A range of the text of a rule.
     *
     * @param start offset of its first character
     * @param end offset after its last character
     */
    public record Span(int start, int end) {
        /** The text of the range. */
        public String of(String text) {
            return text.substring(start, end);
        }
    }
}
