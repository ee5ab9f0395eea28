package io.policyscheduler.framework.scheduler.binding;

import io.policyscheduler.framework.scheduler.api.ClusterWriter;
import io.policyscheduler.framework.scheduler.api.EventInbox;
import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import java.time.Clock;

/**
 * What the scheduling thread asks and tells.
 *
 * @param writer calls the API server; answers come back through the inbox
 * @param inbox brings things back to the scheduling thread
 * @param listener hears what happens
 * @param clock measures waits
 */
public record Surroundings(
        ClusterWriter writer, EventInbox inbox, SchedulerListener listener, Clock clock, Clock wallClock) {}
