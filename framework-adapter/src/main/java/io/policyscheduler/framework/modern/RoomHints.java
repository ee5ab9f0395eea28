package io.policyscheduler.framework.modern;

import static io.policyscheduler.framework.plugin.EventKind.EventAction.ADD;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.DELETE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_NODE_ALLOCATABLE;
import static io.policyscheduler.framework.plugin.EventKind.EventAction.UPDATE_POD_SCALE_DOWN;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.DEVICE_CLASS;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.NODE;
import static io.policyscheduler.framework.plugin.EventKind.EventResource.POD;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.framework.devices.ExtendedResources;
import io.policyscheduler.framework.plugin.EventHint;
import io.policyscheduler.framework.plugin.EventHint.Hint;
import io.policyscheduler.framework.plugin.ObjectEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Which changes may help pods that were rejected for what other pods take: NodePorts and NodeResourcesFit. Mirrors the
 * {@code EventsToRegister} of these plugins.
 */
final class RoomHints {
    private RoomHints() {}

    static List<EventHint> ofPorts() {
        return List.of(EventHint.of(RoomHints::freesPort, POD, DELETE), EventHint.of(Hint.ALWAYS, NODE, ADD));
    }

    private static boolean freesPort(PodInfo pod, ObjectEvent event) {
        PodInfo gone = event.pod();
        return hadPlace(gone)
                && hostPorts(gone).stream()
                        .anyMatch(port -> hostPorts(pod).stream().anyMatch(port::conflictsWith));
    }

    /** The ports that a pod holds on its node. */
    static List<HostPort> hostPorts(PodInfo pod) {
        List<HostPort> ports = new ArrayList<>();
        for (Container container : pod.spec().containers()) {
            if (container.runsOn()) {
                ports.addAll(container.hostPorts());
            }
        }
        return ports;
    }

    /** True for a pod that took room on a node, or for which some was kept. */
    static boolean hadPlace(PodInfo gone) {
        return !gone.nodeName().isEmpty() || !gone.nominatedNodeName().isEmpty();
    }

    /** @param extended the resources that devices can satisfy */
    static List<EventHint> ofFit(Resources.ExtendedAmounts extended) {
        List<EventHint> hints = new ArrayList<>(List.of(
                EventHint.of((pod, event) -> hadPlace(event.pod()), POD, DELETE),
                EventHint.of(RoomHints::needsWhatIsGivenBack, POD, UPDATE_POD_SCALE_DOWN),
                EventHint.of((pod, event) -> fitsEmpty(pod, event.node().allocatable(), extended), NODE, ADD),
                EventHint.of((pod, event) -> needsWhatIsNew(pod, event, extended), NODE, UPDATE_NODE_ALLOCATABLE)));
        if (extended.isEnabled()) {
            hints.add(EventHint.of(
                    (pod, event) -> DynamicResources.isProvided(pod, event.old(), event.object()),
                    DEVICE_CLASS,
                    ADD,
                    UPDATE));
        }
        return List.copyOf(hints);
    }

    private static boolean needsWhatIsGivenBack(PodInfo pod, ObjectEvent event) {
        if (event.isAbout(pod)) {
            return true;
        }
        return event.old() instanceof PodInfo old
                && event.now() instanceof PodInfo now
                && !now.nodeName().isEmpty()
                && someWanted(wanted(pod), wanted(now), wanted(old));
    }

    private static boolean needsWhatIsNew(PodInfo pod, ObjectEvent event, Resources.ExtendedAmounts extended) {
        ResourceVector now = event.node().allocatable();
        ResourceVector old = event.nodeBefore().allocatable();
        return fitsEmpty(pod, now, extended) && (old.pods() < now.pods() || someWanted(wanted(pod), old, now));
    }

    private static ResourceVector wanted(PodInfo pod) {
        return pod.resources().current().filter();
    }

    /** True when {@code less} is less than {@code more} of something that is wanted. */
    private static boolean someWanted(ResourceVector wanted, ResourceVector less, ResourceVector more) {
        List<ToLongFunction<ResourceVector>> amounts =
                List.of(ResourceVector::milliCpu, ResourceVector::memory, ResourceVector::ephemeralStorage);
        for (ToLongFunction<ResourceVector> amount : amounts) {
            if (amount.applyAsLong(wanted) > 0 && amount.applyAsLong(less) < amount.applyAsLong(more)) {
                return true;
            }
        }
        for (int i = 0; i < wanted.scalarCount(); i++) {
            String name = wanted.scalarName(i);
            if (wanted.scalarAmount(i) > 0 && less.scalar(name) < more.scalar(name)) {
                return true;
            }
        }
        return false;
    }

    /** True when a node with so much would take the pod if it were empty; resources that a profile ignores count here. */
    private static boolean fitsEmpty(PodInfo pod, ResourceVector allocatable, Resources.ExtendedAmounts extended) {
        ResourceVector wanted = wanted(pod);
        boolean fits = allocatable.pods() >= 1
                && wanted.milliCpu() <= Math.max(0, allocatable.milliCpu())
                && wanted.memory() <= Math.max(0, allocatable.memory())
                && wanted.ephemeralStorage() <= Math.max(0, allocatable.ephemeralStorage());
        ExtendedResources resources = wanted.scalarCount() == 0 ? ExtendedResources.NONE : extended.all();
        for (int i = 0; fits && i < wanted.scalarCount(); i++) {
            String name = wanted.scalarName(i);
            long available = Math.max(0, allocatable.scalar(name));
            fits = wanted.scalarAmount(i) <= available || (available == 0 && resources.provides(name));
        }
        return fits;
    }
}
