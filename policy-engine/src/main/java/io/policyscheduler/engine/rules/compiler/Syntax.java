package io.policyscheduler.engine.rules.compiler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tree of an expression as written; names and types are not looked at yet. */
public sealed interface Syntax {
    /** Offset of the character to blame when this part is wrong: its operator or name. */
    int at();

    record NumberLiteral(String digits, int at) implements Syntax {}

    record StringLiteral(String value, int at) implements Syntax {}

    record BoolLiteral(boolean value, int at) implements Syntax {}

    /** {@code null}, {@code nil} or {@code empty}. */
    record NullLiteral(String word, int at) implements Syntax {
        /** True for {@code empty}, which means more than null. */
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

    /** {@code name = value;} and what follows. */
    record Local(String name, Syntax value, Syntax body, int at) implements Syntax {}
}
