package io.policyscheduler.engine.rules;

/** A number about the pod alone, worked out for the first node that asks for it. */
record NumberMemo(Code code, int index) implements Code.OfNumber {
    @Override
    public double number(Frame frame) {
        if (frame.memoStates[index] == Frame.UNKNOWN) {
            frame.memoNumbers[index] = code.number(frame);
            frame.memoStates[index] = Frame.KNOWN;
        }
        return frame.memoNumbers[index];
    }
}
