package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import io.policyscheduler.framework.devices.cel.SelectorException;
import java.util.List;

/** Says whether a device is what a request asks for; whether it is free is another question. */
final class DeviceJudge {
    private final DeviceSelectors selectors;

    DeviceJudge(DeviceSelectors selectors) {
        this.selectors = selectors;
    }

    /** @throws AllocationException when a selector fails */
    boolean isSelectable(ResourceClaimInfo claim, PreparedRequest request, ResourceSliceInfo slice, Device device)
            throws AllocationException {
        return refusal(claim, request, slice, device).isEmpty();
    }

    /**
     * What speaks against the device, for people; empty when nothing does.
     *
     * @throws AllocationException when a selector fails
     */
    String refusal(ResourceClaimInfo claim, PreparedRequest request, ResourceSliceInfo slice, Device device)
            throws AllocationException {
        if (device.binding() == Device.Binding.CONDITIONS) {
            return "it has binding conditions, which are not supported";
        }
        String ofClass = "class " + request.deviceClass().name();
        String refused = refusal(ofClass, request.deviceClass().selectors(), slice.driver(), device);
        return refused.isEmpty()
                ? refusal("claim " + claim.key(), request.wanted().selectors(), slice.driver(), device)
                : refused;
    }

    private String refusal(String place, List<DeviceSelector> all, String driver, Device device)
            throws AllocationException {
        for (int i = 0; i < all.size(); i++) {
            String expression = all.get(i).expression();
            if (expression == null) {
                throw new AllocationException(
                        place + ": selector #" + i + ": CEL expression empty (unsupported selector type?)");
            }
            try {
                if (!selectors.wants(expression, driver, device)) {
                    return place + ", selector #" + i + " is false: " + expression;
                }
            } catch (SelectorException e) {
                throw new AllocationException(place + ": selector #" + i + ": " + e.getMessage());
            }
        }
        return "";
    }
}
