package io.policyscheduler.framework.devices;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.DeviceClassInfo;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceSelector;
import io.policyscheduler.engine.cluster.object.ResourceClaimInfo;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocationException;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import io.policyscheduler.framework.devices.RequestValidator.PreparedRequest;
import io.policyscheduler.framework.devices.cel.Selector;
import io.policyscheduler.framework.devices.cel.Selector.SelectorException;
import io.policyscheduler.framework.devices.cel.SelectorCompiler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cache of compiled selectors and of their results by device. Devices are immutable: a changed slice has new ones. */
public final class DeviceSelectors {
    private static final int EXPRESSIONS = 1000;
    private static final int DEVICES = 100_000;

    private final Cache<String, Compiled> compiled =
            CacheBuilder.newBuilder().maximumSize(EXPRESSIONS).build();
    private final Cache<Device, Map<String, Verdict>> verdicts =
            CacheBuilder.newBuilder().weakKeys().maximumSize(DEVICES).build();

    /** A selector, or the error of its compilation. */
    private record Compiled(
            @Nullable Selector selector, @Nullable SelectorException problem) {}

    private record Verdict(boolean wanted, @Nullable SelectorException problem) {}

    /**
     * Returns whether an expression matches a device.
     *
     * @throws SelectorException if the compilation or the evaluation fails
     */
    boolean wants(String expression, String driver, Device device) throws SelectorException {
        Map<String, Verdict> known = verdicts.getIfPresent(device);
        if (known == null) {
            known = new HashMap<>();
            verdicts.put(device, known);
        }
        Verdict verdict = known.get(expression);
        if (verdict == null) {
            verdict = ask(expression, driver, device);
            known.put(expression, verdict);
        }
        if (verdict.problem() != null) {
            throw verdict.problem();
        }
        return verdict.wanted();
    }

    private Verdict ask(String expression, String driver, Device device) {
        Compiled known = compiled.getIfPresent(expression);
        if (known == null) {
            known = compile(expression);
            compiled.put(expression, known);
        }
        if (known.selector() == null) {
            return new Verdict(false, known.problem());
        }
        try {
            return new Verdict(known.selector().matches(driver, device), null);
        } catch (SelectorException e) {
            return new Verdict(false, e);
        }
    }

    private Compiled compile(String expression) {
        try {
            return new Compiled(SelectorCompiler.shared().compile(expression), null);
        } catch (SelectorException e) {
            return new Compiled(null, e);
        }
    }

    /** Matches devices with the selectors of a request and of its class, regardless of allocations. */
    static final class DeviceMatcher {
        private final DeviceSelectors selectors;
        private final AllocatorVariant variant;

        DeviceMatcher(DeviceSelectors selectors, AllocatorVariant variant) {
            this.selectors = selectors;
            this.variant = variant;
        }

        /** @throws AllocationException if a selector fails */
        boolean isOfClass(DeviceClassInfo deviceClass, PooledDevice slot) throws AllocationException {
            String place = "class " + deviceClass.name();
            return refusal(place, deviceClass.selectors(), slot.slice().driver(), slot.device())
                    .isEmpty();
        }

        /** @throws AllocationException if a selector fails */
        boolean isSelectable(ResourceClaimInfo claim, PreparedRequest request, PooledDevice slot)
                throws AllocationException {
            return refusal(claim, request, slot).isEmpty();
        }

        /**
         * Returns the reason why the device does not match; empty if it does.
         *
         * @throws AllocationException if a selector fails
         */
        String refusal(ResourceClaimInfo claim, PreparedRequest request, PooledDevice slot) throws AllocationException {
            if (slot.device().hasBindingConditions() && !variant.honorsDeviceFeatures()) {
                return "it has binding conditions, which Kubernetes supports since 1.36";
            }
            String driver = slot.slice().driver();
            String ofClass = "class " + request.deviceClass().name();
            String refused = refusal(ofClass, request.deviceClass().selectors(), driver, slot.device());
            return refused.isEmpty()
                    ? refusal("claim " + claim.key(), request.wanted().selectors(), driver, slot.device())
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
}
