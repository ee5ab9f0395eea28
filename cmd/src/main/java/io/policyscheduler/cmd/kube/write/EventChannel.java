package io.policyscheduler.cmd.kube.write;

import io.policyscheduler.cmd.kube.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events in one version of the API: what is written for what has happened. Only used by the thread that writes. */
interface EventChannel {
    /** What comes of something that happened. */
    Telling tell(EventOccurrence event);

    /**
     * What has to be written by now although nothing has happened.
     *
     * @param now by the steady clock
     */
    default List<Delivery> due(Instant now) {
        return List.of();
    }

    /** One write, which may be tried again. */
    @FunctionalInterface
    interface Delivery {
        /**
         * Writes.
         *
         * @param again whether an earlier try may have been carried out
         */
        ApiResponse send(boolean again) throws ApiIoException;
    }

    /**
     * What is to be done about an occurrence.
     *
     * @param delivery the write; null for none
     * @param dropped whether nobody will ever hear of it
     */
    record Telling(@Nullable Delivery delivery, boolean dropped) {
        /** It is counted, and written later. */
        static final Telling LATER = new Telling(null, false);

        static final Telling DROPPED = new Telling(null, true);

        static Telling of(Delivery delivery) {
            return new Telling(delivery, false);
        }
    }
}
