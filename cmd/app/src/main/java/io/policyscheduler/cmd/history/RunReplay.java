package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.extender.client.ExtenderClients;
import io.policyscheduler.cmd.extender.client.RawObjects.KubeRawObjects;
import io.policyscheduler.cmd.history.RunRecorder.DecisionEntry;
import io.policyscheduler.cmd.history.TraceFiles.TraceFile;
import io.policyscheduler.cmd.history.TraceReader.Line;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventRecorder;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventApi;
import io.policyscheduler.cmd.live.InputRecording;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerAssembly;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.Profiles;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The replay of a recording of {@code run --record}: the same scheduler, iteration by iteration, on the recorded clocks and with the
 * recorded changes. It sends no request. The changes include the responses of the API server, and the changes that the scheduler posted to
 * itself. Each decision is compared with the recorded one: pod, node, score, message, and victims.
 */
public final class RunReplay {
    private static final List<String> HEADS =
            List.of("{\"line\":\"" + RunRecorder.START + "\"", "{\"line\":\"" + RunRecorder.POLICY + "\"");
    private static final Executor DISCARDING = task -> {};
    /** The maximum number of differences that are reported in full. */
    private static final int SHOWN = 20;

    private final TraceFiles files;
    private final Schedulers schedulers;
    private final LongConsumer progress;
    private final Map<String, ObjectNode> starts = new LinkedHashMap<>();
    private final Map<String, Map<Long, ObjectNode>> policies = new HashMap<>();
    private final List<Difference> differences = new ArrayList<>();
    private final Set<String> notes = new TreeSet<>();
    private long decisions;
    private long different;
    private int parts;
    private @Nullable Part part;

    /** Creates schedulers from the lines of a recording. */
    public interface Schedulers {
        /**
         * Returns the settings that a scheduler had at its start.
         *
         * @param start the fields of the line {@code start}
         * @param policy the sources of the profiles
         * @throws io.policyscheduler.cmd.options.InputException if the sources cannot be used
         */
        SchedulerSettings create(ObjectNode start, ObjectNode policy) throws IOException;
    }

    /**
     * A decision that differs.
     *
     * @param time of the recorded iteration
     * @param iteration its number in the process, from 1
     * @param recorded the fields of the recorded decision; empty if the iteration made none
     * @param replayed the fields of the decision of the replay; empty if the iteration made none
     */
    public record Difference(Instant time, long iteration, String recorded, String replayed) {}

    /**
     * The result of a replay.
     *
     * @param parts number of recorded processes
     * @param decisions number of recorded decisions
     * @param different number of iterations with another decision
     * @param differences the first of these iterations
     * @param notes the inputs that are not in the recording, one line each
     */
    public record Result(int parts, long decisions, long different, List<Difference> differences, List<String> notes) {
        public Result {
            differences = List.copyOf(differences);
            notes = List.copyOf(notes);
        }
    }

    /** @param progress receives the number of decisions so far */
    public RunReplay(Path folder, Schedulers schedulers, LongConsumer progress) {
        this.files = TraceFiles.of(folder);
        this.schedulers = schedulers;
        this.progress = progress;
    }

    /**
     * Replays all parts.
     *
     * @throws IOException if a file cannot be read, nothing was recorded, or iterations are missing
     */
    public Result run() throws IOException {
        for (TraceFile file : files.list()) {
            TraceReader.read(file, text -> HEADS.stream().anyMatch(text::startsWith), this::head);
        }
        if (starts.isEmpty()) {
            throw new IOException(files.folder() + ": there is no recording of a scheduler; run --record writes it");
        }
        for (TraceFile file : files.list()) {
            TraceReader.read(file, text -> true, this::accept);
        }
        finish();
        return new Result(parts, decisions, different, differences, List.copyOf(notes));
    }

    private void head(Line line) {
        ObjectNode fields = (ObjectNode) line.fields();
        if (line.kind().equals(RunRecorder.START)) {
            starts.put(line.writer(), fields);
        } else {
            policies.computeIfAbsent(line.writer(), writer -> new HashMap<>())
                    .put(fields.path("generation").asLong(), fields);
        }
    }

    private void accept(Line line) throws IOException {
        Part current = part;
        switch (line.kind()) {
            case RunRecorder.START -> {
                finish();
                part = new Part(line);
                parts++;
            }
            case RunRecorder.ITERATION -> {
                if (current == null || !current.writer.equals(line.writer())) {
                    throw new IOException(
                            files.folder() + ": the beginning of the part of " + line.writer() + " is missing");
                }
                current.run();
                current.begin(line);
            }
            case ChangeLines.ITEM, ChangeLines.CHANGE, RunRecorder.RESPONSE, RunRecorder.DECISION -> {
                if (current != null && current.writer.equals(line.writer())) {
                    current.add(line);
                }
            }
            default -> {
                // Lines of other writers, or of later versions.
            }
        }
    }

    private void finish() throws IOException {
        Part last = part;
        if (last != null) {
            last.run();
            last.close();
        }
        part = null;
    }

    private void compare(Instant time, long iteration, @Nullable JsonNode recorded, @Nullable DecisionEntry replayed) {
        String before = recorded == null ? "" : text((ObjectNode) recorded);
        String now = replayed == null ? "" : replayed.fields().toString();
        if (recorded != null) {
            decisions++;
            progress.accept(decisions);
        }
        if (!before.equals(now)) {
            different++;
            if (differences.size() < SHOWN) {
                differences.add(new Difference(time, iteration, before, now));
            }
        }
    }

    private static String text(ObjectNode line) {
        return line.deepCopy().without(List.of("line", "t", "work")).toString();
    }

    /** One recorded process. */
    private final class Part implements SchedulerListener, InputRecording {
        private final String writer;
        private final ObjectNode start;
        private final SettableClock steady = new SettableClock();
        private final SettableClock wall = new SettableClock();
        private final KubeConnection connection = KubeConnection.ofAnswers(Map.of());
        private final KubeRawObjects rawObjects;
        private final SchedulerAssembly assembly;
        private final Scheduler scheduler;
        private final ChangeLines.Reader reader;
        private final Map<String, PodInfo> nominated = new HashMap<>();
        private Duration ahead;
        private long work;
        private boolean worked;
        private @Nullable DecisionEntry replayed;
        private long cycle;

        // The iteration that is being read.
        private @Nullable Line iteration;
        private long last;
        private final List<JsonNode> changes = new ArrayList<>();
        private final List<List<JsonNode>> items = new ArrayList<>();
        private List<JsonNode> pending = new ArrayList<>();
        private final Map<String, Queue<String>> responses = new HashMap<>();
        private int responseCount;
        private @Nullable JsonNode decision;
        private final Map<Long, List<ProfileSettings>> profiles = new HashMap<>();

        Part(Line line) throws IOException {
            writer = line.writer();
            start = (ObjectNode) line.fields();
            ahead = Duration.ofNanos(start.path("ahead").asLong());
            set(line.time());
            SchedulerSettings settings = schedulers.create(start, policy(1)).withListener(this);
            profiles.put(1L, settings.profiles());
            rawObjects = new KubeRawObjects(connection, new SplittableRandom(0), steady);
            assembly = new SchedulerAssembly(
                    settings,
                    new SchedulerAssembly.Server(
                            connection,
                            "policy/v1",
                            "resource.k8s.io/v1",
                            new EventRecorder(
                                    connection, EventApi.EVENTS, settings.name(), "replay", wall, steady, DISCARDING),
                            rawObjects,
                            ExtenderClients::client,
                            () -> false),
                    new SchedulerAssembly.Calls(
                            DISCARDING,
                            DISCARDING,
                            DISCARDING,
                            DISCARDING,
                            DISCARDING,
                            Runnable::run,
                            DISCARDING,
                            (task, delay) -> {},
                            Duration.ZERO),
                    new EventInbox(),
                    steady,
                    wall,
                    this::work,
                    this);
            scheduler = assembly.scheduler();
            reader = new ChangeLines.Reader(settings.readingGates(), this::profiles, this::tables, nominated::get);
        }

        private ObjectNode policy(long generation) throws IOException {
            ObjectNode found = policies.getOrDefault(writer, Map.of()).get(generation);
            if (found == null) {
                throw new IOException(
                        files.folder() + ": the policy of generation " + generation + " of " + writer + " is missing");
            }
            return found;
        }

        private Profiles profiles(long generation) {
            return assembly.profiles(generation, settings(generation));
        }

        private List<RuleTables> tables(long generation) {
            return settings(generation).stream()
                    .map(profile -> profile.source().tables())
                    .toList();
        }

        private List<ProfileSettings> settings(long generation) {
            return profiles.computeIfAbsent(generation, any -> {
                try {
                    return schedulers.create(start, policy(generation)).profiles();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        @Override
        public boolean isOn() {
            return true;
        }

        @Override
        public void begin(List<ClusterChange> applied) {
            // The replay records nothing.
        }

        @Override
        public String response(String call, Supplier<String> real) {
            synchronized (responses) {
                String text = responses.getOrDefault(call, new ArrayDeque<>()).poll();
                return text == null ? "" : text;
            }
        }

        private void set(Instant time) {
            steady.now = time;
            wall.now = time.plus(ahead);
        }

        /** Meters CPU time: two calls differ by the CPU time of the recorded decision. */
        private long work() {
            worked = !worked;
            return worked ? 0 : work;
        }

        void begin(Line line) throws IOException {
            long number = line.fields().path("i").asLong();
            if (number != last + 1) {
                throw new IOException(files.folder() + ": the iterations " + (last + 1) + " to " + (number - 1) + " of "
                        + writer + " are missing");
            }
            last = number;
            iteration = line;
        }

        void add(Line line) {
            switch (line.kind()) {
                case ChangeLines.ITEM -> pending.add(line.fields().path(ChangeLines.OBJECT));
                case ChangeLines.CHANGE -> {
                    if (line.fields().path("change").asText().equals("unrecorded")) {
                        notes.add("not recorded: " + line.fields().path("what").asText());
                    }
                    changes.add(line.fields());
                    items.add(pending);
                    pending = new ArrayList<>();
                }
                case RunRecorder.RESPONSE -> {
                    responseCount++;
                    responses
                            .computeIfAbsent(line.fields().path("call").asText(), call -> new ArrayDeque<>())
                            .add(line.fields().path("text").asText());
                }
                default -> decision = line.fields();
            }
        }

        /** Runs the iteration that was read, if it is complete. */
        void run() throws IOException {
            Line line = iteration;
            iteration = null;
            if (line != null && isComplete(line.fields())) {
                if (line.fields().has("ahead")) {
                    ahead = Duration.ofNanos(line.fields().path("ahead").asLong());
                }
                set(line.time());
                // The recording contains the changes that the scheduler posted to itself.
                scheduler.inbox().drain();
                for (int i = 0; i < changes.size(); i++) {
                    ClusterChange change = reader.change(changes.get(i), items.get(i));
                    if (change != null) {
                        scheduler.post(change);
                    }
                }
                JsonNode recorded = decision;
                work = recorded == null ? 0 : recorded.path("work").asLong();
                worked = false;
                replayed = null;
                scheduler.runOnce();
                compare(line.time(), line.fields().path("i").asLong(), recorded, replayed);
            }
            changes.clear();
            items.clear();
            pending = new ArrayList<>();
            responses.clear();
            responseCount = 0;
            decision = null;
        }

        /** The last iteration of a killed process can be incomplete. */
        private boolean isComplete(JsonNode head) {
            return changes.size() == head.path("changes").asLong()
                    && responseCount == head.path("calls").asInt()
                    && (decision == null ? 0 : 1) == head.path("decisions").asInt();
        }

        @Override
        public void onDecision(PodInfo pod, Decision decided, long nanos) {
            cycle++;
            replayed = new DecisionEntry(cycle, pod, decided, "", List.of());
        }

        @Override
        public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
            nominated.put(preemptor.uid(), preemptor);
            DecisionEntry known = replayed;
            if (known != null) {
                replayed = known.with(node, victims);
            }
        }

        void close() {
            rawObjects.close();
            connection.close();
        }
    }

    /** A clock that changes only when it is set. */
    private static final class SettableClock extends Clock {
        private Instant now = Instant.EPOCH;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
