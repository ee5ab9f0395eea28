package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Cost;
import io.policyscheduler.engine.rules.compiler.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Sizes;
import io.policyscheduler.engine.rules.compiler.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.TermReads;
import io.policyscheduler.engine.rules.compiler.TextTerm;

/** Makes terms executable, and keeps what is about the pod alone for all nodes. */
final class CodeBuilder {
    private final boolean memoize;
    private int memos;

    CodeBuilder(boolean memoize) {
        this.memoize = memoize;
    }

    /** Code that keeps nothing in its frame but the elements of list operations. */
    static Code standalone(Term term) {
        return new CodeBuilder(false).build(term);
    }

    /** Number of answers that a frame must have room for. */
    int memos() {
        return memos;
    }

    /** Number of slots that a frame needs for a term. */
    static int slots(Term term) {
        int slots = Term.Variable.FIRST_LOOP;
        if (term instanceof Term.Fold fold) {
            slots = fold.element().slot() + 1;
        }
        if (term instanceof Term.Let let) {
            slots = let.local().slot() + 1;
        }
        if (term instanceof Term.Access access) {
            slots = Math.max(slots, slots(access.receiver()));
        }
        for (Term part : term.parts()) {
            slots = Math.max(slots, slots(part));
        }
        return slots;
    }

    Code build(Term term) {
        boolean keep = memoize && term.type().isScalar() && Cost.of(term) > 1 && TermReads.aboutPodOnly(term);
        // Parts of what is kept need no slot of their own.
        return keep ? memo(term, memos++) : plain(term);
    }

    private Code plain(Term term) {
        if (term instanceof Constant constant) {
            return constant(constant);
        }
        if (term instanceof Term.Variable variable) {
            return LocalCode.of(variable);
        }
        if (term instanceof Term.Access access) {
            return AccessCode.of(access, this);
        }
        if (term instanceof Term.Fold fold) {
            return FoldCode.of(fold, this);
        }
        if (term instanceof Term.Choice choice) {
            return choice(choice);
        }
        if (term instanceof Term.Let let) {
            return LocalCode.of(let, this);
        }
        if (term instanceof TextTerm text) {
            return TextCode.of(text, this);
        }
        if (term instanceof TableTerm table) {
            return TableCode.of(table, this);
        }
        if (term instanceof MaybeTerm maybe) {
            return MaybeCode.of(maybe, this);
        }
        return OperatorCode.of(term, this);
    }

    private static Code constant(Constant constant) {
        return switch (constant.type()) {
            case BOOL -> {
                boolean value = (Boolean) constant.value();
                yield Code.ofBool(frame -> value);
            }
            case NUMBER -> {
                double value = (Double) constant.value();
                yield Code.ofNumber(frame -> value);
            }
            case STRING -> {
                String value = (String) constant.value();
                yield Code.ofString(frame -> value);
            }
            default -> throw new IllegalStateException("a constant " + constant.type());
        };
    }

    private Code choice(Term.Choice choice) {
        Code condition = build(choice.condition());
        Code yes = build(choice.yes());
        Code no = build(choice.no());
        return switch (choice.type()) {
            case BOOL -> Code.ofBool(frame -> condition.bool(frame) ? yes.bool(frame) : no.bool(frame));
            case NUMBER -> Code.ofNumber(frame -> condition.bool(frame) ? yes.number(frame) : no.number(frame));
            default -> Code.ofString(frame -> condition.bool(frame) ? yes.string(frame) : no.string(frame));
        };
    }

    private static Code memo(Term term, int index) {
        Code code = standalone(term);
        if (Sizes.grows(term)) {
            return MeteredMemo.of(term.type(), code, index);
        }
        return switch (term.type()) {
            case BOOL ->
                Code.ofBool(frame -> {
                    byte state = frame.memoStates[index];
                    if (state == Frame.UNKNOWN) {
                        state = code.bool(frame) ? Frame.KNOWN_TRUE : Frame.KNOWN;
                        frame.memoStates[index] = state;
                    }
                    return state == Frame.KNOWN_TRUE;
                });
            case NUMBER -> new NumberMemo(code, index);
            default ->
                Code.ofString(frame -> {
                    String known = frame.memoStrings[index];
                    if (known == null) {
                        known = code.string(frame);
                        frame.memoStrings[index] = known;
                    }
                    return known;
                });
        };
    }
}
