package io.policyscheduler.engine.rules.compiler;

import java.time.ZoneId;

/** Checks the names of time zones: what is unknown is refused, so that no evaluation fails for it. */
final class TimeZones {
    private static final String WAY_OUT = "use a name such as 'Europe/Berlin'";

    private TimeZones() {}

    static void require(Term zone, int at, Refusal refusal) throws RuleException {
        if (!(zone instanceof Term.Constant constant)) {
            throw refusal.at(RuleCode.ARGUMENTS, at, "the time zone must be a constant", WAY_OUT + ", or a parameter");
        }
        String name = String.valueOf(constant.value());
        if (!ZoneId.getAvailableZoneIds().contains(name)) {
            throw refusal.at(RuleCode.ARGUMENTS, at, "unknown time zone '" + Shown.text(name) + "'", WAY_OUT);
        }
    }
}
