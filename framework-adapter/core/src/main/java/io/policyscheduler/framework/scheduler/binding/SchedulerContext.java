package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.time.Clock;

/**
 * The API server, the inbox, and the listener of the scheduling thread.
 *
 * @param writer calls the API server; answers come back through the inbox
 * @param inbox brings things back to the scheduling thread
 * @param listener receives a callback for each step
 * @param clock measures waits
 */
public record SchedulerContext(
        ClusterWriter writer, EventInbox inbox, SchedulerListener listener, Clock clock, Clock wallClock) {}
