package io.policyscheduler.engine.rules.executor;

/** A number about the pod alone, worked out for the first node that asks for it. */
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
