package io.policyscheduler.cmd.live;

import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox.IterationRecorder;
import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A recording of the inputs of all decisions of a scheduler: the objects as they were read, the changes of each iteration of the scheduling
 * loop, and the clocks. The clocks of the scheduling thread are constant during an iteration, so one time per iteration is recorded.
 * {@link #NONE} records nothing, and allocates nothing.
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
     * Returns the clock for waiting: the time of the iteration for the scheduling thread, and the given clock for other threads.
     *
     * @param steady a monotonic clock
     */
    default Clock clock(Clock steady) {
        return steady;
    }

    /** Returns the wall clock, in the same way as {@link #clock}, and after it. */
    default Clock wallClock(Clock wall) {
        return wall;
    }

    /** Returns the meter of the CPU time of the scheduling thread, in nanoseconds. */
    default LongSupplier work(LongSupplier meter) {
        return meter;
    }

    /**
     * Returns the response to a call for which a scheduling attempt waits. A replay returns the recorded response without the call, and
     * an empty text if none was recorded.
     *
     * @param call identifies calls with the same responses in the same order within an iteration
     * @param real makes the call
     */
    default String response(String call, Supplier<String> real) {
        return real.get();
    }

    /**
     * Returns a decoder that keeps the JSON of each object until the object is recorded.
     *
     * @param whole returns whether the decoder also needs the fields that are not recorded
     */
    default Decoder<ClusterObject> decoder(Decoder<ClusterObject> decoder, BooleanSupplier whole) {
        return decoder;
    }
}
