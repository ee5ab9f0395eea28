package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A term made executable: one object a term, that asks the objects of its parts. Each form is a functional interface, so
 * that asking a part is one call. Immutable. Fails with a RuleFailure.
 */
interface Code {
    default boolean bool(Frame frame) {
        throw new IllegalStateException("no bool");
    }

    default double number(Frame frame) {
        throw new IllegalStateException("no number");
    }

    default String string(Frame frame) {
        throw new IllegalStateException("no string");
    }

    /** A string that may be missing; every string is one. */
    default @Nullable String maybe(Frame frame) {
        return string(frame);
    }

    default List<?> list(Frame frame) {
        throw new IllegalStateException("no list");
    }

    default Object object(Frame frame) {
        throw new IllegalStateException("no object");
    }

    /** The value of a term of any type; null only for a MAYBE. */
    default @Nullable Object value(Frame frame, RuleType type) {
        return switch (type) {
            case BOOL -> bool(frame);
            case NUMBER, MAYBE_NUMBER, MAYBE_BOOL -> number(frame);
            case STRING -> string(frame);
            case MAYBE -> maybe(frame);
            default -> type.element() == null ? object(frame) : list(frame);
        };
    }

    /** Gives bools. */
    interface OfBool extends Code {
        @Override
        boolean bool(Frame frame);
    }

    /** Gives numbers. */
    interface OfNumber extends Code {
        @Override
        double number(Frame frame);
    }

    /** Gives strings. */
    interface OfString extends Code {
        @Override
        String string(Frame frame);
    }

    /** Gives strings that may be missing. */
    interface OfMaybe extends Code {
        @Override
        @Nullable
        String maybe(Frame frame);
    }

    /** Gives lists. */
    interface OfList extends Code {
        @Override
        List<?> list(Frame frame);
    }

    /** Gives views and elements. */
    interface OfObject extends Code {
        @Override
        Object object(Frame frame);
    }

    /** Names the type of a lambda. */
    static Code ofBool(OfBool code) {
        return code;
    }

    /** Names the type of a lambda. */
    static Code ofNumber(OfNumber code) {
        return code;
    }

    /** Names the type of a lambda. */
    static Code ofString(OfString code) {
        return code;
    }

    /** Names the type of a lambda. */
    static Code ofMaybe(OfMaybe code) {
        return code;
    }

    /** Names the type of a lambda. */
    static Code ofList(OfList code) {
        return code;
    }

    /** Names the type of a lambda. */
    static Code ofObject(OfObject code) {
        return code;
    }
}
