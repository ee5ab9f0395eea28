package io.policyscheduler.cmd.kube.election;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the objects of a lock say together. Mirrors MultiLock of client-go, but takes note of what it leaves out: a second object
 * while the first one is missing, and the versions that were read, which are those that are replaced.
 *
 * @param objects at least one, in the order in which they are read and written
 */
record LockState(List<LockObject> objects) {
    /** Who leads while the objects name several; nobody is called so. */
    static final String UNKNOWN_HOLDER = "leaderelection.k8s.io/unknown";

    LockState {
        objects = List.copyOf(objects);
    }

    /** Empty when nobody holds it, {@link #UNKNOWN_HOLDER} when the objects do not agree. */
    String holder() {
        List<String> holders = objects.stream()
                .filter(LockObject::hasSay)
                .map(object -> object.record().holder())
                .distinct()
                .toList();
        return switch (holders.size()) {
            case 0 -> "";
            case 1 -> holders.get(0);
            default -> UNKNOWN_HOLDER;
        };
    }

    /** The longest duration that a holder wrote; {@code missing} for one that wrote none. */
    Duration duration(Duration missing) {
        return objects.stream()
                .filter(LockObject::hasSay)
                .map(object -> object.record().leaseSeconds())
                .map(seconds -> seconds > 0 ? Duration.ofSeconds(seconds) : missing)
                .max(Duration::compareTo)
                .orElse(missing);
    }

    /** True when nobody has written a record in between. */
    boolean isSameRecord(LockState other) {
        return objects.size() == other.objects.size()
                && IntStream.range(0, objects.size())
                        .allMatch(i -> objects.get(i).isSameRecord(other.objects.get(i)));
    }

    /** As renewed or taken over by a holder: one record for all objects, which goes on from the first one that is there. */
    LockState heldBy(String identity, Duration duration, Instant now) {
        LeaderRecord before = objects.stream()
                .filter(LockObject::hasRecord)
                .findFirst()
                .map(LockObject::record)
                .orElse(LeaderRecord.NONE);
        boolean renewed = holder().equals(identity) || objects.stream().noneMatch(LockObject::hasRecord);
        LeaderRecord record = renewed ? before.renewed(identity, duration, now) : before.taken(identity, duration, now);
        return new LockState(objects.stream().map(object -> object.with(record)).toList());
    }

    /** As given back by its holder. What is not there is not made. */
    LockState released(Instant now) {
        return new LockState(objects.stream()
                .filter(LockObject::isStored)
                .map(object -> object.with(object.record().released(now)))
                .toList());
    }
}
