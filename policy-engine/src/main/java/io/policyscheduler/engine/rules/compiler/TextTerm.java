package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;

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
