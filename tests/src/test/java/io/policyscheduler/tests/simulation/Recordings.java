package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.history.RunRecorder;
import io.policyscheduler.cmd.history.RunReplay;
import io.policyscheduler.cmd.history.TraceFiles;
import io.policyscheduler.cmd.history.TraceWriter;
import io.policyscheduler.cmd.history.TraceWriter.Limits;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The recordings of the processes of one seed, and their replays. */
final class Recordings implements AutoCloseable {
    private final Path folder;
    private final Map<Path, RunRecorder> recorders = new LinkedHashMap<>();

    /** @param folder gets a folder for each process */
    Recordings(Path folder) {
        this.folder = folder;
    }

    /** Begins the recording of a process. */
    RunRecorder begin(int process, long seed) {
        Path recording = folder.resolve("process-" + process);
        try {
            TraceWriter trace = TraceWriter.open(
                    TraceFiles.of(recording),
                    Limits.NONE,
                    "process " + process,
                    JsonNodeFactory.instance.objectNode(),
                    Instant.EPOCH);
            RunRecorder recorder = new RunRecorder(
                    trace, Long.MAX_VALUE, JsonNodeFactory.instance.objectNode().put("seed", seed), Thread::new);
            recorders.put(recording, recorder);
            return recorder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replays all processes. */
    List<RunReplay.Result> replay(SeedRunner shared, Scenario scenario) throws IOException {
        List<RunReplay.Result> results = new ArrayList<>();
        for (Path recording : recorders.keySet()) {
            RunReplay.Schedulers schedulers = (start, policy) -> SchedulerProcess.settings(
                    shared,
                    scenario,
                    start.path("seed").asLong(),
                    policy.path("generation").asLong(),
                    SchedulerListener.NONE);
            results.add(new RunReplay(recording, schedulers, count -> {}).run());
        }
        return results;
    }

    @Override
    public void close() {
        recorders.values().forEach(RunRecorder::close);
    }
}
