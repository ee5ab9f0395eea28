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
     * Serves the page, without a state yet.
     *
     * @param address port 0 selects a free one
     * @param policy the profiles in effect, as an array
     * @param tieBreak how ties are broken
     * @param clock the time that users see
     * @param addition an additional view; {@link PageAddition#NONE} for none
     * @throws IOException if the address cannot be used; the message is one line for users
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

    /** The listener for the plots. */
    public PageRates rates() {
        return rates;
    }

    /** The listener for decisions; belongs to the scheduling thread. */
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

    /** A port for the page only, for commands without a status port. There is no authentication. */
    public static final class PagePort implements AutoCloseable {
        private final StatusServer server;

        /**
         * Starts to serve.
         *
         * @param address port 0 selects a free one
         * @param page closed by the caller
         * @param history content of {@code /debug/decisions}
         * @param tieBreak how ties are broken, for that page
         * @throws IOException if the address cannot be used; the message is one line for users
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
