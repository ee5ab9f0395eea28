package io.policyscheduler.cmd.page;

import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionPage;
import io.policyscheduler.cmd.http.HealthReport.Check;
import io.policyscheduler.cmd.http.ListenAddress;
import io.policyscheduler.cmd.http.StatusContent;
import io.policyscheduler.cmd.http.StatusServer;
import io.policyscheduler.cmd.server.WebServer.Limits;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** A port for the page alone, for commands that have no status port. Everybody who reaches it may look. */
public final class PagePort implements AutoCloseable {
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
