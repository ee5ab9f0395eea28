package io.policyscheduler.engine.rules;

/** A number about the pod alone, worked out for the first node that asks for it. */
record NumberMemo(Code code, int index) implements Code.OfNumber {
    @Override
    public double number(Frame frame) {
        double known = frame.memoNumbers[index];
        return !Double.isNaN(known) && frame.meter.affords(frame.memoCharges[index]) ? known : remember(frame);
    }

    private double remember(Frame frame) {
        long before = frame.meter.used();
        double value = code.number(frame);
        if (!frame.meter.isOverdrawn()) {
            frame.memoCharges[index] = frame.meter.used() - before;
            frame.memoNumbers[index] = value;
        }
        return value;
    }
}
