package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.data.RuleType;

/**
 * Answers about the pod alone that were charged for when they were worked out. Each node is charged the same again, so that the
 * first one is no worse off; one that cannot afford it works the answer out anew and fails, or not, where it would have anyway.
 */
final class MeteredMemo {
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

    /** An answer that came about because a part was too much is not kept: another node may afford it. */
    private static boolean keeps(Frame frame, int index, long before) {
        boolean keeps = !frame.meter.isOverdrawn();
        if (keeps) {
            frame.memoCharges[index] = frame.meter.used() - before;
        }
        return keeps;
    }
}
