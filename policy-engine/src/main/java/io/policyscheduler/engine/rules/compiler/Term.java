package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.LinearPattern;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.ArrayList;
import java.util.List;

/** The tree of a checked expression: every name is resolved, every type is known, constants are folded. Immutable. */
public sealed interface Term
        permits Term.Access,
                Term.Arithmetic,
                Term.Calculation,
                Term.Choice,
                Term.Comparison,
                Term.Constant,
                Term.Contains,
                Term.Equality,
                Term.Fold,
                Term.In,
                Term.Let,
                Term.Logic,
                Term.Matches,
                Term.Not,
                Term.Size,
                Term.StringCheck,
                Term.ToNumber,
                Term.Variable,
                MaybeTerm,
                TableTerm,
                TextTerm {
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
}
