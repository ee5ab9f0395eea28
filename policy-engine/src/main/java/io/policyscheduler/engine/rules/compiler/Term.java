package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition.PlacedAmount;
import io.policyscheduler.engine.rules.data.TableDefinition.TableSchema;
import io.policyscheduler.engine.rules.data.ValueOperations.Arithmetics;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tree of a checked expression: every name is resolved, every type is known, constants are folded. Immutable. */
public sealed interface Term {
    /** Type of the value. */
    RuleType type();

    /** Parts in the order of evaluation. */
    List<Term> parts();

    /** A Boolean, Double, String, or a list of Doubles or Strings. */
    record Constant(RuleType type, Object value) implements Term {
        public static Constant of(boolean value) {
            return new Constant(RuleType.BOOL, value);
        }

        public static Constant of(double value) {
            return new Constant(RuleType.NUMBER, value);
        }

        /** Interned, because comparing equal strings that are one object is several times faster. */
        public static Constant of(String value) {
            return new Constant(RuleType.STRING, value.intern());
        }

        @Override
        public List<Term> parts() {
            return List.of();
        }
    }

    /**
     * Pod, node, cluster, now, the element that a list operation looks at, or a local constant.
     *
     * @param name as written
     */
    record Variable(RuleType type, int slot, String name) implements Term {
        public static final int POD = 0;
        public static final int NODE = 1;
        public static final int CLUSTER = 2;
        public static final int NOW = 3;
        /** Elements and locals start here, one slot for each level of nesting. */
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

    /** {@code ==} or {@code !=} of two scalars of one type; of texts each may be missing. */
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

    /** {@code &&} or {@code ||}; the right side only counts when the left one does not decide. */
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

    /** {@code list contains value} for a list of numbers or strings that is known when the rule runs. */
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
     * {@code list.any(x, body)} and its like.
     *
     * @param limit how many elements it is estimated to visit
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

    /** Tests of strings that are methods. */
    public enum StringOperator {
        CONTAINS("contains"),
        STARTS_WITH("startsWith"),
        ENDS_WITH("endsWith");

        private final String method;

        StringOperator(String method) {
            this.method = method;
        }

        /** How it is called. */
        public String method() {
            return method;
        }
    }

    /** Terms about one value that may be missing: a number or bool, or where it says so a string. */
    public sealed interface MaybeTerm extends Term {
        /** The value that it is about. */
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

        /** A value at a place that is only reached when it is there. */
        record Known(Term value) implements MaybeTerm {
            @Override
            public RuleType type() {
                return value.type().certain();
            }
        }

        /** {@code value or otherwise}, {@code table.getOrDefault(key, otherwise)}: the second one when the first is missing. */
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

        /** The word {@code tables}. Stands for something only together with a name, so that it is never evaluated. */
        record All() implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.TABLES;
            }
        }

        /** {@code tables.name}, which is never evaluated by itself. */
        record Named(TableSchema table) implements TableTerm {
            @Override
            public RuleType type() {
                return RuleType.TABLE;
            }
        }

        /** {@code tables.name[key]} of a table of records, which is never evaluated by itself. */
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
         * @param key a STRING or MAYBE; what is missing is no key
         */
        record Entry(TableSchema table, String field, Term key) implements TableTerm {
            @Override
            public RuleType type() {
                return table.type(field);
            }

            /** What pods that were placed on the node since add to the number; null for nothing. */
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

        /** The table that it is about; null for {@link All}. */
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

    /** Terms about one text, which is a STRING or, where it says so, a MAYBE. */
    public sealed interface TextTerm extends Term {
        /** The text that it is about. */
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

        /** A MAYBE at a place that is only reached when it is there. */
        record Known(Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.STRING;
            }
        }

        /** {@code text == empty}: missing, or nothing but white space. */
        record Blank(Term text) implements TextTerm {
            @Override
            public RuleType type() {
                return RuleType.BOOL;
            }
        }

        /** {@code text or otherwise}: the second one when the first is {@link Blank}. */
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

        /** {@code text.toUpperCase()} or {@code text.toLowerCase()}. */
        record Case(boolean upper, Term text) implements TextTerm {
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

    /** What can be done with all elements of a list of objects. */
    public enum ListOperation {
        ANY("any"),
        ALL("all"),
        COUNT("count"),
        SUM("sum"),
        MAX("max"),
        /** The elements for which the body holds, in their order. */
        FILTER("filter"),
        /** The value of the body for each element: numbers, or strings of which some may be missing. */
        MAP("map");

        private final String method;

        ListOperation(String method) {
            this.method = method;
        }

        /** How it is called. */
        public String method() {
            return method;
        }

        /** True when the body is a bool, false when it is a number; the body of {@link #MAP} may be a string, too. */
        public boolean asksBool() {
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

    /** Functions of numbers. They mean what {@link Math} means for doubles; a result that is no finite number fails. */
    public enum MathFunction {
        MIN("min", 2),
        MAX("max", 2),
        ABS("abs", 1),
        FLOOR("floor", 1),
        CEIL("ceil", 1),
        ROUND("round", 1),
        SQRT("sqrt", 1),
        LOG("log", 1);

        private final String word;
        private final int arguments;

        MathFunction(String word, int arguments) {
            this.word = word;
            this.arguments = arguments;
        }

        /** How it is called. */
        public String word() {
            return word;
        }

        /** How many arguments it takes, 1 or 2. */
        public int arguments() {
            return arguments;
        }

        /** The function of this name, null when there is none. */
        public static @Nullable MathFunction of(String word) {
            for (MathFunction function : values()) {
                if (function.word.equals(word)) {
                    return function;
                }
            }
            return null;
        }

        /**
         * The value.
         *
         * @param b the second argument; of no account for functions of one
         * @throws io.policyscheduler.engine.rules.data.RuleFailure when it is not a finite number
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
