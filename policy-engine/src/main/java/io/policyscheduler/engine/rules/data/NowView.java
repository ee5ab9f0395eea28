package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.ClusterView;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;

/** A view of the time of the attempt for rules. Public only because MVEL calls it. */
public final class NowView {
    private final ClusterView cluster;
    /** Read lazily: the result of a rule that does not read it must not depend on the time. */
    private @Nullable ZonedDateTime utc;

    private String zone = "";
    private @Nullable ZonedDateTime local;

    public NowView(ClusterView cluster) {
        this.cluster = cluster;
    }

    private ZonedDateTime utc() {
        ZonedDateTime known = utc;
        if (known == null) {
            known = cluster.now().atZone(ZoneOffset.UTC);
            utc = known;
        }
        return known;
    }

    public double hour() {
        return utc().getHour();
    }

    public double hour(String timeZone) {
        return in(timeZone).getHour();
    }

    public double minute() {
        return utc().getMinute();
    }

    public double minute(String timeZone) {
        return in(timeZone).getMinute();
    }

    public double weekday() {
        return utc().getDayOfWeek().getValue();
    }

    public double weekday(String timeZone) {
        return in(timeZone).getDayOfWeek().getValue();
    }

    /** Caches one time zone, because a rule mostly uses only one. */
    private ZonedDateTime in(String timeZone) {
        ZonedDateTime known = local;
        if (known == null || !zone.equals(timeZone)) {
            known = utc().withZoneSameInstant(ZoneId.of(timeZone));
            local = known;
            zone = timeZone;
        }
        return known;
    }
}
