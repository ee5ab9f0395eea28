package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import java.util.List;

/**
 * A request, or an alternative of one, as the search needs it.
 *
 * @param wanted what is asked for
 * @param parent name of the request of which it is an alternative; empty for a request
 * @param deviceClass its class
 * @param all every device that is asked for, when all are; empty otherwise
 */
record PreparedRequest(DeviceRequest.Wanted wanted, String parent, DeviceClassInfo deviceClass, List<Slot> all) {
    /** As results name it. */
    String resultName() {
        return parent.isEmpty() ? wanted.name() : parent + "/" + wanted.name();
    }

    boolean isAll() {
        return wanted.allocationMode().equals(DeviceRequest.Wanted.ALL);
    }

    /** How many devices it takes. */
    long need() {
        return isAll() ? all.size() : wanted.count();
    }

    /** Whether it is one of those that a constraint or a configuration names. */
    boolean isNamedIn(List<String> requests) {
        return parent.isEmpty()
                ? requests.contains(wanted.name())
                : requests.contains(parent) || requests.contains(resultName());
    }
}
