package io.policyscheduler.framework.scheduler.loop;

import io.policyscheduler.framework.scheduler.api.SchedulerListener;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.framework.scheduler.backend.Cache;
import io.policyscheduler.framework.scheduler.backend.Cache.InformerStore;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue;
import io.policyscheduler.framework.scheduler.backend.SchedulingQueue.Times;
import io.policyscheduler.framework.scheduler.binding.BindResults;
import io.policyscheduler.framework.scheduler.binding.BindingCycle;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles;
import io.policyscheduler.framework.scheduler.binding.CurrentProfiles.PluginCalls;
import io.policyscheduler.framework.scheduler.binding.FailureRecorder;
import io.policyscheduler.framework.scheduler.binding.PodReports;
import io.policyscheduler.framework.scheduler.binding.PodRereader;
import io.policyscheduler.framework.scheduler.binding.PodsInFlight;
import io.policyscheduler.framework.scheduler.binding.Requeuer;
import io.policyscheduler.framework.scheduler.binding.SchedulerState;
import io.policyscheduler.framework.scheduler.binding.SchedulerState.SchedulerContext;
import io.policyscheduler.framework.scheduler.binding.WaitingPodsMap;
import io.policyscheduler.framework.scheduler.loop.KubeletRejections.RejectionEvents;
import java.time.Clock;
import java.util.function.BooleanSupplier;

/** The components of a scheduler and their wiring. */
final class SchedulerComponents {
    final SchedulerOptions options;
    final SchedulerListener listener;
    final Clock clock;
    final SchedulerState state;
    final SchedulerContext context;
    final CurrentProfiles profiles;
    final WaitingPodsMap permitWaits;
    final Requeuer requeuer;
    final PodReports reports;
    final FailureRecorder failures;
    final BindResults bindResults;
    final BindingCycle bindings;
    final PodRereader rereads;
    final RejectionEvents rejectionEvents;
    final PodEvents podEvents;
    final PodUpdateFilter podUpdates;
    final UnreadablePods unreadablePods;
    final NodeEvents nodeEvents;
    final ObjectEvents objectEvents;

    /** @param leads false while another process schedules, which reports instead */
    SchedulerComponents(Scheduler.Builder given, BooleanSupplier leads) {
        options = given.options;
        listener = given.listener;
        clock = given.clock;
        SchedulingQueue queue = new SchedulingQueue(
                clock,
                new Times(
                        options.initialBackoff(),
                        options.maxBackoff(),
                        options.unschedulableTimeout(),
                        options.eventTimeout()),
                listener::onIncoming,
                given.profiles.queuePolicy(options.requeueHints()));
        Cache cache = new Cache(given.state, clock, options.assumedTtl());
        PodsInFlight inFlight = new PodsInFlight();
        state = new SchedulerState(given.state, new InformerStore(), cache, queue, inFlight);
        context = new SchedulerContext(given.writer, given.inbox, listener, clock, given.wallClock);
        profiles = new CurrentProfiles(given.profiles, inFlight, new PluginCalls(given.pluginCalls, given.inbox));
        permitWaits = given.permitWaits;
        requeuer = new Requeuer(state, context);
        reports = new PodReports(given.writer, given.wallClock, profiles);
        failures = new FailureRecorder(requeuer, reports, listener, queue);
        bindResults = new BindResults(state, context, profiles, reports, failures, permitWaits);
        bindings = new BindingCycle(state, context, profiles, failures, reports, permitWaits, bindResults);
        rejectionEvents = new RejectionEvents(given.kubeletRejections, queue, context, reports, profiles, leads);
        podEvents = new PodEvents(state, listener, profiles, bindResults, rejectionEvents);
        podUpdates = new PodUpdateFilter(state, context, podEvents);
        unreadablePods = new UnreadablePods(state, podUpdates, profiles, reports, leads);
        rereads = new PodRereader(state, context, requeuer, bindings, bindResults, podUpdates);
        nodeEvents = new NodeEvents(state, given.kubeletRejections);
        objectEvents = new ObjectEvents(state);
        given.state.assumedClaims().whenFreed(objectEvents::allocationGivenUp);
    }
}
