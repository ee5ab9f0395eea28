package io.policyscheduler.engine.rules.compiler;

import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.NowView;

/** Members of the moment of the attempt. */
final class TimeMembers {
    /** Of another zone it is converted. */
    private static final int CONVERTED = 3;

    private TimeMembers() {}

    static MemberTable of() {
        MemberTable t = new MemberTable(RuleType.NOW);
        t.number("hour", "hours", Reads.TIME, 1, "0 to 23, UTC", "now.hour < 6", (r, a, b, c) -> n(r).hour());
        t.number(
                "hour(zone)",
                "hours",
                Reads.TIME,
                CONVERTED,
                "0 to 23 in a time zone; the zone is a constant",
                "now.hour('Europe/Berlin') >= 22",
                (r, a, b, c) -> n(r).hour(a));
        t.number("minute", "minutes", Reads.TIME, 1, "0 to 59, UTC", "now.minute < 30", (r, a, b, c) -> n(r).minute());
        t.number(
                "minute(zone)",
                "minutes",
                Reads.TIME,
                CONVERTED,
                "the same in a time zone",
                "now.minute('Asia/Kolkata') < 30",
                (r, a, b, c) -> n(r).minute(a));
        t.number(
                "weekday",
                "",
                Reads.TIME,
                1,
                "1 for Monday to 7 for Sunday, UTC",
                "now.weekday >= 6",
                (r, a, b, c) -> n(r).weekday());
        t.number(
                "weekday(zone)",
                "",
                Reads.TIME,
                CONVERTED,
                "the same in a time zone",
                "now.weekday('America/New_York') < 6",
                (r, a, b, c) -> n(r).weekday(a));
        return t;
    }

    private static NowView n(Object receiver) {
        return (NowView) receiver;
    }
}
