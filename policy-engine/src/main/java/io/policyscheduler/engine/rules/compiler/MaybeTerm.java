package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;

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
