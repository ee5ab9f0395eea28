package io.policyscheduler.framework.scheduler.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.framework.scheduler.api.ProfileRuntime.VolumeAssumer;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Volumes of a pod between Reserve and Bind. */
class SchedulerVolumesTest extends SchedulerFixture {
    private final class FakeVolumes implements VolumeAssumer.Assumed {
        private final String error;
        private boolean undone;
        private @Nullable Consumer<String> done;

        FakeVolumes(String error) {
            this.error = error;
        }

        @Override
        public String error() {
            return error;
        }

        @Override
        public void bind(Consumer<String> whenDone) {
            done = whenDone;
        }

        @Override
        public void undo() {
            undone = true;
        }

        void finish(String result) {
            assertNotNull(done);
            done.accept(result);
            run();
        }
    }

    private FakeVolumes withVolumes(String error) {
        FakeVolumes fake = new FakeVolumes(error);
        volumes = (pod, node) -> fake;
        scheduler = newScheduler();
        sync();
        show(a);
        return fake;
    }

    @Test
    void volumesAreBoundBeforeThePod() {
        FakeVolumes fake = withVolumes("");
        assertEquals(List.of(), writer.takeCalls());
        fake.finish("");
        assertEquals(List.of("bind ua n1"), writer.takeCalls());
        assertFalse(fake.undone);
    }

    @Test
    void failedVolumesFailThePod() {
        FakeVolumes fake = withVolumes("");
        fake.finish("timed out");
        assertEquals(
                List.of(
                        "read ua",
                        "Warning FailedScheduling: timed out",
                        "condition ua VolumeBindingFailed: timed out"),
                writer.takeCalls());
        assertTrue(fake.undone);
        assertEquals(0, scheduler.cache().podCount());
    }

    @Test
    void whoStopsSchedulingDoesNotWaitForVolumes() {
        FakeVolumes fake = withVolumes("");
        scheduler.setEnabled(false);
        assertEquals(
                List.of(
                        "read ua",
                        "Warning FailedScheduling: binding volumes: scheduling stops",
                        "condition ua VolumeBindingFailed: binding volumes: scheduling stops"),
                writer.takeCalls());
        assertTrue(fake.undone);
        assertEquals(0, scheduler.counts().binding());
        assertEquals(0, scheduler.cache().podCount());
        fake.finish("");
        assertEquals(List.of(), writer.takeCalls());
    }

    @Test
    void volumesThatCannotBeAssumedFailThePod() {
        withVolumes("no volume");
        assertEquals(
                List.of(
                        "read ua",
                        "Warning FailedScheduling: AssumePodVolumes failed: no volume",
                        "condition ua SchedulerError: no volume"),
                writer.takeCalls());
    }
}
