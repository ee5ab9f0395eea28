package io.policyscheduler.engine.rules.term;

import io.policyscheduler.engine.rules.member.Member;
import io.policyscheduler.engine.rules.value.LinearPattern;
import io.policyscheduler.engine.rules.value.RuleType;
import java.util.ArrayList;
import java.util.List;

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
     * Pod, node, cluster, or the element that a list operation looks at.
     *
     * @param name as written
     */
    record Variable(RuleType type, int slot, String name) implements Term {
        public static final int POD = 0;
        public static final int NODE = 1;
        public static final int CLUSTER = 2;
        /** Loop variables start here, one slot for each level of nesting. */
        public static final int FIRST_LOOP = 3;

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

    /** {@code ==} or {@code !=} of two scalars of one type. */
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

    /** Tests of strings that are methods. */
    enum StringTest {
        CONTAINS("contains"),
        STARTS_WITH("startsWith"),
        ENDS_WITH("endsWith");

        public final String method;

        StringTest(String method) {
            this.method = method;
        }
    }

    record StringCheck(StringTest test, Term left, Term right) implements Term {
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

    /** List operations. */
    enum Operation {
        ANY("any", RuleType.BOOL, RuleType.BOOL),
        ALL("all", RuleType.BOOL, RuleType.BOOL),
        COUNT("count", RuleType.BOOL, RuleType.NUMBER),
        SUM("sum", RuleType.NUMBER, RuleType.NUMBER),
        MAX("max", RuleType.NUMBER, RuleType.NUMBER);

        public final String method;
        public final RuleType body;
        final RuleType result;

        Operation(String method, RuleType body, RuleType result) {
            this.method = method;
            this.body = body;
            this.result = result;
        }
    }

    /**
     * {@code list.any(x, body)} and its like.
     *
     * @param limit how many elements it is estimated to visit
     */
    record Fold(Operation operation, Term list, Variable element, Term body, int limit) implements Term {
        @Override
        public RuleType type() {
            return operation.result;
        }

        @Override
        public List<Term> parts() {
            return List.of(list, body);
        }
    }
}
