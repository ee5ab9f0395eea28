package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.Cost;
import io.policyscheduler.engine.rules.compiler.Cost.Sizes;
import io.policyscheduler.engine.rules.compiler.Member.Call;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.compiler.Term.MaybeTerm;
import io.policyscheduler.engine.rules.compiler.Term.TableTerm;
import io.policyscheduler.engine.rules.compiler.Term.TextTerm;
import io.policyscheduler.engine.rules.compiler.TermReads;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.PodView.Elements;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.ValueOperations.Arithmetics;
import io.policyscheduler.engine.rules.executor.Code.Frame;
import io.policyscheduler.engine.rules.executor.OperatorCode.MaybeCode;
import io.policyscheduler.engine.rules.executor.OperatorCode.TableCode;
import io.policyscheduler.engine.rules.executor.OperatorCode.TextCode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The builder of code for terms; it caches values that depend only on the pod. */
final class CodeBuilder {
    private final boolean memoize;
    private int memos;

    CodeBuilder(boolean memoize) {
        this.memoize = memoize;
    }

    /** Code that stores nothing in its frame but the elements of list operations. */
    static Code standalone(Term term) {
        return new CodeBuilder(false).build(term);
    }

    /** The number of cached values of a frame. */
    int memos() {
        return memos;
    }

    /** The number of slots of a frame for a term. */
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
        // Operands of cached terms need no slot.
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

    /** Code for members of views. */
    static final class AccessCode {
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
                // Saves one call in the usual case.
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
            return Code.ofList(
                    frame -> list.on(receiver.object(frame), a.string(frame), b.string(frame), c.string(frame)));
        }
    }

    /** Code for list operations. */
    static final class FoldCode {
        private final Code list;
        private final Code body;
        private final int slot;
        private final boolean pods;
        private final RuleType bodyType;
        private final long charge;

        private FoldCode(Term.Fold fold, CodeBuilder builder) {
            list = builder.build(fold.list());
            body = builder.build(fold.body());
            slot = fold.element().slot();
            pods = fold.element().type() == RuleType.POD;
            bodyType = fold.body().type();
            charge = Cost.ofElement(fold);
        }

        static Code of(Term.Fold fold, CodeBuilder builder) {
            FoldCode code = new FoldCode(fold, builder);
            return switch (fold.operation()) {
                case ANY -> Code.ofBool(frame -> code.first(frame, true));
                case ALL -> Code.ofBool(frame -> !code.first(frame, false));
                case COUNT -> Code.ofNumber(code::count);
                case SUM -> Code.ofNumber(code::sum);
                case MAX -> Code.ofNumber(code::max);
                case FILTER -> Code.ofList(code::filter);
                case MAP -> Code.ofList(code::map);
            };
        }

        private void move(Frame frame, Object element) {
            frame.meter.charge(charge);
            frame.objects[slot] = pods ? frame.podView(slot, (PodInfo) element) : Elements.view(element);
        }

        /** True if some element has this result. */
        private boolean first(Frame frame, boolean expected) {
            List<?> elements = list.list(frame);
            for (int i = 0; i < elements.size(); i++) {
                move(frame, elements.get(i));
                if (body.bool(frame) == expected) {
                    return true;
                }
            }
            return false;
        }

        private List<?> filter(Frame frame) {
            List<?> elements = list.list(frame);
            List<Object> chosen = new ArrayList<>();
            for (int i = 0; i < elements.size(); i++) {
                move(frame, elements.get(i));
                if (body.bool(frame)) {
                    chosen.add(elements.get(i));
                }
            }
            return chosen;
        }

        private List<?> map(Frame frame) {
            List<?> elements = list.list(frame);
            List<@Nullable Object> values = new ArrayList<>(elements.size());
            for (int i = 0; i < elements.size(); i++) {
                move(frame, elements.get(i));
                values.add(body.value(frame, bodyType));
            }
            return values;
        }

        private double count(Frame frame) {
            List<?> elements = list.list(frame);
            int count = 0;
            for (int i = 0; i < elements.size(); i++) {
                move(frame, elements.get(i));
                count += body.bool(frame) ? 1 : 0;
            }
            return count;
        }

        private double sum(Frame frame) {
            List<?> elements = list.list(frame);
            double sum = 0;
            for (int i = 0; i < elements.size(); i++) {
                move(frame, elements.get(i));
                sum = Arithmetics.finite(sum + body.number(frame));
            }
            return sum;
        }

        /** The largest value, 0 for an empty list. */
        private double max(Frame frame) {
            List<?> elements = list.list(frame);
            double max = 0;
            for (int i = 0; i < elements.size(); i++) {
                move(frame, elements.get(i));
                double value = body.number(frame);
                max = i == 0 || value > max ? value : max;
            }
            return max;
        }
    }

    /** Code for locals and other slots. */
    static final class LocalCode {
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

        /** Code that fills a slot and evaluates the body. */
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

    /**
     * A cache of values that depend only on the pod; reading one repeats its charge. Each node is charged the same, so that the
     * first one is not at a disadvantage; one that exceeds its budget computes the value again and fails, or not, as without the
     * cache.
     */
    static final class MeteredMemo {
        private MeteredMemo() {}

        static Code of(RuleType type, Code code, int index) {
            return switch (type) {
                case BOOL -> Code.ofBool(frame -> bool(frame, code, index));
                case NUMBER -> Code.ofNumber(frame -> number(frame, code, index));
                default -> Code.ofString(frame -> string(frame, code, index));
            };
        }

        private static boolean bool(Frame frame, Code code, int index) {
            byte state = frame.memoStates[index];
            if (state == Frame.UNKNOWN || !frame.meter.affords(frame.memoCharges[index])) {
                long before = frame.meter.used();
                state = code.bool(frame) ? Frame.KNOWN_TRUE : Frame.KNOWN;
                if (keeps(frame, index, before)) {
                    frame.memoStates[index] = state;
                }
            }
            return state == Frame.KNOWN_TRUE;
        }

        private static double number(Frame frame, Code code, int index) {
            double known = frame.memoNumbers[index];
            if (Double.isNaN(known) || !frame.meter.affords(frame.memoCharges[index])) {
                long before = frame.meter.used();
                known = code.number(frame);
                if (keeps(frame, index, before)) {
                    frame.memoNumbers[index] = known;
                }
            }
            return known;
        }

        private static String string(Frame frame, Code code, int index) {
            String known = frame.memoStrings[index];
            if (known == null || !frame.meter.affords(frame.memoCharges[index])) {
                long before = frame.meter.used();
                known = code.string(frame);
                if (keeps(frame, index, before)) {
                    frame.memoStrings[index] = known;
                }
            }
            return known;
        }

        /** A value is not cached if an operand exceeded the budget, because another node may afford it. */
        private static boolean keeps(Frame frame, int index, long before) {
            boolean keeps = !frame.meter.isOverdrawn();
            if (keeps) {
                frame.memoCharges[index] = frame.meter.used() - before;
            }
            return keeps;
        }
    }

    /** A number that depends only on the pod, computed for the first node. */
    record NumberMemo(Code code, int index) implements Code.OfNumber {
        @Override
        public double number(Frame frame) {
            double known = frame.memoNumbers[index];
            return Double.isNaN(known) ? remember(frame) : known;
        }

        private double remember(Frame frame) {
            double value = code.number(frame);
            frame.memoNumbers[index] = value;
            return value;
        }
    }

    /**
     * A numeric member of a view. A separate class with direct access to the node's view: a lambda that reads the slots makes a
     * comparison a third more expensive.
     */
    record NumberAccess(Call.OfNumber call, int slot, String a, String b, String c) implements Code.OfNumber {
        @Override
        public double number(Frame frame) {
            return call.on(slot == Term.Variable.NODE ? frame.nodeView() : frame.object(slot), a, b, c);
        }
    }
}
