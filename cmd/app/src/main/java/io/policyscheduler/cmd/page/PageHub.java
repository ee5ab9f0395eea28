package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.EvictingQueue;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionJson.Changes;
import io.policyscheduler.cmd.page.Frames.NodeChanges;
import io.policyscheduler.cmd.page.Frames.NodeChanges.NodeRow;
import io.policyscheduler.cmd.page.Frames.PendingGroups;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.LoggingTimer;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the state twice a second while the page has viewers, and sends them the changes, encoded once. Without viewers, it only
 * records a point of the plots every five seconds. Copying takes at most a hundredth of the scheduling thread's time: a long copy
 * is followed by a longer pause.
 */
final class PageHub implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PageHub.class);
    /** Maximum number of viewers. */
    static final int MOST_VIEWERS = 16;

    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final int SHARE = 100;
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Interval of the plots without viewers. */
    private static final Duration UNWATCHED_PERIOD = Duration.ofSeconds(5);
    /** The history that the first frame of a viewer contains. */
    static final Duration HISTORY = Duration.ofMinutes(15);
    /** Points of the plots with viewers. */
    private static final int POINTS = Math.toIntExact(HISTORY.dividedBy(PERIOD));
    /** Number of last decisions that are checked for changes and shown. */
    private static final int DECISIONS = 100;
    /** With more pending pods, they are grouped only in every fourth copy. */
    private static final int MANY_WAITING = 2000;

    private final Changes decisions;
    private final PageRates rates;
    private final InstantSource clock;
    private final AtomicReference<@Nullable PageSource> source = new AtomicReference<>();
    private final LoggingTimer timer;
    private final ThreadFactory threads = new ThreadFactoryBuilder()
            .setNameFormat("page-viewer-%d")
            .setDaemon(true)
            .build();

    // Touched under the lock of this object.
    private final List<Viewer> viewers = new ArrayList<>();
    private final List<Viewer> arriving = new ArrayList<>();
    private boolean ticking;
    private boolean closed;
    private @Nullable ScheduledFuture<?> next;

    // Touched by the timer's thread.
    private final NodeChanges board = new NodeChanges();
    private final PendingGroups grouping = new PendingGroups();
    private final EvictingQueue<Frames.Point> points = EvictingQueue.create(POINTS);
    private List<PendingGroups.Group> groups = List.of();
    private long lastNanos;
    private long ticks;

    PageHub(DecisionHistory history, PageRates rates, InstantSource clock) {
        this.decisions = new Changes(history, DECISIONS);
        this.rates = rates;
        this.clock = clock;
        this.timer = new LoggingTimer(
                new ThreadFactoryBuilder().setNameFormat("page").setDaemon(true).build());
    }

    /** Sets the source and starts to record the plots. */
    void follow(PageSource value) {
        source.set(value);
        rates.setWatched(true);
        startTicking();
    }

    private synchronized void startTicking() {
        if (!ticking && !closed) {
            ticking = true;
            later(Duration.ZERO);
        }
    }

    /** The source; null for none yet. */
    @Nullable
    PageSource source() {
        return source.get();
    }

    /** Sends frames to a viewer from now on; 503 when there are too many. */
    synchronized void join(Exchange exchange) {
        viewers.removeIf(Viewer::isEnded);
        if (closed || viewers.size() + arriving.size() >= MOST_VIEWERS) {
            exchange.answer(503, "too many viewers: at most " + MOST_VIEWERS + "\n");
            return;
        }
        Viewer viewer = new Viewer(exchange);
        threads.newThread(viewer).start();
        arriving.add(viewer);
        ScheduledFuture<?> waiting = next;
        if (viewers.isEmpty() && waiting != null && waiting.cancel(false)) {
            later(Duration.ZERO);
        }
        startTicking();
    }

    /** Number of viewers. */
    synchronized int viewers() {
        viewers.removeIf(Viewer::isEnded);
        return viewers.size() + arriving.size();
    }

    private synchronized void later(Duration delay) {
        try {
            next = timer.schedule(this::tick, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed", e);
        }
    }

    private void tick() {
        long start = System.nanoTime();
        long pause = 0;
        synchronized (this) {
            next = null;
        }
        try {
            pause = isWatched() ? lookAndShow() : record();
        } catch (RuntimeException e) {
            // The next copy may succeed; viewers detect the gap themselves.
            LOG.error("the page could not be updated", e);
            board.forget();
        }
        long spent = System.nanoTime() - start;
        synchronized (this) {
            // Serves viewers that connected meanwhile.
            boolean awaited = viewers.isEmpty() && source.get() != null;
            Duration period = rest() ? UNWATCHED_PERIOD : awaited ? Duration.ZERO : PERIOD;
            later(Duration.ofNanos(Math.max(period.toNanos(), pause) - Math.min(spent, period.toNanos() / 2)));
        }
    }

    private synchronized boolean isWatched() {
        viewers.removeIf(Viewer::isEnded);
        return !viewers.isEmpty() || !arriving.isEmpty();
    }

    /** Returns the minimum time until the next copy, in nanoseconds. */
    private long lookAndShow() {
        PageSource seen = source.get();
        StateCopy copy = seen == null ? null : copy(seen, inside -> StateCopy.at(inside, board.generation()));
        if (copy == null) {
            return 0;
        }
        show(copy);
        return Math.min(copy.nanos() * SHARE, LONGEST.toNanos());
    }

    /** Records a point of the plots. */
    private long record() {
        PageSource seen = source.get();
        StateCopy copy = seen == null ? null : copy(seen, StateCopy::counted);
        if (copy != null) {
            addPoint(copy);
        }
        return 0;
    }

    private Frames.Point addPoint(StateCopy copy) {
        long now = System.nanoTime();
        double seconds = lastNanos == 0 ? PERIOD.toMillis() / 1e3 : (now - lastNanos) / 1e9;
        lastNanos = now;
        int gated = copy.waiting().getOrDefault(Part.GATED, List.of()).size();
        Frames.Point point = new Frames.Point(clock.millis(), seconds, copy.counts(), gated, rates.take());
        points.add(point);
        long oldest = point.time() - HISTORY.toMillis();
        points.removeIf(old -> old.time() < oldest);
        return point;
    }

    /** Whether there are no viewers, so that only the plots are recorded. */
    private synchronized boolean rest() {
        if (isWatched()) {
            return false;
        }
        board.forget();
        decisions.forget();
        groups = List.of();
        return true;
    }

    private static @Nullable StateCopy copy(PageSource seen, Function<PageSource.SchedulerState, StateCopy> copy) {
        CompletableFuture<StateCopy> answer = new CompletableFuture<>();
        seen.post(inside -> answer.complete(copy.apply(inside)));
        try {
            return answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the scheduling thread is busy", e);
        }
        return null;
    }

    private void show(StateCopy copy) {
        Frames.Point point = addPoint(copy);
        boolean grouped = regroup(copy);
        boolean first = board.generation() == StateCopy.EVERYTHING;
        if (!board.take(copy)) {
            // Nodes were deleted; the next copy contains all nodes.
            return;
        }
        List<Viewer> known;
        List<Viewer> fresh;
        synchronized (this) {
            known = List.copyOf(viewers);
            fresh = List.copyOf(arriving);
            viewers.addAll(arriving);
            arriving.clear();
        }
        List<ObjectNode> changed = decisions.next();
        if (!known.isEmpty()) {
            Frames.Nodes nodes = new Frames.Nodes(first, copy.nodeCount(), copy.nodes(), board.groupKeys());
            byte[] frame = Frames.encode(false, List.of(point), nodes, changed, grouped ? groups : null);
            known.forEach(viewer -> viewer.send(frame));
        }
        if (!fresh.isEmpty()) {
            // The state that earlier viewers have received.
            decisions.forget();
            Frames.Nodes nodes = new Frames.Nodes(true, copy.nodeCount(), board.rows(), board.groupKeys());
            byte[] frame = Frames.encode(true, List.copyOf(points), nodes, decisions.next(), groups);
            fresh.forEach(viewer -> viewer.send(frame));
        }
    }

    private boolean regroup(StateCopy copy) {
        int waiting = copy.waiting().values().stream().mapToInt(List::size).sum();
        boolean due = waiting <= MANY_WAITING || ticks % 4 == 0;
        ticks++;
        if (!due) {
            return false;
        }
        List<PendingGroups.Group> next = grouping.of(copy.waiting());
        boolean changed = !next.equals(groups);
        groups = next;
        return changed;
    }

    /** Node to value of a label. */
    void labels(String key, Consumer<Map<String, String>> answer) {
        run(() -> answer.accept(board.values(key)));
    }

    /** Runs something on the thread of the page, unless it is closed. */
    void run(Runnable task) {
        try {
            timer.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed", e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        synchronized (this) {
            closed = true;
            viewers.forEach(Viewer::end);
            arriving.forEach(Viewer::end);
        }
    }

    /**
     * One viewer. A thread of its own writes the frames, so that a slow viewer does not delay others; one that falls behind is
     * disconnected and reconnects.
     */
    static final class Viewer implements Runnable {
        private static final Logger LOG = LoggerFactory.getLogger(Viewer.class);
        /** Some seconds of frames, which are shared by all viewers. */
        private static final int MOST_FRAMES = 8;

        private static final Duration PING = Duration.ofSeconds(10);
        /** After that the browser reconnects and is authorized again. */
        private static final Duration LIFETIME = Duration.ofMinutes(10);

        private static final byte[] HELLO = "retry: 1000\n\n".getBytes(StandardCharsets.UTF_8);
        private static final byte[] ALIVE = ": alive\n\n".getBytes(StandardCharsets.UTF_8);
        private static final byte[] END = new byte[0];

        private final Exchange exchange;
        private final BlockingQueue<byte[]> frames = new ArrayBlockingQueue<>(MOST_FRAMES);
        private volatile boolean ended;

        Viewer(Exchange exchange) {
            this.exchange = exchange;
        }

        /** Whether the viewer is disconnected. */
        boolean isEnded() {
            return ended;
        }

        /** Sends a frame; a viewer that has not received the earlier ones is disconnected. */
        void send(byte[] frame) {
            if (!frames.offer(frame)) {
                end();
            }
        }

        /** Disconnects after the current frame. */
        void end() {
            ended = true;
            frames.clear();
            if (!frames.offer(END)) {
                LOG.trace("a frame came in between; it is the last one");
            }
        }

        @Override
        public void run() {
            long last = System.nanoTime() + LIFETIME.toNanos();
            try (OutputStream out = exchange.stream(200, "text/event-stream; charset=utf-8")) {
                out.write(HELLO);
                out.flush();
                while (!ended && System.nanoTime() - last < 0) {
                    byte[] frame = frames.poll(PING.toMillis(), TimeUnit.MILLISECONDS);
                    out.write(frame == null ? ALIVE : frame);
                    out.flush();
                }
            } catch (IOException e) {
                LOG.debug("a viewer has gone", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                ended = true;
            }
        }
    }

    /**
     * A copy of the state at one moment, made on the owning thread.
     *
     * @param counts where pods are
     * @param nodeCount how many nodes there are, changed or not
     * @param generation of the cluster, for the next copy
     * @param nodes nodes that have changed since the last copy
     * @param waiting pods of each part of the queue
     * @param nanos duration of the copy
     */
    record StateCopy(
            Counts counts,
            int nodeCount,
            long generation,
            List<NodeRow> nodes,
            Map<Part, List<QueuedPod>> waiting,
            long nanos) {
        /** The generation before all others: every node counts as changed. */
        static final long EVERYTHING = -1;

        StateCopy {
            nodes = ImmutableList.copyOf(nodes);
            waiting = ImmutableMap.copyOf(waiting);
        }

        /** Copies only the values of the plots; on the owning thread. */
        static StateCopy counted(PageSource.SchedulerState inside) {
            return new StateCopy(
                    inside.counts(),
                    inside.cluster().nodeCount(),
                    EVERYTHING,
                    List.of(),
                    ImmutableMap.of(Part.GATED, inside.waiting(Part.GATED)),
                    0);
        }

        /**
         * Copies the changes; on the owning thread.
         *
         * @param since generation of the last copy, or {@link #EVERYTHING}
         */
        static StateCopy at(PageSource.SchedulerState inside, long since) {
            long start = System.nanoTime();
            ClusterState cluster = inside.cluster();
            ImmutableList.Builder<NodeRow> changed = ImmutableList.builder();
            cluster.forEachNode(info -> {
                if (info.generation() > since) {
                    changed.add(NodeRow.of(info));
                }
            });
            ImmutableMap.Builder<Part, List<QueuedPod>> waiting = ImmutableMap.builder();
            for (Part part : Part.values()) {
                waiting.put(part, inside.waiting(part));
            }
            return new StateCopy(
                    inside.counts(),
                    cluster.nodeCount(),
                    cluster.generation(),
                    changed.build(),
                    waiting.buildOrThrow(),
                    System.nanoTime() - start);
        }
    }
}
