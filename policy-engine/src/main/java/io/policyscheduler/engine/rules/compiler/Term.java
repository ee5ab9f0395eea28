package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.ValueOperations;
import io.policyscheduler.engine.rules.data.ValueOperations.Arithmetics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The tree of a checked expression: names are resolved, types are known, constants are folded. Immutable. */
public sealed interface Term {
    /** Type of the value. */
    RuleType type();

    /** The operands in evaluation order. */
    List<Term> parts();

    /** A Boolean, Double, String, or a list of Doubles or Strings. */
    record Constant(RuleType type, Object value) implements Term {
        public static Constant of(boolean value) {
            return new Constant(RuleType.BOOL, value);
        }

        public static Constant of(double value) {
            return new Constant(RuleType.NUMBER, value);
        }

        /** Interned, because comparing identical strings is several times faster. */
        public static Constant of(String value) {
            return new Constant(RuleType.STRING, value.intern());
        }

        @Override
        public List<Term> parts() {
            return List.of();
        }
    }

    /**
     * Pod, node, cluster, now, the element of a list operation, or a local constant.
     *
     * @param name as written
     */
    record Variable(RuleType type, int slot, String name) implements Term {
        public static final int POD = 0;
        public static final int NODE = 1;
        public static final int CLUSTER = 2;
        public static final int NOW = 3;
        /** The first slot of elements and locals, one for each level of nesting. */
        public static final int FIRST_LOOP = 4;

        /** True for elements and locals. */
        public boolean isLoop() {
            return slot >= FIRST_LOOP;
        }

        @Override
        public List<Term> parts() {
            return List.of();
        }
    }

    record Access(Term receiver, Member member, List<Term> arguments) implements Term {
        @Override
        public RuleType type() {
            return member.result();
        }

        @Override
        public List<Term> parts() {
            return arguments;
        }
    }

    record Not(Term operand) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(operand);
        }
    }

    /** {@code + - * / %}. A minus sign is a subtraction from 0. */
    record Arithmetic(char operator, Term left, Term right) implements Term {
        @Override
        public RuleType type() {
            return RuleType.NUMBER;
        }

        @Override
        public List<Term> parts() {
            return List.of(left, right);
        }
    }

    /** {@code < <= > >=} of numbers. */
    record Comparison(String operator, Term left, Term right) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(left, right);
        }
    }

    /** {@code ==} or {@code !=} of two scalars of one type; strings can be missing. */
    record Equality(boolean equal, Term left, Term right) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(left, right);
        }
    }

    /** {@code &&} or {@code ||}; the right side is evaluated only if the left one does not determine the result. */
    record Logic(boolean and, Term left, Term right) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(left, right);
        }
    }

    /** A function of numbers. */
    record Calculation(MathFunction function, List<Term> arguments) implements Term {
        @Override
        public RuleType type() {
            return RuleType.NUMBER;
        }

        @Override
        public List<Term> parts() {
            return arguments;
        }
    }

    /** {@code ? :}, or {@code if} and {@code else}. */
    record Choice(Term condition, Term yes, Term no) implements Term {
        @Override
        public RuleType type() {
            return yes.type();
        }

        @Override
        public List<Term> parts() {
            return List.of(condition, yes, no);
        }
    }

    /** {@code value in [...]}. */
    record In(Term value, List<Term> items) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            List<Term> parts = new ArrayList<>(items);
            parts.add(0, value);
            return parts;
        }
    }

    /** {@code list contains value} for a list of numbers or strings that is computed at run time. */
    record Contains(Term list, Term value) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(list, value);
        }
    }

    /** {@code local = value; body}. */
    record Let(Variable local, Term value, Term body) implements Term {
        @Override
        public RuleType type() {
            return body.type();
        }

        @Override
        public List<Term> parts() {
            return List.of(value, body);
        }
    }

    record StringCheck(StringOperator test, Term left, Term right) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(left, right);
        }
    }

    record Matches(Term value, LinearPattern pattern) implements Term {
        @Override
        public RuleType type() {
            return RuleType.BOOL;
        }

        @Override
        public List<Term> parts() {
            return List.of(value);
        }
    }

    /** {@code number(text, otherwise)}. */
    record ToNumber(Term text, Term otherwise) implements Term {
        @Override
        public RuleType type() {
            return RuleType.NUMBER;
        }

        @Override
        public List<Term> parts() {
            return List.of(text, otherwise);
        }
    }

    /** Number of elements of a list. */
    record Size(Term list) implements Term {
        @Override
        public RuleType type() {
            return RuleType.NUMBER;
        }

        @Override
        public List<Term> parts() {
            return List.of(list);
        }
    }

    /**
     * {@code list.any(x, body)} and other list operations.
     *
     * @param limit assumed number of elements
     */
    record Fold(ListOperation operation, Term list, Variable element, Term body, int limit) implements Term {
        @Override
        public RuleType type() {
            return operation.result(list.type(), body.type());
        }

        @Override
        public List<Term> parts() {
            return List.of(list, body);
        }
    }

    /** String methods that return bools. */
    public enum StringOperator {
        CONTAINS("contains"),
        STARTS_WITH("startsWith"),
        ENDS_WITH("endsWith");

        private final String method;

        StringOperator(String method) {
            this.method = method;
        }

        /** The name of the method. */
        public String method() {
            return method;
        }
    }

    /** Terms about an optional value: a number or bool, in some cases a string. */
    public sealed interface MaybeTerm extends Term {
        /** The optional value. */
        Term value();

        @Override
        default List<Term> parts() {
            return List.of(value());
        }

        /** {@code value != null}. */
        record Present(Term value) implements MaybeTerm {
            @Override
            public RuleType type() {
                return RuleType.BOOL;
            }
        }

        /** An optional value that is known to exist here. */
        record Known(Term value) implements MaybeTerm {
            @Override
            public RuleType type() {
                return value.type().certain();
            }
        }

        /** {@code value or otherwise}, {@code table.getOrDefault(key, otherwise)}: the second one if the first is missing. */
        record OrElse(Term value, Term otherwise) implements MaybeTerm {
            @Override
            public RuleType type() {
                return otherwise.type();
            }

            @Override
            public List<Term> parts() {
                return List.of(value, otherwise);
            }
        }
    }

    /** Terms about tables. */
    public sealed interface TableTerm extends Term {
        @Override
        default List<Term> parts() {
            return List.of();
        }

        /** The prefix {@code tables}, which is not a value by itself. */
        record All() implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.TABLES;
            }
        }

        /** {@code tables.name}, which is not a value by itself. */
        record Named(TableSchema table) implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.TABLE;
            }
        }

        /** {@code tables.name[key]} of a table of records, which is not a value by itself. */
        record Row(TableSchema table, Term key) implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.RECORD;
            }

            @Override
            public List<Term> parts() {
                return List.of(key);
            }
        }

        /**
         * {@code tables.name[key]}, or {@code tables.name[key].field}.
         *
         * @param field {@link TableSchema#VALUE} in a table of plain values
         * @param key a STRING or MAYBE; a missing text is not a key
         */
        record Entry(TableSchema table, String field, Term key) implements TableTerm {
            @Override
            public RuleType type() {
                return table.type(field);
            }

            /** The requests of recently placed pods that are added to the number; null for none. */
            public @Nullable PlacedAmount placed() {
                return table.plusPlaced().get(field);
            }

            @Override
            public List<Term> parts() {
                return List.of(key);
            }
        }

        /** {@code tables.name.containsKey(key)}, and of a table of records {@code tables.name[key] != null}. */
        record Has(TableSchema table, Term key) implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.BOOL;
            }

            @Override
            public List<Term> parts() {
                return List.of(key);
            }
        }

        /** {@code tables.name.size()}. */
        record Count(TableSchema table) implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.NUMBER;
            }
        }

        /** The table of a term; null for {@link All}. */
        static @Nullable TableSchema tableOf(TableTerm term) {
            if (term instanceof Named named) {
                return named.table();
            }
            if (term instanceof Row row) {
                return row.table();
            }
            if (term instanceof Entry entry) {
                return entry.table();
            }
            if (term instanceof Has has) {
                return has.table();
            }
            return term instanceof Count count ? count.table() : null;
        }
    }

    /** Terms about one text: a STRING, in some cases a MAYBE. */
    public sealed interface TextTerm extends Term {
        /** The text. */
        Term text();

        @Override
        default List<Term> parts() {
            return List.of(text());
        }

        /** {@code text != null}; the text is a MAYBE. */
        record Present(Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.BOOL;
            }
        }

        /** A MAYBE that is known to exist here. */
        record Known(Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.STRING;
            }
        }

        /** {@code text == empty}: missing, or only white space. */
        record Blank(Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.BOOL;
            }
        }

        /** {@code text or otherwise}: the second one if the first is {@link Blank}. */
        record OrElse(Term text, Term otherwise) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.STRING;
            }

            @Override
            public List<Term> parts() {
                return List.of(text, otherwise);
            }
        }

        /** {@code text.toUpperCase()}, and the calls of the other {@link TextFunction}s. */
        record Converted(TextFunction function, Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.STRING;
            }
        }

        /** {@code text.length()}. */
        record Length(Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.NUMBER;
            }
        }
    }

    /** String methods without arguments that return a string. */
    public enum TextFunction {
        TO_LOWER_CASE("toLowerCase", "in lower case", value -> value.toLowerCase(Locale.ROOT)),
        TO_UPPER_CASE("toUpperCase", "in upper case", value -> value.toUpperCase(Locale.ROOT));

        private final String method;
        private final String text;
        private final UnaryOperator<String> conversion;

        /**
         * @param conversion takes time in proportion to the string, and makes it at most 3 times as long, as U+0390 in upper case.
         *     The result does not grow again, and operations on it are charged for its own length.
         */
        TextFunction(String method, String text, UnaryOperator<String> conversion) {
            this.method = method;
            this.text = text;
            this.conversion = conversion;
        }

        /** The name of the method. */
        public String method() {
            return method;
        }

        /** The result, in words that follow the string. */
        public String text() {
            return text;
        }

        /** The function with this method, null for none. */
        public static @Nullable TextFunction of(String method) {
            for (TextFunction function : values()) {
                if (function.method.equals(method)) {
                    return function;
                }
            }
            return null;
        }

        /** Applies the function, and charges for the length of the string. */
        public String apply(String value, Meter meter) {
            ValueOperations.chargeConversion(value, meter);
            return conversion.apply(value);
        }
    }

    /** Operations on lists of objects. */
    public enum ListOperation {
        ANY("any"),
        ALL("all"),
        COUNT("count"),
        SUM("sum"),
        MAX("max"),
        /** The elements for which the body is true, in order. */
        FILTER("filter"),
        /** The value of the body for each element: numbers, or strings that can be missing. */
        MAP("map");

        private final String method;

        ListOperation(String method) {
            this.method = method;
        }

        /** The name of the method. */
        public String method() {
            return method;
        }

        /** True if the body is a bool, false if it is a number; the body of {@link #MAP} can also be a string. */
        public boolean returnsBool() {
            return this == ANY || this == ALL || this == COUNT || this == FILTER;
        }

        /** Type of the value. */
        public RuleType result(RuleType list, RuleType body) {
            return switch (this) {
                case ANY, ALL -> RuleType.BOOL;
                case COUNT, SUM, MAX -> RuleType.NUMBER;
                case FILTER -> list;
                case MAP -> body == RuleType.NUMBER ? RuleType.NUMBERS : RuleType.STRINGS;
            };
        }
    }

    /** Functions of numbers, with the semantics of {@link Math} for doubles; a result that is not finite fails. */
    public enum MathFunction {
        MIN("min", 2, "the smaller number"),
        MAX("max", 2, "the larger number"),
        ABS("abs", 1, "absolute value"),
        FLOOR("floor", 1, "the largest integer that is not greater"),
        CEIL("ceil", 1, "the smallest integer that is not less"),
        ROUND("round", 1, "the nearest integer; halves are rounded up"),
        SQRT("sqrt", 1, "square root; the rule fails below 0"),
        LOG("log", 1, "natural logarithm; the rule fails at 0 and below");

        private final String word;
        private final int arguments;
        private final String text;

        MathFunction(String word, int arguments, String text) {
            this.word = word;
            this.arguments = arguments;
            this.text = text;
        }

        /** The name of the function. */
        public String word() {
            return word;
        }

        /** The number of arguments, 1 or 2. */
        public int arguments() {
            return arguments;
        }

        /** The result, in the words of the documentation. */
        String text() {
            return text;
        }

        /** The function of this name, null for none. */
        public static @Nullable MathFunction of(String word) {
            for (MathFunction function : values()) {
                if (function.word.equals(word)) {
                    return function;
                }
            }
            return null;
        }

        /**
         * Applies the function.
         *
         * @param b the second argument; ignored by functions with one
         * @throws io.policyscheduler.engine.rules.data.RuleFailure if the result is not finite
         */
        public double apply(double a, double b) {
            return Arithmetics.finite(
                    switch (this) {
                        case MIN -> Math.min(a, b);
                        case MAX -> Math.max(a, b);
                        case ABS -> Math.abs(a);
                        case FLOOR -> Math.floor(a);
                        case CEIL -> Math.ceil(a);
                        case ROUND -> Arithmetics.rounded(a);
                        case SQRT -> Math.sqrt(a);
                        case LOG -> Math.log(a);
                    });
        }
    }
}
