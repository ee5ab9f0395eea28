package io.policyscheduler.engine.rules.view;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/** What a rule may ask about the moment of the attempt. Public only because MVEL calls it. */
public final class NowView {
    private final ZonedDateTime utc;
    private String zone = "UTC";
    private ZonedDateTime local;

    public NowView(Instant now) {
        utc = now.atZone(ZoneOffset.UTC);
        local = utc;
    }

    public double hour() {
        return utc.getHour();
    }

    public double hour(String timeZone) {
        return in(timeZone).getHour();
    }

    public double minute() {
        return utc.getMinute();
    }

    public double minute(String timeZone) {
        return in(timeZone).getMinute();
    }

    public double weekday() {
        return utc.getDayOfWeek().getValue();
    }

    public double weekday(String timeZone) {
        return in(timeZone).getDayOfWeek().getValue();
    }

    /** A rule mostly asks for one zone, over and over. */
    private ZonedDateTime in(String timeZone) {
        if (!zone.equals(timeZone)) {
            local = utc.withZoneSameInstant(ZoneId.of(timeZone));
            zone = timeZone;
        }
        return local;
    }
}
