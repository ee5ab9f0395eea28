package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Member.Call;
import io.policyscheduler.engine.rules.compiler.Sizes;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.data.Meter;
import java.util.List;

/** Code for members of views. */
final class AccessCode {
    private static final String NONE = "";

    private AccessCode() {}

    static Code of(Term.Access access, CodeBuilder builder) {
        return Sizes.varies(access) ? walking(asking(access, builder)) : asking(access, builder);
    }

    private static Code walking(Code asking) {
        return Code.ofNumber(frame -> {
            Meter before = frame.counts().walk(frame.meter);
            try {
                return asking.number(frame);
            } finally {
                frame.counts().walk(before);
            }
        });
    }

    private static Code asking(Term.Access access, CodeBuilder builder) {
        Code receiver = builder.build(access.receiver());
        List<Term> arguments = access.arguments();
        for (Term argument : arguments) {
            if (!(argument instanceof Constant)) {
                return computed(access, receiver, builder);
            }
        }
        String a = constant(arguments, 0);
        String b = constant(arguments, 1);
        String c = constant(arguments, 2);
        Call call = access.member().call();
        if (access.receiver() instanceof Term.Variable variable) {
            // The usual case is worth one call less.
            int slot = variable.slot();
            if (call instanceof Call.OfBool bool) {
                return Code.ofBool(frame -> bool.on(frame.object(slot), a, b, c));
            }
            if (call instanceof Call.OfNumber number) {
                return new NumberAccess(number, slot, a, b, c);
            }
            if (call instanceof Call.OfString string) {
                return Code.ofString(frame -> string.on(frame.object(slot), a, b, c));
            }
        }
        return code(call, receiver, frame -> a, frame -> b, frame -> c);
    }

    private static String constant(List<Term> arguments, int index) {
        return index < arguments.size() && arguments.get(index) instanceof Constant constant
                ? String.valueOf(constant.value())
                : NONE;
    }

    private static Code computed(Term.Access access, Code receiver, CodeBuilder builder) {
        List<Code> codes = access.arguments().stream().map(builder::build).toList();
        return code(access.member().call(), receiver, argument(codes, 0), argument(codes, 1), argument(codes, 2));
    }

    private static Code.OfString argument(List<Code> codes, int index) {
        if (index >= codes.size()) {
            return frame -> NONE;
        }
        return codes.get(index)::string;
    }

    private static Code code(Call call, Code receiver, Code.OfString a, Code.OfString b, Code.OfString c) {
        if (call instanceof Call.OfBool bool) {
            return Code.ofBool(
                    frame -> bool.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
        }
        if (call instanceof Call.OfNumber number) {
            return Code.ofNumber(
                    frame -> number.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
        }
        if (call instanceof Call.OfString string) {
            return Code.ofString(
                    frame -> string.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
        }
        if (call instanceof Call.OfMaybe maybe) {
            return Code.ofMaybe(
                    frame -> maybe.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
        }
        if (call instanceof Call.OfMap map) {
            return Code.ofObject(
                    frame -> map.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
        }
        Call.OfList list = (Call.OfList) call;
        return Code.ofList(frame -> list.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
    }
}
