package io.policyscheduler.engine.rules;

import java.util.List;

/** A term made executable: one object a term, that asks the objects of its parts. Immutable. Fails with a RuleFailure. */
abstract class Code {
    boolean bool(Frame frame) {
        throw new IllegalStateException("no bool");
    }

    double number(Frame frame) {
        throw new IllegalStateException("no number");
    }

    String string(Frame frame) {
        throw new IllegalStateException("no string");
    }

    List<?> list(Frame frame) {
        throw new IllegalStateException("no list");
    }

    Object object(Frame frame) {
        throw new IllegalStateException("no object");
    }

    /** The value of any scalar term. */
    Object value(Frame frame, RuleType type) {
        return switch (type) {
            case BOOL -> bool(frame);
            case NUMBER -> number(frame);
            case STRING -> string(frame);
            default -> list(frame);
        };
    }

    /** Gives bools. */
    interface BoolBody {
        boolean of(Frame frame);
    }

    /** Gives numbers. */
    interface NumberBody {
        double of(Frame frame);
    }

    /** Gives strings. */
    interface StringBody {
        String of(Frame frame);
    }

    static Code ofBool(BoolBody body) {
        return new Code() {
            @Override
            boolean bool(Frame frame) {
                return body.of(frame);
            }
        };
    }

    static Code ofNumber(NumberBody body) {
        return new Code() {
            @Override
            double number(Frame frame) {
                return body.of(frame);
            }
        };
    }

    static Code ofString(StringBody body) {
        return new Code() {
            @Override
            String string(Frame frame) {
                return body.of(frame);
            }
        };
    }
}
