package io.policyscheduler.framework.devices;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.MapMaker;
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
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A cache of compiled selectors and of their results by device. A result is valid until the slice of the device changes, because
 * devices are immutable and a changed slice has new ones. Its size is limited, whatever expressions claims contain.
 */
final class DeviceSelectors {
    /** Maximum size, in units of about 64 bytes. */
    private static final long CACHE_UNITS = 1_000_000;

    private static final int UNITS_OF_EXPRESSION = 50;
    private static final int UNITS_PER_CHARACTER = 2;

    private final Cache<String, Compiled> compiled = CacheBuilder.newBuilder()
            .concurrencyLevel(1)
            .maximumWeight(CACHE_UNITS)
            .<String, Compiled>weigher((expression, known) -> UNITS_OF_EXPRESSION
                    + UNITS_PER_CHARACTER * expression.length()
                    + known.results().size())
            .build();

    private final AllocatorVariant variant;

    DeviceSelectors(AllocatorVariant variant) {
        this.variant = variant;
    }

    /**
     * A selector, or the error of its compilation.
     *
     * @param results results by device, compared by identity
     */
    private record Compiled(
            @Nullable Selector selector, @Nullable SelectorException problem, ConcurrentMap<Device, Verdict> results) {}

    private record Verdict(boolean matches, @Nullable SelectorException problem) {
        static final Verdict YES = new Verdict(true, null);
        static final Verdict NO = new Verdict(false, null);
    }

    /**
     * The work that the selectors and the search of one attempt may do, over all nodes. Without it, one pod with expensive
     * selectors keeps all other pods waiting: Kubernetes limits each evaluation and each node only. Owned by one thread.
     */
    public static final class SelectorBudget {
        /** Maximum CEL cost of an attempt, about 1 s of CPU time. Kubernetes allows half of it for one evaluation. */
        static final long MAX_COST = 2_000_000;

        /** Maximum steps of the search in an attempt. */
        static final long MAX_STEPS = 5_000_000;

        private static final long COST_OF_COMPILATION = 2000;
        private static final long COST_PER_CHARACTER = 6;

        private final long maxCost;
        private long cost;
        private long steps;
        private boolean exceeded;

        /** A new budget for an attempt. */
        public SelectorBudget() {
            this(MAX_COST);
        }

        SelectorBudget(long maxCost) {
            this.maxCost = maxCost;
        }

        /** A budget without limits, for selectors that no user of a namespace writes. */
        static SelectorBudget unlimited() {
            return new SelectorBudget(Long.MAX_VALUE);
        }

        /** Returns whether the attempt ended, or lost a node, because of this budget. */
        public boolean isExceeded() {
            return exceeded;
        }

        private void checkCost() throws AllocationException {
            if (cost >= maxCost) {
                exceeded = true;
                throw new AllocationException("the CEL selectors of the pod's resource claims exceed the cost limit of "
                        + maxCost + " per attempt; the next attempt continues with the cached results");
            }
        }

        private void charge(long more) {
            cost += more;
        }

        private void chargeCompilation(int length) {
            charge(COST_OF_COMPILATION + COST_PER_CHARACTER * length);
        }

        /** Counts a step of the search; returns false if the attempt has used all of them. */
        boolean step() {
            if (++steps <= MAX_STEPS || maxCost == Long.MAX_VALUE) {
                return true;
            }
            exceeded = true;
            return false;
        }
    }

    /**
     * Returns whether an expression matches a device.
     *
     * @throws SelectorException if the compilation or the evaluation fails
     * @throws AllocationException if the result is not cached and the budget is exceeded
     */
    boolean matches(String expression, String driver, Device device, SelectorBudget budget)
            throws SelectorException, AllocationException {
        Compiled known = compiled.getIfPresent(expression);
        Verdict verdict = known == null ? null : known.results().get(device);
        if (verdict == null) {
            budget.checkCost();
            if (known == null) {
                budget.chargeCompilation(expression.length());
                known = compile(expression);
            }
            verdict = evaluate(known, driver, device, budget);
            known.results().put(device, verdict);
            // The cache weighs an entry when it is put.
            compiled.put(expression, known);
        } else {
            budget.step();
        }
        if (verdict.problem() != null) {
            throw verdict.problem();
        }
        return verdict.matches();
    }

    private Verdict evaluate(Compiled known, String driver, Device device, SelectorBudget budget) {
        if (known.selector() == null) {
            return new Verdict(false, known.problem());
        }
        try {
            return known.selector().matches(driver, device, variant.readsSharing(), budget::charge)
                    ? Verdict.YES
                    : Verdict.NO;
        } catch (SelectorException e) {
            return new Verdict(false, e);
        }
    }

    private static Compiled compile(String expression) {
        ConcurrentMap<Device, Verdict> results =
                new MapMaker().concurrencyLevel(1).weakKeys().makeMap();
        try {
            return new Compiled(SelectorCompiler.shared().compile(expression), null, results);
        } catch (SelectorException e) {
            return new Compiled(null, e, results);
        }
    }

    /** Matches devices with the selectors of a request and of its class, regardless of allocations. */
    static final class DeviceMatcher {
        private final DeviceSelectors selectors;
        private final AllocatorVariant variant;
        private final SelectorBudget budget;

        DeviceMatcher(DeviceSelectors selectors, AllocatorVariant variant, SelectorBudget budget) {
            this.selectors = selectors;
            this.variant = variant;
            this.budget = budget;
        }

        /** @throws AllocationException if a selector fails */
        boolean isOfClass(DeviceClassInfo deviceClass, PooledDevice slot) throws AllocationException {
            String place = "class " + deviceClass.name();
            return rejection(place, deviceClass.selectors(), slot.slice().driver(), slot.device())
                    .isEmpty();
        }

        /** @throws AllocationException if a selector fails */
        boolean isSelectable(ResourceClaimInfo claim, PreparedRequest request, PooledDevice slot)
                throws AllocationException {
            return rejection(claim, request, slot).isEmpty();
        }

        /**
         * Returns the reason why the device does not match; empty if it does.
         *
         * @throws AllocationException if a selector fails
         */
        String rejection(ResourceClaimInfo claim, PreparedRequest request, PooledDevice slot)
                throws AllocationException {
            if (slot.device().hasBindingConditions() && !variant.honorsDeviceFeatures()) {
                return "it has binding conditions, which Kubernetes supports since 1.36";
            }
            String driver = slot.slice().driver();
            String ofClass = "class " + request.deviceClass().name();
            String rejected = rejection(ofClass, request.deviceClass().selectors(), driver, slot.device());
            if (rejected.isEmpty()) {
                rejected =
                        rejection("claim " + claim.key(), request.exactRequest().selectors(), driver, slot.device());
            }
            // Kubernetes evaluates the selectors first, so they can fail for devices of other nodes.
            return rejected.isEmpty() && !slot.isOnNode() ? "only other nodes can use it" : rejected;
        }

        private String rejection(String place, List<DeviceSelector> all, String driver, Device device)
                throws AllocationException {
            for (int i = 0; i < all.size(); i++) {
                String expression = all.get(i).expression();
                if (expression == null) {
                    throw new AllocationException(
                            place + ": selector #" + i + ": CEL expression empty (unsupported selector type?)");
                }
                try {
                    if (!selectors.matches(expression, driver, device, budget)) {
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
