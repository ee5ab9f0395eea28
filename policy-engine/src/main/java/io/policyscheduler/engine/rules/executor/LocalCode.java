package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Code for locals and for what stands in slots. */
final class LocalCode {
    private LocalCode() {}

    /** Code that reads a slot. */
    static Code of(Term.Variable variable) {
        int slot = variable.slot();
        return switch (variable.type()) {
            case BOOL -> Code.ofBool(frame -> (Boolean) frame.object(slot));
            case NUMBER, MAYBE_NUMBER, MAYBE_BOOL -> Code.ofNumber(frame -> (Double) frame.object(slot));
            case STRING -> Code.ofString(frame -> (String) frame.object(slot));
            case MAYBE -> Code.ofMaybe(frame -> (String) frame.objects[slot]);
            default ->
                variable.type().element() == null
                        ? Code.ofObject(frame -> frame.object(slot))
                        : Code.ofList(frame -> (List<?>) frame.object(slot));
        };
    }

    /** Code that fills a slot and goes on. */
    static Code of(Term.Let let, CodeBuilder builder) {
        Code value = builder.build(let.value());
        Code body = builder.build(let.body());
        int slot = let.local().slot();
        RuleType type = let.local().type();
        return switch (let.type()) {
            case BOOL ->
                Code.ofBool(frame -> {
                    set(frame, slot, value, type);
                    return body.bool(frame);
                });
            case NUMBER ->
                Code.ofNumber(frame -> {
                    set(frame, slot, value, type);
                    return body.number(frame);
                });
            default ->
                Code.ofString(frame -> {
                    set(frame, slot, value, type);
                    return body.string(frame);
                });
        };
    }

    private static void set(Frame frame, int slot, Code code, RuleType type) {
        @Nullable Object value = code.value(frame, type);
        frame.objects[slot] = value;
    }
}
