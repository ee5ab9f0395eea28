package io.policyscheduler.cmd.table;

import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.framework.scheduler.api.ClusterChange;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The tables of one way of deciding, followed by a command that writes nothing to the cluster: changes are told in the log alone. */
public final class LookedUpTables implements AutoCloseable {
    private final WatchedTables sources;
    private final TableFeeds feeds;

    private LookedUpTables(WatchedTables sources, TableFeeds feeds) {
        this.sources = sources;
        this.feeds = feeds;
    }

    /**
     * Begins to follow them.
     *
     * @param connection to read ConfigMaps and measured values by; stays the caller's
     * @param given names of tables whose values users have given, which stay as they are
     * @param owner posts to the thread that decides
     */
    public static LookedUpTables follow(
            KubeConnection connection, RuleTables tables, Set<String> given, Consumer<ClusterChange> owner) {
        WatchedTables sources = WatchedTables.of(connection, given);
        TableFeeds feeds =
                new TableFeeds(sources, owner, new TableEvents(connection, "", "", Clock.systemUTC(), () -> false));
        feeds.follow(List.of(tables));
        return new LookedUpTables(sources, feeds);
    }

    @Override
    public void close() {
        feeds.close();
        sources.close();
    }
}
