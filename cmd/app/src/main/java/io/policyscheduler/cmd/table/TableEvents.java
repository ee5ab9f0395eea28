package io.policyscheduler.cmd.table;

import io.policyscheduler.cmd.kube.connection.ApiIoException;
import io.policyscheduler.cmd.kube.connection.ApiResponse;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.kube.write.EventBody;
import io.policyscheduler.cmd.kube.write.EventRecorder.EventText;
import io.policyscheduler.cmd.kube.write.EventRecorder.ObjectReference;
import io.policyscheduler.cmd.table.TableFeeds.TableListener;
import io.policyscheduler.engine.document.GoDuration;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports changes of a table in the log, and in an event for the ConfigMap of the table. Only the leader writes events.
 * Thread-safe.
 */
public final class TableEvents implements TableListener {
    private static final Logger LOG = LoggerFactory.getLogger(TableEvents.class);

    private final KubeConnection connection;
    private final String component;
    private final EventBody bodies;
    private final Clock clock;
    private final BooleanSupplier leads;

    /**
     * @param component the scheduler's name: event source and reporting component
     * @param instance name of this process, such as the host name
     */
    public TableEvents(
            KubeConnection connection, String component, String instance, Clock clock, BooleanSupplier leads) {
        this.connection = connection;
        this.component = component;
        this.bodies = new EventBody(instance);
        this.clock = clock;
        this.leads = leads;
    }

    @Override
    public void onChanged(TableDefinition table, TableState state) {
        String message = "table " + table.name() + " is of generation " + state.generation() + " now, with "
                + state.values().size() + (state.values().size() == 1 ? " key" : " keys") + ", from "
                + table.origin().text();
        if (table.origin().isMeasured()) {
            // Every 30 seconds.
            LOG.debug("{}", message);
            return;
        }
        LOG.info("{}", message);
        write(table, "Normal", "TableChanged", message);
    }

    @Override
    public void onRefused(TableDefinition table, TableState state) {
        if (table.origin().isMeasured()) {
            LOG.warn(
                    "W132 table {}: no values from {}, using the previous ones{}: {}",
                    table.name(),
                    table.origin().text(),
                    table.measuring().staleAfter() == null ? "" : " until they are stale",
                    state.problem());
            return;
        }
        LOG.warn(
                "W131 table {}: new values are rejected, generation {} stays in effect: {}",
                table.name(),
                state.generation(),
                state.problem());
        write(
                table,
                "Warning",
                "TableRefused",
                "table " + table.name() + ": new values are rejected, generation " + state.generation()
                        + " stays in effect: " + state.problem());
    }

    @Override
    public void onRecovered(TableDefinition table, TableState state) {
        if (table.origin().isMeasured()) {
            LOG.info(
                    "table {}: {} has values again",
                    table.name(),
                    table.origin().text());
        }
    }

    @Override
    public void onStale(TableDefinition table, TableState state) {
        Duration age = table.measuring().staleAfter();
        LOG.warn(
                "W133 table {}: {} of {} keys count as missing, their values are older than {}",
                table.name(),
                state.stale(),
                state.stale() + state.values().size(),
                age == null ? "allowed" : GoDuration.format(age));
    }

    private void write(TableDefinition table, String type, String reason, String message) {
        if (!(table.origin() instanceof TableOrigin.ConfigMap map) || !leads.getAsBoolean()) {
            return;
        }
        Instant now = clock.instant();
        String name = EventBody.name(map.name(), TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano());
        ObjectReference object = new ObjectReference(map.namespace(), map.name(), "", "");
        EventText text = new EventText(component, type, reason, EventBody.cut(message), 0);
        try {
            ApiResponse response = connection.post(
                    "/api/v1/namespaces/" + map.namespace() + "/events",
                    bodies.create(name, "v1", "ConfigMap", object, text, now));
            if (!response.success()) {
                LOG.warn("event \"{}\" not written: {}", message, response);
            }
        } catch (ApiIoException e) {
            LOG.debug("event \"{}\" not written: {}", message, e.getMessage());
        }
    }
}
