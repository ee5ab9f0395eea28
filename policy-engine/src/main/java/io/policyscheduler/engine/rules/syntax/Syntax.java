package io.policyscheduler.engine.rules.syntax;

import java.util.List;

/** The tree of an expression as written; names and types are not looked at yet. */
public sealed interface Syntax {
    /** Offset of the character to blame when this part is wrong: its operator or name. */
    int at();

    record NumberLiteral(String digits, int at) implements Syntax {}

    record StringLiteral(String value, int at) implements Syntax {}

    record BoolLiteral(boolean value, int at) implements Syntax {}

    record ListLiteral(List<Syntax> items, int at) implements Syntax {}

    record Name(String name, int at) implements Syntax {}

    /** {@code target.name}. */
    record Select(Syntax target, String name, int at) implements Syntax {}

    /** {@code target.name(arguments)}. */
    record MethodCall(Syntax target, String name, List<Syntax> arguments, int at) implements Syntax {}

    /** {@code name(arguments)}. */
    record FunctionCall(String name, List<Syntax> arguments, int at) implements Syntax {}

    /** {@code !operand} or {@code -operand}. */
    record Unary(String operator, Syntax operand, int at) implements Syntax {}

    record Binary(String operator, Syntax left, Syntax right, int at) implements Syntax {}

    /** {@code condition ? yes : no}. */
    record Conditional(Syntax condition, Syntax yes, Syntax no, int at) implements Syntax {}
}
