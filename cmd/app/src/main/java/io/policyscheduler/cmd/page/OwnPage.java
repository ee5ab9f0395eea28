package io.policyscheduler.cmd.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionPage;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.http.StatusServer.HealthReport.Check;
import io.policyscheduler.cmd.page.LivePage.PageAddition;
import io.policyscheduler.cmd.page.PageSource.SchedulerSource;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.policyscheduler.framework.scheduler.loop.Scheduler;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import java.util.function.Supplier;

/** The live page of a command that has no status port, with all that it needs. */
public final class OwnPage implements AutoCloseable {
    private static final int DECISIONS = 2000;

    private final PageRates rates = new PageRates();
    private final DecisionHistory history;
    private final LivePage page;
    private final PagePort port;

    /**
     * Serves the page, which shows nothing yet.
     *
     * @param address port 0 for any free one
     * @param policy what is in effect: an array of profiles
     * @param tieBreak how ties are broken, in words
     * @param clock the time that users see
     * @param addition one more view; {@link PageAddition#NONE} for none
     * @throws IOException when the address cannot be used; the message is one line for users
     */
    public OwnPage(
            InetSocketAddress address, Supplier<JsonNode> policy, String tieBreak, Clock clock, PageAddition addition)
            throws IOException {
        history = new DecisionHistory(DECISIONS, clock);
        page = new LivePage(history, rates, policy, clock, addition);
        try {
            port = new PagePort(address, page, history, tieBreak, addition.limits());
        } catch (IOException e) {
            page.close();
            throw e;
        }
    }

    /** To be told of calls, and of what a scheduler does, for the plots. */
    public PageRates rates() {
        return rates;
    }

    /** To be told of decisions; belongs to the thread that decides. */
    public DecisionHistory history() {
        return history;
    }

    /** Shows a scheduler from now on. */
    public void follow(Scheduler scheduler) {
        page.follow(new SchedulerSource(scheduler));
    }

    /** Where it is. */
    public String url() {
        return port.url();
    }

    @Override
    public void close() {
        port.close();
        page.close();
    }

    /** A port for the page alone, for commands that have no status port. Everybody who reaches it may look. */
    public static final class PagePort implements AutoCloseable {
        private final StatusServer server;

        /**
         * Starts to serve.
         *
         * @param address port 0 for any free one
         * @param page stays the caller's
         * @param history what {@code /debug/decisions} tells
         * @param tieBreak how ties are broken, as that page tells it
         * @throws IOException when the address cannot be used; the message is one line for users
         */
        public PagePort(InetSocketAddress address, LivePage page, DecisionHistory history, String tieBreak)
                throws IOException {
            this(address, page, history, tieBreak, Limits.withoutBodies());
        }

        /** The same where requests have bodies. */
        PagePort(InetSocketAddress address, LivePage page, DecisionHistory history, String tieBreak, Limits limits)
                throws IOException {
            List<Check> well = List.of(Check.PING);
            StatusContent content = new StatusContent(
                    well, well, well, new PrometheusRegistry(), () -> "{}", new DecisionPage(history, tieBreak), page);
            this.server = new StatusServer(address, content, limits);
        }

        /** Where the page is. */
        public String url() {
            return "http://" + ListenAddress.text(server.address()) + "/";
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
