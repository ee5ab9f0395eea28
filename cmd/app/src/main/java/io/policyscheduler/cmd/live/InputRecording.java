package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox.IterationRecorder;
import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A recording of everything that the decisions of a scheduler depend on: the objects as they were read, the changes of each iteration of
 * the scheduling loop, and the clocks. The clocks of the scheduling thread stand still during an iteration, so that one time for each
 * iteration is enough. {@link #NONE} changes nothing and costs nothing.
 */
public interface InputRecording extends IterationRecorder {
    /** Records nothing. */
    InputRecording NONE = new InputRecording() {
        @Override
        public void begin(List<ClusterChange> changes) {
            // Nothing is recorded.
        }
    };

    /** Whether anything is recorded, so that objects have to be read in JSON. */
    default boolean isOn() {
        return false;
    }

    /**
     * Returns the clock for waiting: that of the iteration for the scheduling thread, and the given one for other threads.
     *
     * @param steady does not jump
     */
    default Clock clock(Clock steady) {
        return steady;
    }

    /** Returns the clock of times that users see, likewise. Called after {@link #clock}. */
    default Clock wallClock(Clock wall) {
        return wall;
    }

    /** Returns the meter of the work of the scheduling thread, in nanoseconds. */
    default LongSupplier work(LongSupplier meter) {
        return meter;
    }

    /**
     * Returns a decoder that keeps the JSON of the objects that it reads, until they are recorded.
     *
     * @param whole whether the decoder needs fields that no decision depends on, and which are not recorded
     */
    default Decoder<ClusterObject> decoder(Decoder<ClusterObject> decoder, BooleanSupplier whole) {
        return decoder;
    }
}
