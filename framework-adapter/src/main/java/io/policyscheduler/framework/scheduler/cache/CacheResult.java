package io.policyscheduler.framework.scheduler.cache;

/**
 * What became of a cache operation.
 *
 * @param status done, refused, or done after repairing a contradiction
 * @param message why, in the words of v1.17; empty when done
 */
public record CacheResult(Status status, String message) {
    /** The operation was carried out. */
    public static final CacheResult DONE = new CacheResult(Status.DONE, "");

    /** Kinds of results. */
    public enum Status {
        DONE,
        /** Nothing changed. */
        REFUSED,
        /** The cache contradicted the informer and now says what the informer says; v1.17 would have exited. */
        REPAIRED
    }

    static CacheResult refused(String message) {
        return new CacheResult(Status.REFUSED, message);
    }

    static CacheResult repaired(String message) {
        return new CacheResult(Status.REPAIRED, message);
    }

    /** False when nothing changed. */
    public boolean isApplied() {
        return status != Status.REFUSED;
    }
}
