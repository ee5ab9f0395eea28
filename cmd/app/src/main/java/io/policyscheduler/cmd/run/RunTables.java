package io.policyscheduler.cmd.run;

import com.google.common.base.Ticker;
import io.policyscheduler.cmd.history.DecisionHistory;
import io.policyscheduler.cmd.history.DecisionHistory.TableSource;
import io.policyscheduler.cmd.history.DecisionLog;
import io.policyscheduler.cmd.history.DecisionRecord.TableMark;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.cmd.live.LiveScheduler;
import io.policyscheduler.cmd.live.PolicyCanary;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.metrics.PolicyMetrics.Tables;
import io.policyscheduler.cmd.metrics.ProcessMetrics.History;
import io.policyscheduler.cmd.metrics.ProcessMetrics.Requests;
import io.policyscheduler.cmd.metrics.SchedulerMetrics;
import io.policyscheduler.cmd.metrics.SchedulerMetrics.PhaseMetrics;
import io.policyscheduler.cmd.page.PageRates;
import io.policyscheduler.cmd.table.TableFeeds;
import io.policyscheduler.cmd.table.TableFeeds.TableListener;
import io.policyscheduler.cmd.table.WatchedTables;
import io.policyscheduler.cmd.table.WatchedTables.TableEvents;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The tables of the policies in effect: followed while the scheduler runs, with metrics and status. Thread-safe. */
final class RunTables implements TableSource, AutoCloseable {
    private final Tables metrics;
    /** Null before the scheduler runs. */
    private volatile @Nullable TableFeeds feeds;

    private volatile @Nullable WatchedTables sources;

    private volatile CurrentTables inEffect = new CurrentTables(0, Map.of());

    /**
     * The tables of the profiles in effect.
     *
     * @param generation of the profiles
     * @param tables by scheduler name
     */
    private record CurrentTables(long generation, Map<String, RuleTables> tables) {
        static CurrentTables of(long generation, List<ProfileSettings> profiles) {
            Map<String, RuleTables> tables = new TreeMap<>();
            // A canary follows the profile with the same name.
            profiles.forEach(profile ->
                    tables.putIfAbsent(profile.schedulerName(), profile.source().tables()));
            return new CurrentTables(generation, tables);
        }
    }

    RunTables(PrometheusRegistry registry) {
        metrics = new Tables(registry, this::states, Clock.systemUTC());
    }

    /** Starts to follow the tables of these profiles. */
    void start(LiveScheduler live, KubeConnection connection, String name, List<ProfileSettings> profiles) {
        WatchedTables watched = WatchedTables.of(connection, Set.of());
        TableEvents events = new TableEvents(
                connection, name, name + "-" + LeaderElectionConfig.hostName(), Clock.systemUTC(), live::isLeader);
        sources = watched;
        feeds = new TableFeeds(watched, live.scheduler()::post, new TableCounter(events));
        follow(1, profiles);
    }

    /**
     * Follows the tables of these profiles instead of the earlier ones.
     *
     * @param generation of the profiles
     */
    void follow(long generation, List<ProfileSettings> profiles) {
        inEffect = CurrentTables.of(generation, profiles);
        TableFeeds known = feeds;
        if (known != null) {
            known.follow(tables(profiles));
        }
    }

    /** Returns the tables of each profile. */
    static List<RuleTables> tables(List<ProfileSettings> profiles) {
        return profiles.stream().map(profile -> profile.source().tables()).toList();
    }

    @Override
    public List<TableMark> of(long generation, String schedulerName) {
        CurrentTables known = inEffect;
        RuleTables tables = known.generation() == generation ? known.tables().get(schedulerName) : null;
        return tables == null
                ? List.of()
                : tables.get().states().values().stream().map(TableMark::of).toList();
    }

    /** The health note about tables: their number, and the number of those with old values or failing refreshes. */
    Optional<String> note() {
        SortedMap<String, TableState> states = states();
        long troubled = states.values().stream()
                .filter(state -> state.stale() > 0 || state.problem() != null)
                .count();
        return troubled == 0
                ? Optional.empty()
                : Optional.of(troubled + " of " + states.size() + " are not up to date");
    }

    /** Generation of each table, by name. */
    SortedMap<String, Long> generations() {
        SortedMap<String, Long> generations = new TreeMap<>();
        states().forEach((table, state) -> generations.put(table, state.generation()));
        return generations;
    }

    private SortedMap<String, TableState> states() {
        TableFeeds known = feeds;
        return known == null ? new TreeMap<>() : known.states();
    }

    private final class TableCounter implements TableListener {
        private final TableListener next;

        TableCounter(TableListener next) {
            this.next = next;
        }

        @Override
        public void onChanged(TableDefinition table, TableState state) {
            metrics.changed(table.name());
            next.onChanged(table, state);
        }

        @Override
        public void onRefused(TableDefinition table, TableState state) {
            metrics.refused(table.name());
            next.onRefused(table, state);
        }

        @Override
        public void onRecovered(TableDefinition table, TableState state) {
            next.onRecovered(table, state);
        }

        @Override
        public void onStale(TableDefinition table, TableState state) {
            next.onStale(table, state);
        }
    }

    @Override
    public void close() {
        TableFeeds known = feeds;
        if (known != null) {
            known.close();
        }
        WatchedTables watched = sources;
        if (watched != null) {
            watched.close();
        }
    }

    /** All listeners of {@code run}: log, metrics, decision history, page. */
    static final class Listeners {
        private final DecisionHistory history;
        private final PageRates rates = new PageRates();
        private final SchedulerListener all;

        /**
         * Registers the metrics, and listens to the calls of the connection.
         *
         * @param name of the scheduler in metrics
         * @param preemption whether unschedulable pods preempt
         * @param remembered capacity of the decision history
         * @param tables tables that rules read
         * @param lines logs what the scheduler does
         * @param log the decision log; null for none
         * @param canary the monitor of a canary; null for none
         */
        Listeners(
                PrometheusRegistry registry,
                String name,
                boolean preemption,
                int remembered,
                TableSource tables,
                SchedulerListener lines,
                @Nullable DecisionLog log,
                @Nullable PolicyCanary canary,
                KubeConnection connection) {
            SchedulerMetrics metrics =
                    new SchedulerMetrics(registry, name, preemption, Ticker.systemTicker(), SteadyClock.system());
            PhaseMetrics phases = new PhaseMetrics(registry, name, Ticker.systemTicker());
            Requests calls = new Requests(registry);
            connection.listen((method, host, code, nanos) -> {
                calls.called(method, host, code, nanos);
                rates.called(method, host, code, nanos);
            });
            history = new DecisionHistory(remembered, Clock.systemUTC(), tables, log);
            History.register(registry, history::bytes);
            if (log != null) {
                History.registerLog(registry, log::written, log::dropped, log::failed, log::bytes);
            }
            SchedulerListener usual = SchedulerListener.all(lines, metrics, phases, history, rates);
            if (canary != null) {
                canary.register(registry);
            }
            all = canary == null ? usual : SchedulerListener.all(usual, canary);
        }

        DecisionHistory history() {
            return history;
        }

        PageRates rates() {
            return rates;
        }

        /** The listener for the scheduler. */
        SchedulerListener all() {
            return all;
        }
    }
}
