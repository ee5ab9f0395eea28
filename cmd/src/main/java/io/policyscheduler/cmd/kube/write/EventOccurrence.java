package io.policyscheduler.cmd.kube.write;

import java.time.Instant;

/**
 * Something that happened to a pod and is to be told.
 *
 * @param time for users
 * @param at by the steady clock
 */
record EventOccurrence(PodReference pod, EventText text, Instant time, Instant at) {
    EventOccurrence withText(EventText other) {
        return new EventOccurrence(pod, other, time, at);
    }
}
