package io.policyscheduler.cmd.kube.election;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * Who leads, as an object of a lock tells. Mirrors LeaderElectionRecord of client-go and the spec of a Lease. Nothing is decided by
 * its times, which other clocks have told.
 *
 * @param holder empty when nobody leads
 * @param leaseSeconds how long others respect the record; not positive when it does not say so
 * @param acquireTime since when the holder leads; null when missing or unreadable
 * @param renewTime when it was written; null when missing or unreadable
 * @param transitions how often the holder has changed; no more than the field, an int32, can hold
 */
record LeaderRecord(
        String holder,
        long leaseSeconds,
        @Nullable Instant acquireTime,
        @Nullable Instant renewTime,
        long transitions) {
    static final LeaderRecord NONE = new LeaderRecord("", 0, null, null, 0);

    /** Any field may be missing. */
    static LeaderRecord read(LockKind kind, JsonNode json) {
        return new LeaderRecord(
                json.path("holderIdentity").asText(""),
                json.path("leaseDurationSeconds").asLong(0),
                time(json.path("acquireTime")),
                time(json.path("renewTime")),
                json.path(kind.transitionsField()).asLong(0));
    }

    private static @Nullable Instant time(JsonNode text) {
        try {
            return Instant.parse(text.asText(""));
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** Overwrites its fields; others stay as they are. */
    void write(LockKind kind, ObjectNode json) {
        json.put("holderIdentity", holder);
        json.put("leaseDurationSeconds", leaseSeconds);
        putTime(kind, json, "acquireTime", acquireTime);
        putTime(kind, json, "renewTime", renewTime);
        json.put(kind.transitionsField(), transitions);
    }

    private static void putTime(LockKind kind, ObjectNode json, String field, @Nullable Instant time) {
        if (time == null) {
            json.remove(field);
        } else {
            json.put(field, kind.times().format(time));
        }
    }

    /** As renewed by its holder. Whole seconds, at least one, because the API has no others. */
    LeaderRecord renewed(String identity, Duration duration, Instant now) {
        return new LeaderRecord(identity, seconds(duration), acquireTime == null ? now : acquireTime, now, transitions);
    }

    /** As taken over from its holder, or from nobody. */
    LeaderRecord taken(String identity, Duration duration, Instant now) {
        return new LeaderRecord(identity, seconds(duration), now, now, Math.min(Integer.MAX_VALUE, transitions + 1));
    }

    /** As given back: without a holder, and over in a second for those who look at the duration only. */
    LeaderRecord released(Instant now) {
        return new LeaderRecord("", 1, now, now, transitions);
    }

    private static long seconds(Duration duration) {
        return Math.max(1, duration.plusMillis(999).toSeconds());
    }
}
