package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.rules.Member.Call;

/** A number that a view is asked for. A class of its own so that a comparison asks the view without a call in between. */
record NumberAccess(Call.OfNumber call, int slot, String a, String b, String c) implements Code.OfNumber {
    @Override
    public double number(Frame frame) {
        return call.on(slot == Term.Variable.NODE ? frame.nodeView() : frame.object(slot), a, b, c);
    }
}
