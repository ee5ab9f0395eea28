package io.policyscheduler.tests.simulation;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.framework.cycle.Decision;
import io.policyscheduler.framework.scheduler.backend.QueuedPod.Part;
import io.policyscheduler.framework.scheduler.loop.SchedulerAudit;
import java.util.ArrayList;
import java.util.List;

/** Checks the invariants after every step and records violations. */
final class Audit {
    /** The longest outage of the server. */
    static final long OUTAGE_MILLIS = 20_000;
    /** The longest time between two attempts of a pod for which nothing changes. */
    static long retryMillis(Scenario scenario) {
        return WaitAudit.unschedulableMillis(scenario) + WaitAudit.BACKOFF_MILLIS;
    }

    private final SimulationRun simulation;
    private final PlacementAudit placement;
    private final WaitAudit waits;
    private final WakeUpAudit wakeUps;
    private final OrderAudit order;
    private final DeviceAudit devices;
    private final List<String> violations = new ArrayList<>();

    Audit(SimulationRun simulation) {
        this.simulation = simulation;
        this.devices = new DeviceAudit(simulation, this::violation);
        this.placement = new PlacementAudit(simulation, devices, this::violation);
        this.waits = new WaitAudit(simulation, this::violation);
        this.wakeUps = new WakeUpAudit(simulation, this::violation);
        this.order = new OrderAudit(this::violation);
    }

    void violation(String text) {
        violations.add(text);
        simulation.trace().add("VIOLATION " + text);
    }

    List<String> violations() {
        return violations;
    }

    void decided(PodInfo pod, Decision decision) {
        SchedulerProcess process = simulation.process();
        if (process == null) {
            violation("a dead process decides");
            return;
        }
        order.decided(process, pod);
        waits.decided(pod);
        wakeUps.decided(pod);
        if (decision.node() != null) {
            placement.decided(process, pod, decision.node());
            devices.decided(process, pod);
        }
    }

    void requeued(PodInfo pod, Part part) {
        order.requeued(pod, part);
    }

    void bindFailed(PodInfo pod) {
        order.bindFailed(pod);
    }

    /** Called when a bind by our scheduler is carried out, whenever it was sent. */
    void bound(String pod, String node) {
        placement.bound(pod, node);
    }

    /** Called when a write of a claim by our scheduler is carried out. */
    void claimWritten(String claim, int process) {
        devices.written(claim, process);
    }

    void beforeRun() {
        order.beforeRun();
    }

    void afterRun(boolean did) {
        SchedulerProcess process = simulation.process();
        if (!did || process == null) {
            return;
        }
        SchedulerAudit.violations(process.scheduler()).forEach(this::violation);
        order.afterRun(process);
        wakeUps.afterRun();
        NominationAudit.check(process, this::violation);
    }

    void follow() {
        placement.follow();
    }

    void afterStep() {
        waits.afterStep();
        wakeUps.afterStep();
    }

    void calm() {
        waits.restart();
    }

    void processEnded() {
        waits.restart();
        wakeUps.restart();
        order.restart();
    }

    void atRest(SchedulerProcess process) {
        new RestAudit(simulation, process, this::violation).check();
        devices.atRest(process);
    }
}
