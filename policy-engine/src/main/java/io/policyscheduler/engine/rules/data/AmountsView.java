package io.policyscheduler.engine.rules.data;

import java.util.function.ToDoubleFunction;

/** What a rule may ask about resources. Public only because MVEL calls it. */
public final class AmountsView {
    private final ToDoubleFunction<String> amounts;

    AmountsView(ToDoubleFunction<String> amounts) {
        this.amounts = amounts;
    }

    public double get(String resource) {
        return amounts.applyAsDouble(resource);
    }
}
