package io.policyscheduler.cmd.history;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import com.google.common.collect.MapMaker;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.live.InputRecording;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorder of {@code run --record}: writes the input and the decision of each iteration of the scheduling loop to a trace, from which
 * {@link RunReplay} makes the same decisions again. The scheduling thread only puts references into a bounded queue; another thread
 * writes. A recording that lacks an iteration cannot be replayed, so an error, a full queue, or the size limit ends the recording.
 */
public final class RunRecorder implements InputRecording, SchedulerListener, AutoCloseable {
    static final String START = "start";
    static final String POLICY = "policy";
    static final String ITERATION = "it";
    static final String DECISION = "dec";
    static final String RESPONSE = "call";

    private static final Logger LOG = LoggerFactory.getLogger(RunRecorder.class);
    private static final int CAPACITY = 1 << 15;
    private static final Duration FLUSH = Duration.ofMillis(500);
    private static final long CLOSE_MILLIS = 5000;
    /** The wall clock of the scheduling thread follows that of the system in steps of this size. */
    private static final Duration WALL_STEP = Duration.ofMillis(10);

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    /** Fields of containers that no decision depends on; some can contain secrets. */
    private static final List<String> UNRECORDED_OF_CONTAINERS = List.of(
            "env",
            "envFrom",
            "command",
            "args",
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
            "volumeMounts");

    private final TraceWriter trace;
    private final ChangeLines.Writer changeLines;
    private final long maxBytes;
    private final ObjectNode about;
    private final JsonFactory objects = ClusterFile.jsonFactory();
    /** The JSON of objects that are not written yet; keys are compared by identity. */
    private final ConcurrentMap<ClusterObject, byte[]> originals =
            new MapMaker().weakKeys().makeMap();

    private final BlockingQueue<Entry> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final Thread writer;
    private volatile boolean stopped;
    private volatile boolean closing;

    private Clock steady = Clock.systemUTC();
    private Clock wall = Clock.systemUTC();
    private volatile @Nullable Thread scheduling;

    // Used by the scheduling thread, and by the thread that creates the scheduler before it starts.
    private boolean inIteration = true;
    private Instant now = Instant.EPOCH;
    private Duration ahead = Duration.ZERO;
    private long iteration;
    private long decisions;
    private List<ClusterChange> changes = List.of();
    private long workStart = -1;
    private long work;
    private List<Response> responses = new CopyOnWriteArrayList<>();
    private @Nullable DecisionEntry latest;

    // Used by the writing thread.
    private Duration writtenAhead = Duration.ZERO;

    /** An entry of the queue. */
    private sealed interface Entry {
        /**
         * An iteration of the scheduling loop.
         *
         * @param ahead the wall clock minus the clock for waiting
         * @param responses to the calls for which the iteration waited
         * @param decision null if the iteration made no decision
         * @param work CPU time of the decision, nanoseconds
         */
        record Iteration(
                long number,
                Instant time,
                Duration ahead,
                List<ClusterChange> changes,
                List<Response> responses,
                @Nullable DecisionEntry decision,
                long work)
                implements Entry {}

        /** The recorder is closed. */
        record End() implements Entry {}

        /** A line that does not belong to an iteration. */
        record Other(String line, Instant time, ObjectNode fields) implements Entry {}
    }

    /** A response to a call, see {@link InputRecording#response}. */
    private record Response(String call, String text) {}

    /**
     * A decision.
     *
     * @param cycle number of the decision in its process, from 1
     * @param preemptionNode the node on which preemption evicts the victims; empty for none
     * @param victims namespace and name of each victim, in the order of eviction
     */
    record DecisionEntry(long cycle, PodInfo pod, Decision decision, String preemptionNode, List<String> victims) {
        DecisionEntry with(String node, List<PodInfo> evicted) {
            return new DecisionEntry(
                    cycle,
                    pod,
                    decision,
                    node,
                    evicted.stream().map(PodInfo::key).toList());
        }

        /** The fields of the line {@code dec}, without the work. Equal decisions have equal texts. */
        ObjectNode fields() {
            ObjectNode fields = JsonNodeFactory.instance
                    .objectNode()
                    .put("cycle", cycle)
                    .put("pod", pod.key())
                    .put("uid", pod.uid())
                    .put("generation", decision.generation())
                    .put("kind", decision.kind().name().toLowerCase(Locale.ROOT));
            if (decision.node() != null) {
                fields.put("node", decision.node()).put("score", decision.score());
            }
            fields.put("examined", decision.evaluatedNodes()).put("feasible", decision.feasibleNodes());
            if (!decision.message().isEmpty()) {
                fields.put("message", decision.message());
            }
            if (!preemptionNode.isEmpty()) {
                ObjectNode preemption = fields.putObject("preemption").put("node", preemptionNode);
                victims.forEach(preemption.putArray("victims")::add);
            }
            return fields;
        }
    }

    /**
     * Starts a recording. {@link #close} closes the trace.
     *
     * @param maxBytes the size of the trace at which the recording ends
     * @param about the fields of the line {@code start}: the seed and the flags of the scheduler
     */
    public RunRecorder(TraceWriter trace, long maxBytes, ObjectNode about, ThreadFactory threads) {
        this.trace = trace;
        this.maxBytes = maxBytes;
        this.about = about;
        this.changeLines = new ChangeLines.Writer(trace, originals::remove);
        this.writer = threads.newThread(this::write);
        this.writer.start();
    }

    /**
     * Records the sources of the profiles of a generation. Any thread. To be called before the profiles take effect, because a recording
     * that ends between these lines could not be replayed.
     *
     * @param tables the tables of each profile, before their first change
     */
    public void policy(long generation, ObjectNode sources, List<RuleTables> tables) {
        changeLines.tables(generation, tables);
        ObjectNode fields = JsonNodeFactory.instance.objectNode().put("generation", generation);
        fields.setAll(sources);
        offer(new Entry.Other(POLICY, steady.instant(), fields));
    }

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public Clock clock(Clock given) {
        steady = given;
        now = given.instant();
        return new IterationClock(given, () -> now);
    }

    @Override
    public Clock wallClock(Clock given) {
        wall = given;
        ahead = Duration.between(now, given.instant());
        return new IterationClock(given, () -> now.plus(ahead));
    }

    @Override
    public LongSupplier work(LongSupplier meter) {
        return () -> {
            long value = meter.getAsLong();
            if (workStart < 0) {
                workStart = value;
            } else {
                work = value - workStart;
            }
            return value;
        };
    }

    /** A clock that is constant for the scheduling thread during an iteration, and for all threads before the first iteration. */
    private final class IterationClock extends Clock {
        private final Clock real;
        private final Supplier<Instant> recorded;

        IterationClock(Clock real, Supplier<Instant> recorded) {
            this.real = real;
            this.recorded = recorded;
        }

        @Override
        public Instant instant() {
            Thread known = scheduling;
            boolean isConstant =
                    known == null || (inIteration && Thread.currentThread().equals(known));
            return isConstant ? recorded.get() : real.instant();
        }

        @Override
        public ZoneId getZone() {
            return real.getZone();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return new IterationClock(real.withZone(zone), recorded);
        }
    }

    @Override
    public Decoder<ClusterObject> decoder(Decoder<ClusterObject> decoder, BooleanSupplier whole) {
        return parser -> {
            if (stopped) {
                return decoder.decode(parser);
            }
            JsonNode tree = tree(parser);
            byte[] all = whole.getAsBoolean() ? JSON.writeValueAsBytes(tree) : null;
            removeUnrecorded(tree);
            byte[] recorded = JSON.writeValueAsBytes(tree);
            try (JsonParser copy = objects.createParser(all == null ? recorded : all)) {
                copy.nextToken();
                ClusterObject object = decoder.decode(copy);
                if (object != null) {
                    originals.put(object, recorded);
                }
                return object;
            }
        };
    }

    /** Reads an object and leaves the parser at its end, unlike readTree. */
    private static JsonNode tree(JsonParser parser) throws IOException {
        try (TokenBuffer buffer = new TokenBuffer(parser)) {
            buffer.copyCurrentStructure(parser);
            try (JsonParser copy = buffer.asParser()) {
                return JSON.readTree(copy);
            }
        }
    }

    private static void removeUnrecorded(JsonNode object) {
        Dump.removeServerFields(object);
        for (JsonNode spec : List.of(object.path("spec"), object.at("/spec/template/spec"))) {
            for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
                for (JsonNode container : spec.path(list)) {
                    if (container instanceof ObjectNode fields) {
                        fields.remove(UNRECORDED_OF_CONTAINERS);
                    }
                }
            }
        }
    }

    @Override
    public void begin(List<ClusterChange> applied) {
        if (scheduling == null) {
            offer(new Entry.Other(START, now, about.put("ahead", ahead.toNanos())));
            scheduling = Thread.currentThread();
        }
        now = steady.instant();
        Duration measured = Duration.between(now, wall.instant());
        if (measured.minus(ahead).abs().compareTo(WALL_STEP) > 0) {
            ahead = measured;
        }
        inIteration = true;
        iteration++;
        changes = applied;
        latest = null;
        workStart = -1;
        work = 0;
        responses = new CopyOnWriteArrayList<>();
    }

    @Override
    public String response(String call, Supplier<String> real) {
        String text = real.get();
        if (inIteration && !stopped) {
            responses.add(new Response(call, text));
        }
        return text;
    }

    @Override
    public void onDecision(PodInfo pod, Decision decision, long nanos) {
        latest = new DecisionEntry(++decisions, pod, decision, "", List.of());
    }

    @Override
    public void onNominated(PodInfo preemptor, String node, List<PodInfo> victims) {
        DecisionEntry known = latest;
        if (known != null) {
            latest = known.with(node, victims);
        }
    }

    @Override
    public void end() {
        offer(new Entry.Iteration(iteration, now, ahead, changes, responses, latest, work));
        changes = List.of();
        inIteration = false;
    }

    private void offer(Entry entry) {
        if (!stopped && !queue.offer(entry)) {
            stop(CAPACITY + " iterations wait to be written, because the disk is too slow");
        }
    }

    private void stop(String why) {
        if (!stopped) {
            stopped = true;
            LOG.warn("W138 the recording ends, and scheduling continues: {}", why);
        }
    }

    private void write() {
        try {
            long flushAt = System.nanoTime() + FLUSH.toNanos();
            boolean unflushed = false;
            while (true) {
                Entry entry = queue.poll(FLUSH.toMillis(), TimeUnit.MILLISECONDS);
                if (entry instanceof Entry.End) {
                    break;
                }
                if (entry != null) {
                    write(entry);
                    unflushed = true;
                } else if (closing || stopped) {
                    break;
                }
                if (unflushed && System.nanoTime() - flushAt >= 0) {
                    trace.flush();
                    unflushed = false;
                    flushAt = System.nanoTime() + FLUSH.toNanos();
                    if (trace.bytes() > maxBytes) {
                        stop("its files have " + (trace.bytes() >> 20) + " MiB, more than --record-size");
                        break;
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            stop(e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            trace.close();
        } catch (IOException e) {
            stop(e.toString());
        }
        queue.clear();
        originals.clear();
    }

    private void write(Entry entry) throws IOException {
        if (entry instanceof Entry.Other other) {
            if (other.line().equals(START)) {
                writtenAhead = Duration.ofNanos(other.fields().path("ahead").asLong());
            }
            trace.write(other.line(), other.time(), other.fields());
            return;
        }
        Entry.Iteration one = (Entry.Iteration) entry;
        List<ClusterChange> recorded =
                one.changes().stream().filter(ChangeLines::isRecorded).toList();
        DecisionEntry decision = one.decision();
        trace.write(ITERATION, one.time(), json -> {
            json.writeNumberField("i", one.number());
            json.writeNumberField("changes", recorded.size());
            json.writeNumberField("decisions", decision == null ? 0 : 1);
            if (!one.responses().isEmpty()) {
                json.writeNumberField("calls", one.responses().size());
            }
            if (!one.ahead().equals(writtenAhead)) {
                json.writeNumberField("ahead", one.ahead().toNanos());
            }
        });
        writtenAhead = one.ahead();
        for (ClusterChange change : recorded) {
            changeLines.write(one.time(), change);
        }
        for (Response response : one.responses()) {
            trace.write(RESPONSE, one.time(), json -> {
                json.writeStringField("call", response.call());
                json.writeStringField("text", response.text());
            });
        }
        if (decision != null) {
            trace.write(DECISION, one.time(), decision.fields().put("work", one.work()));
        }
    }

    /** Writes the queued entries and closes the trace. */
    @Override
    public void close() {
        closing = true;
        offer(new Entry.End());
        try {
            writer.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
