package io.policyscheduler.tests.simulation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The simulation of one seed: cluster, users, controllers, and scheduler, and the loop that runs their events in order. */
final class SimulationRun implements AutoCloseable {
    /** The process id of events that belong to no scheduler process. */
    static final int NOBODY = 0;

    private static final int MAX_DEPTH = 2;
    private static final long MAX_STEPS = 60_000;
    /** Longer than any pod waits for its next attempt: a cluster without changes for that long no longer changes. */
    private static final long QUIET_MARGIN_MILLIS = 5_000;

    private static final long MAX_CALM_MILLIS = 3_000_000;

    private final SeedRunner shared;
    private final @Nullable Recordings recordings;
    private final RandomChoices random;
    private final Scenario scenario;
    private final VirtualTime time = new VirtualTime();
    private final Trace trace;
    private final EmbeddedControlPlane cluster;
    private final ClusterLog log;
    private final SimulatedApi api;
    private final SimulatedExtender extender;
    private final Audit audit;
    private final Users users;
    private final Map<ObjectNode, ClusterObject> decoded = new IdentityHashMap<>();
    private @Nullable SchedulerProcess process;
    private int processes;
    private boolean calm;
    private boolean crashed;
    private int depth;
    private long steps;
    private long lastChange;

    /** @param recordings of the processes; null for none */
    SimulationRun(long seed, boolean keepsTrace, SeedRunner shared, @Nullable Recordings recordings) {
        this.shared = shared;
        this.recordings = recordings;
        this.random = new RandomChoices(seed);
        this.scenario = Scenario.of(random.split());
        this.trace = new Trace(time, keepsTrace);
        long firstVersion = TimeUnit.MILLISECONDS.toMicros(time.steady().millis());
        try {
            cluster = EmbeddedControlPlane.builder()
                    .serving(false)
                    .clock(time.steady())
                    .random(new Random(random.nextLong()))
                    .kubeletPeriod(Duration.ZERO)
                    .longestGrace(Duration.ofSeconds(2))
                    .watchHistory(5000)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        log = new ClusterLog(cluster, firstVersion);
        api = new SimulatedApi(this);
        extender = new SimulatedExtender(this);
        audit = new Audit(this);
        users = new Users(this);
        trace.add("seed " + seed + " " + scenario);
    }

    /** Runs until nothing changes any more, or until the first violation. Returns the violations. */
    List<String> run() {
        shared.enter(this);
        users.start();
        new Controllers(this).start();
        startProcess();
        loop(() -> users.isDone());
        trace.add("calm");
        calm = true;
        audit.calm();
        lastChange = time.now();
        long calmSince = time.now();
        loop(() ->
                (time.now() - quietSince() > quietMillis() && !isBusy()) || time.now() - calmSince > MAX_CALM_MILLIS);
        if (audit.violations().isEmpty() && time.now() - quietSince() <= quietMillis()) {
            audit.violation("the simulation does not come to rest");
        }
        if (audit.violations().isEmpty() && process != null) {
            audit.atRest(process);
        }
        return audit.violations();
    }

    /** The last change may be delivered late, and waiting starts only then. */
    private long quietMillis() {
        return Audit.retryMillis(scenario) + QUIET_MARGIN_MILLIS + scenario.lateMillis();
    }

    /** Nothing has changed for a while, and nobody is going to change anything. */
    boolean isQuiet() {
        return calm && time.now() - lastChange > QUIET_MARGIN_MILLIS;
    }

    /** The scheduler's timers start only when its process is no longer suspended. */
    private long quietSince() {
        return process == null ? lastChange : Math.max(lastChange, process.pausedUntil());
    }

    /** Whether an attempt is running, which may start when everything else is at rest. */
    private boolean isBusy() {
        if (process == null) {
            return false;
        }
        Counts counts = process.scheduler().counts();
        return counts.rereading() + counts.binding() + counts.active() > 0;
    }

    private interface Condition {
        boolean holds();
    }

    private void loop(Condition end) {
        while (!end.holds() && audit.violations().isEmpty()) {
            try {
                step(Long.MAX_VALUE);
            } catch (RuntimeException | Error e) {
                // A cache or a future may have wrapped the crash.
                if (!crashed) {
                    throw e;
                }
            }
            if (crashed) {
                crashed = false;
                depth = 0;
                end();
            }
        }
    }

    private void end() {
        if (process == null) {
            // Already crashed, and to be started only once: two processes must never run at the same time.
            return;
        }
        trace.add("CRASH");
        process = null;
        audit.processEnded();
        time.in(calm ? 100 : random.between(100, 15_000), NOBODY, "restart", this::startProcess);
    }

    private void startProcess() {
        processes++;
        process = new SchedulerProcess(this, processes, shared, recordings);
    }

    /** Runs the next event, unless it is after {@code limit}. Returns false if there is none. */
    private boolean step(long limit) {
        long wake = process == null ? Long.MAX_VALUE : process.wakeAt();
        long next = time.next();
        if (Math.min(wake, next) > limit) {
            return false;
        }
        if (++steps > MAX_STEPS) {
            audit.violation("too many steps");
            return false;
        }
        if (wake < next && process != null) {
            time.advanceTo(wake);
            process.run();
        } else {
            VirtualTime.Event event = time.poll();
            if (event == null || !isAlive(event.process())) {
                return true;
            }
            time.advanceTo(event.atMillis());
            if (!event.name().isEmpty() && !event.name().equals("tick")) {
                trace.add(event.name());
            }
            event.action().run();
        }
        follow();
        audit.afterStep();
        return true;
    }

    /** Reads a version of an object, which is the same for all who are shown it; null if no reader knows it. */
    @Nullable
    ClusterObject decode(ObjectNode object, String kind) {
        ClusterObject known = decoded.get(object);
        if (known != null) {
            return known;
        }
        try (TreeTraversingParser parser = new TreeTraversingParser(object)) {
            parser.nextToken();
            ClusterObject read = shared.reader().read(parser, kind);
            if (read != null) {
                decoded.put(object, read);
            }
            return read;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isAlive(int owner) {
        return owner == NOBODY || (process != null && process.id() == owner);
    }

    /** Delivers new changes of the store to all watches. */
    void follow() {
        if (log.read()) {
            lastChange = time.now();
            audit.follow();
            if (process != null) {
                process.follow();
            }
        }
    }

    /** A thread of the scheduler's process waits that long, while others continue. */
    void pause(long millis) {
        failIfCrashed();
        if (depth >= MAX_DEPTH || millis <= 0) {
            return;
        }
        depth++;
        long end = time.now() + millis;
        while (audit.violations().isEmpty() && step(end)) {
            failIfCrashed();
        }
        time.advanceTo(end);
        depth--;
    }

    private void failIfCrashed() {
        // Other code may have caught the exception.
        if (crashed) {
            throw new ProcessCrash("earlier");
        }
    }

    void maybeCrash(String where) {
        if (!calm && scenario.crashes() && random.percent(1.5)) {
            trace.add("crash " + where);
            crashed = true;
            throw new ProcessCrash(where);
        }
    }

    double faultPercent() {
        return calm ? 0 : scenario.faultPercent();
    }

    boolean isCalm() {
        return calm;
    }

    Scenario scenario() {
        return scenario;
    }

    VirtualTime time() {
        return time;
    }

    Trace trace() {
        return trace;
    }

    EmbeddedControlPlane cluster() {
        return cluster;
    }

    ClusterLog log() {
        return log;
    }

    SimulatedApi api() {
        return api;
    }

    SimulatedExtender extender() {
        return extender;
    }

    Audit audit() {
        return audit;
    }

    SeedRunner shared() {
        return shared;
    }

    @Nullable
    SchedulerProcess process() {
        return process;
    }

    /** Returns an independent sequence of choices for one part of the simulation. */
    RandomChoices random() {
        return random.split();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
