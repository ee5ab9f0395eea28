package io.policyscheduler.cmd.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.page.LivePage;
import io.policyscheduler.cmd.page.PagePort;
import io.policyscheduler.cmd.page.PageRates;
import io.policyscheduler.cmd.page.PageSource;
import io.policyscheduler.cmd.workload.BenchWorld;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.loop.SchedulerCounts;
import io.policyscheduler.framework.scheduler.queue.QueuePart;
import io.policyscheduler.framework.scheduler.queue.QueuedPod;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The live page of one run, served over HTTP as {@code run} does, and somebody who has it open. */
final class BenchPage implements PageSource, Beside {
    /** For how long a decision counts, and a bind. */
    private static final long NANOS = 1;

    private static final Logger LOG = LoggerFactory.getLogger(BenchPage.class);

    private final Queue<Consumer<Inside>> looks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger frames = new AtomicInteger();
    private final PageRates rates = new PageRates();
    private final State state;
    private final LivePage page;
    private final PagePort port;
    private final InputStream stream;

    /** @throws IOException when no port of the loopback address can be opened */
    BenchPage(BenchWorld world, DecisionHistory history) throws IOException {
        state = new State(world);
        page = new LivePage(history, rates, JsonNodeFactory.instance::arrayNode, Clock.systemUTC());
        page.follow(this);
        port = new PagePort(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), page, history, "round-robin");
        stream = URI.create(port.url() + "ui/events").toURL().openStream();
        new ThreadFactoryBuilder()
                .setNameFormat("bench-viewer")
                .setDaemon(true)
                .build()
                .newThread(this::read)
                .start();
    }

    private void read() {
        byte[] buffer = new byte[1 << 16];
        int last = 0;
        try {
            for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                for (int i = 0; i < n; i++) {
                    // An empty line ends an event.
                    if (buffer[i] == '\n' && last == '\n') {
                        frames.incrementAndGet();
                    }
                    last = buffer[i];
                }
            }
        } catch (IOException e) {
            LOG.debug("closed", e);
        }
    }

    /** Frames that have come in. */
    @Override
    public int events() {
        return frames.get();
    }

    @Override
    public void post(Consumer<Inside> look) {
        looks.add(look);
    }

    /** Lets the page look; between two decisions, as the scheduling thread does. */
    @Override
    public void deciding() {
        for (Consumer<Inside> look = looks.poll(); look != null; look = looks.poll()) {
            look.accept(state);
        }
    }

    @Override
    public void decided(PodInfo pod, Decision decision) {
        rates.onDecision(pod, decision, NANOS);
        QueuedPod entry = state.waiting.get(state.done);
        String node = decision.node();
        if (node != null) {
            rates.onBound(entry, node, NANOS);
        }
        state.done++;
    }

    @Override
    public void close() {
        port.close();
        page.close();
        try {
            stream.close();
        } catch (IOException e) {
            LOG.debug("closed already", e);
        }
    }

    private static final class State implements Inside {
        private final BenchWorld world;
        private final List<QueuedPod> waiting;
        private int done;

        State(BenchWorld world) {
            this.world = world;
            Instant now = Instant.now(Clock.systemUTC());
            this.waiting = world.pending.stream()
                    .map(pod -> new QueuedPod(pod, now, 0, 1, now, now, Set.of()))
                    .toList();
        }

        @Override
        public ClusterState cluster() {
            return world.cluster;
        }

        @Override
        public SchedulerCounts counts() {
            return new SchedulerCounts(waiting.size() - done, 0, 0, 0, 0, 0, done, world.cluster.nodeCount());
        }

        @Override
        public List<QueuedPod> waiting(QueuePart part) {
            return part == QueuePart.ACTIVE ? List.copyOf(waiting.subList(done, waiting.size())) : List.of();
        }

        @Override
        public @Nullable QueuePart partOf(String key) {
            return null;
        }

        @Override
        public @Nullable PodInfo pod(String namespace, String name) {
            return null;
        }
    }
}
