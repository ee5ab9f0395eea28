package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;

/** A device where it was found. */
record Slot(ResourceSliceInfo slice, Device device, DeviceId id) {
    static Slot of(ResourceSliceInfo slice, Device device) {
        return new Slot(slice, device, new DeviceId(slice.driver(), slice.pool(), device.name()));
    }

    /** Whether what is allocated of it is tied to the node. */
    boolean isLocal() {
        return !slice.nodeName().isEmpty() || device.bindsToNode();
    }
}
