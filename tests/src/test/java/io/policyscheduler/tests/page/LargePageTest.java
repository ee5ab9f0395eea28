package io.policyscheduler.tests.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.page.LivePage;
import io.policyscheduler.cmd.page.OwnPage.PagePort;
import io.policyscheduler.cmd.page.PageRates;
import io.policyscheduler.cmd.page.PageSource;
import io.policyscheduler.cmd.snapshot.BenchCluster;
import io.policyscheduler.cmd.snapshot.Workload;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.scheduler.backend.QueuedPod;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.Scheduler.Counts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The page with 5,000 nodes and 20,000 pods, of which 2,000 per second are bound. {@code -Dpage.figures=true} writes measurements to {@code
 * tests/target/page-figures.txt}.
 */
@EnabledIfSystemProperty(named = "page.figures", matches = "true", disabledReason = "measures; see docs/tasks/ui.md")
class LargePageTest {
    private static final int NODES = 5000;
    private static final int PODS = 20_000;
    private static final int WAITING = 5000;
    private static final int BOUND_AT_A_LOOK = 1000;

    /** Times of frames and of the scripts that draw them, over ten seconds. */
    private static final String MEASURE = """
        return new Promise(done => {
          const gaps = [];
          const start = performance.now();
          let last = start;
          const next = now => {
            gaps.push(now - last);
            last = now;
            if (now - start < 10000) {
              requestAnimationFrame(next);
            } else {
              const work = performance.getEntriesByName('page-update').map(one => one.duration).sort((a, b) => a - b);
              gaps.sort((a, b) => a - b);
              done([gaps[Math.floor(gaps.length * 0.99)], work[Math.floor(work.length / 2)], work.at(-1), work.length].join(' '));
            }
          };
          requestAnimationFrame(next);
        })\
        """;

    /** A cluster that has new binds on each read. */
    private static final class Busy implements PageSource, PageSource.SchedulerState, AutoCloseable {
        private final ExecutorService owner = Executors.newSingleThreadExecutor();
        private final BenchCluster benchCluster = new BenchCluster(Workload.MIXED, NODES, PODS, WAITING, 1);
        private final List<QueuedPod> entries = benchCluster.pending.stream()
                .map(pod -> new QueuedPod(pod, Instant.EPOCH, 0, 1, Instant.EPOCH, Instant.EPOCH, Set.of()))
                .toList();
        private int bound;

        @Override
        public void post(Consumer<SchedulerState> look) {
            owner.execute(() -> {
                for (int i = 0; i < BOUND_AT_A_LOOK; i++) {
                    PodInfo pod = benchCluster.pending.get(bound % WAITING);
                    String node = "node-" + bound % NODES;
                    if (bound < WAITING) {
                        benchCluster.cluster.addPod(pod.withNodeName(node));
                    } else {
                        benchCluster.cluster.removePod(pod.withNodeName(node));
                        benchCluster.cluster.addPod(pod.withNodeName(node));
                    }
                    bound++;
                }
                look.accept(this);
            });
        }

        @Override
        public ClusterState cluster() {
            return benchCluster.cluster;
        }

        @Override
        public Counts counts() {
            return new Counts(WAITING, 0, 0, 0, 0, 0, PODS, NODES);
        }

        @Override
        public List<QueuedPod> waiting(Part part) {
            return part == Part.ACTIVE ? List.copyOf(entries) : List.of();
        }

        @Override
        public @Nullable Part partOf(String key) {
            return null;
        }

        @Override
        public @Nullable PodInfo pod(String namespace, String name) {
            return null;
        }

        @Override
        public void close() {
            owner.shutdownNow();
        }
    }

    @Test
    void loadsAndStaysResponsive() throws IOException {
        DecisionHistory history = new DecisionHistory(10, Clock.systemUTC());
        StringBuilder figures = new StringBuilder();
        try (Browser browser = Browser.start();
                Busy busy = new Busy();
                LivePage page =
                        new LivePage(history, new PageRates(), JsonNodeFactory.instance::arrayNode, Clock.systemUTC());
                PagePort port = new PagePort(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), page, history, "first")) {
            page.follow(busy);
            browser.resize(1280, 900);
            for (String view : List.of("#overview", "#pending", "#nodes")) {
                browser.open(port.url() + view);
                browser.awaitTrue("return document.getElementById('summary').textContent.startsWith('5,000 nodes')");
                double loaded = Double.parseDouble(browser.ask("return performance.now()"));
                String[] times = browser.ask(MEASURE).split(" ");
                assertEquals(4, times.length);
                assertTrue(Integer.parseInt(times[3]) > 3, "the page does not follow");
                figures.append(String.format(
                        Locale.ROOT,
                        "%-10s loaded after %.0f ms; 99 %% of pictures within %.0f ms; an update takes %.1f ms, at"
                                + " most %.1f ms%n",
                        view,
                        loaded,
                        Double.parseDouble(times[0]),
                        Double.parseDouble(times[1]),
                        Double.parseDouble(times[2])));
            }
            assertEquals(List.of(), browser.console());
        }
        Files.writeString(Path.of("target", "page-figures.txt"), figures);
    }
}
