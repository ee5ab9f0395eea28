package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.EvictingQueue;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionJson.Changes;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.threads.LoudTimer;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the state twice a second while somebody looks at the page, and sends all viewers what is new, encoded once. Looking takes
 * at most a hundredth of the scheduling thread's time: after a look that took long there is a longer pause.
 */
final class PageHub implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PageHub.class);
    /** Most browsers at once. */
    static final int MOST_VIEWERS = 16;

    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final int SHARE = 100;
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Points that a new viewer is given: ten minutes. */
    private static final int POINTS = 1200;
    /** Looked through for changes, and shown. */
    private static final int DECISIONS = 100;
    /** With more waiting pods than that they are grouped at every fourth look only. */
    private static final int MANY_WAITING = 2000;

    private final Changes decisions;
    private final PageRates rates;
    private final InstantSource clock;
    private final AtomicReference<@Nullable PageSource> source = new AtomicReference<>();
    private final LoudTimer timer;
    private final ThreadFactory threads = new ThreadFactoryBuilder()
            .setNameFormat("page-viewer-%d")
            .setDaemon(true)
            .build();

    // Touched under the lock of this object.
    private final List<Viewer> viewers = new ArrayList<>();
    private final List<Viewer> arriving = new ArrayList<>();
    private boolean ticking;
    private boolean closed;

    // Touched by the timer's thread.
    private final NodeBoard board = new NodeBoard();
    private final PendingGroups grouping = new PendingGroups();
    private final EvictingQueue<Frames.Point> points = EvictingQueue.create(POINTS);
    private List<PendingGroups.Group> groups = List.of();
    private long lastNanos;
    private long ticks;

    PageHub(DecisionHistory history, PageRates rates, InstantSource clock) {
        this.decisions = new Changes(history, DECISIONS);
        this.rates = rates;
        this.clock = clock;
        this.timer = new LoudTimer(
                new ThreadFactoryBuilder().setNameFormat("page").setDaemon(true).build());
    }

    /** There is something to see now. */
    void follow(PageSource value) {
        source.set(value);
    }

    /** What is seen; null when there is nothing yet. */
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
        if (!ticking) {
            ticking = true;
            rates.setWatched(true);
            later(Duration.ZERO);
        }
    }

    /** How many look. */
    synchronized int viewers() {
        viewers.removeIf(Viewer::isEnded);
        return viewers.size() + arriving.size();
    }

    private void later(Duration delay) {
        try {
            ScheduledFuture<?> next = timer.schedule(this::tick, delay.toNanos(), TimeUnit.NANOSECONDS);
            LOG.trace("next look: {}", next);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed", e);
        }
    }

    private void tick() {
        long start = System.nanoTime();
        long pause = 0;
        try {
            pause = lookAndShow();
        } catch (RuntimeException e) {
            // The next look may succeed, and viewers find out by themselves.
            LOG.error("the page could not be updated", e);
            board.forget();
        }
        if (!rest()) {
            long spent = System.nanoTime() - start;
            later(Duration.ofNanos(Math.max(PERIOD.toNanos(), pause) - Math.min(spent, PERIOD.toNanos() / 2)));
        }
    }

    /** Gives the least time until the next look, in nanoseconds. */
    private long lookAndShow() {
        PageSource seen = source.get();
        ClusterLook look = seen == null ? null : look(seen, board.generation());
        if (look == null) {
            return 0;
        }
        show(look);
        return Math.min(look.nanos() * SHARE, LONGEST.toNanos());
    }

    /** Stops when nobody looks any more. */
    private synchronized boolean rest() {
        viewers.removeIf(Viewer::isEnded);
        if (!viewers.isEmpty() || !arriving.isEmpty()) {
            return false;
        }
        ticking = false;
        rates.setWatched(false);
        board.forget();
        decisions.forget();
        groups = List.of();
        points.clear();
        return true;
    }

    private static @Nullable ClusterLook look(PageSource seen, long since) {
        CompletableFuture<ClusterLook> answer = new CompletableFuture<>();
        seen.post(inside -> answer.complete(ClusterLook.at(inside, since)));
        try {
            return answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("the scheduling thread is busy", e);
        }
        return null;
    }

    private void show(ClusterLook look) {
        long now = System.nanoTime();
        double seconds = ticks == 0 ? PERIOD.toMillis() / 1e3 : (now - lastNanos) / 1e9;
        lastNanos = now;
        int gated = look.waiting().getOrDefault(QueuePart.GATED, List.of()).size();
        Frames.Point point = new Frames.Point(clock.millis(), seconds, look.counts(), gated, rates.take());
        points.add(point);
        boolean grouped = regroup(look);
        boolean first = board.generation() == ClusterLook.EVERYTHING;
        if (!board.take(look)) {
            // Nodes have gone; the next look sees the others.
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
            Frames.Nodes nodes = new Frames.Nodes(first, look.nodeCount(), look.nodes(), board.groupKeys());
            byte[] frame = Frames.encode(false, List.of(point), nodes, changed, grouped ? groups : null);
            known.forEach(viewer -> viewer.send(frame));
        }
        if (!fresh.isEmpty()) {
            // What others have been told already.
            decisions.forget();
            Frames.Nodes nodes = new Frames.Nodes(true, look.nodeCount(), board.rows(), board.groupKeys());
            byte[] frame = Frames.encode(true, List.copyOf(points), nodes, decisions.next(), groups);
            fresh.forEach(viewer -> viewer.send(frame));
        }
    }

    private boolean regroup(ClusterLook look) {
        int waiting = look.waiting().values().stream().mapToInt(List::size).sum();
        boolean due = waiting <= MANY_WAITING || ticks % 4 == 0;
        ticks++;
        if (!due) {
            return false;
        }
        List<PendingGroups.Group> next = grouping.of(look.waiting());
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
}
