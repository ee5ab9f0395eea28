package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.rules.compiler.Member.Call;
import io.policyscheduler.engine.rules.compiler.Term;

/**
 * A number that a view is asked for. A class of its own, with the node's view at hand: as a lambda that looks into the slots it
 * makes a comparison cost a third more.
 */
record NumberAccess(Call.OfNumber call, int slot, String a, String b, String c) implements Code.OfNumber {
    @Override
    public double number(Frame frame) {
        return call.on(slot == Term.Variable.NODE ? frame.nodeView() : frame.object(slot), a, b, c);
    }
}
