package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.AssumedClaims;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.CounterSet;
import io.policyscheduler.engine.cluster.object.Device.DeviceId;
import io.policyscheduler.engine.cluster.object.Device.RequestPolicy;
import io.policyscheduler.engine.cluster.object.DeviceAllocation;
import io.policyscheduler.engine.cluster.object.DeviceRequest;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.framework.devices.DeviceAllocator.AllocatorVariant;
import io.policyscheduler.framework.devices.DevicePools.Counters;
import io.policyscheduler.framework.devices.DevicePools.Pool;
import io.policyscheduler.framework.devices.DevicePools.PooledDevice;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The devices, capacities of shared devices, and shared counters that claims use, during the search on one node. Mirrors {@code
 * checkAvailableCounters} and {@code CmpRequestOverCapacity} of {@code structured/internal}.
 */
final class DeviceUse {
    /**
     * The counters that a pod can still consume, by pool, set, and counter. As in Kubernetes 1.36, pools of different drivers
     * with the same name share one entry, which the first of them to be evaluated in an attempt computes.
     */
    static final class AvailableCounters {
        private final Map<String, Map<String, Map<String, BigDecimal>>> byPool = new HashMap<>();
    }

    private final AssumedClaims known;
    private final AllocatorVariant variant;
    private final AvailableCounters available;
    private final Map<String, Counters> counters = new HashMap<>();
    /** By pool, set, and counter, the amounts that the search has taken. */
    private final Map<String, Map<String, Map<String, BigDecimal>>> consumedCounters = new HashMap<>();
    /** The capacity that the search has taken of shared devices. */
    private final Map<DeviceId, Map<String, BigDecimal>> consumedCapacity = new HashMap<>();

    DeviceUse(AssumedClaims known, List<Pool> pools, AllocatorVariant variant, AvailableCounters available) {
        this.known = known;
        this.variant = variant;
        this.available = available;
        pools.forEach(pool -> counters.put(pool.id(), pool.counters()));
    }

    /** Returns whether a claim has the whole device. */
    boolean isTaken(DeviceId device) {
        return variant.honorsDeviceFeatures() ? known.isFullyAllocated(device) : known.isAllocated(device);
    }

    /** Takes the counters that a device consumes; returns false if they are exhausted. */
    boolean takeCounters(PooledDevice slot, boolean isShared) {
        String pool = slot.slice().pool();
        Map<String, Map<String, BigDecimal>> left =
                available.byPool.computeIfAbsent(pool, name -> available(counters(slot)));
        Map<String, Map<String, BigDecimal>> taken = consumedCounters.computeIfAbsent(pool, name -> new HashMap<>());
        boolean hasConsumers = isShared && (consumedCapacity.containsKey(slot.id()) || hasConsumedCapacity(slot.id()));
        if (!hasConsumers) {
            add(taken, slot.device(), BigDecimal.ONE);
        }
        for (Map.Entry<String, Map<String, BigDecimal>> set : left.entrySet()) {
            Map<String, BigDecimal> ofSet = taken.getOrDefault(set.getKey(), Map.of());
            for (Map.Entry<String, BigDecimal> counter : set.getValue().entrySet()) {
                if (ofSet.getOrDefault(counter.getKey(), BigDecimal.ZERO).compareTo(counter.getValue()) > 0) {
                    if (!hasConsumers) {
                        add(taken, slot.device(), BigDecimal.ONE.negate());
                    }
                    return false;
                }
            }
        }
        return true;
    }

    private boolean hasConsumedCapacity(DeviceId device) {
        return known.usersOf(device).stream()
                .anyMatch(result -> !result.consumed().isEmpty());
    }

    /** Returns the counters of a device that is not shared. */
    void returnCounters(PooledDevice slot) {
        Map<String, Map<String, BigDecimal>> taken =
                consumedCounters.get(slot.slice().pool());
        if (taken != null) {
            add(taken, slot.device(), BigDecimal.ONE.negate());
        }
    }

    private Counters counters(PooledDevice slot) {
        return counters.getOrDefault(slot.slice().driver() + "/" + slot.slice().pool(), Counters.NONE);
    }

    private Map<String, Map<String, BigDecimal>> available(Counters ofPool) {
        Map<String, Map<String, BigDecimal>> left = new HashMap<>();
        ofPool.sets().forEach((set, amounts) -> {
            Map<String, BigDecimal> ofSet = new HashMap<>();
            amounts.forEach((counter, amount) -> ofSet.put(counter, exact(amount)));
            left.put(set, ofSet);
        });
        for (PooledDevice consumer : ofPool.consumers()) {
            if (known.isAllocated(consumer.id())) {
                add(left, consumer.device(), BigDecimal.ONE.negate());
            }
        }
        return left;
    }

    private static void add(Map<String, Map<String, BigDecimal>> amounts, Device device, BigDecimal times) {
        for (CounterSet consumed : device.consumesCounters()) {
            Map<String, BigDecimal> ofSet = amounts.computeIfAbsent(consumed.name(), name -> new HashMap<>());
            consumed.counters()
                    .forEach((counter, amount) ->
                            ofSet.merge(counter, exact(amount).multiply(times), BigDecimal::add));
        }
    }

    /** Returns whether a device has the capacity that a request consumes. */
    boolean hasCapacity(PooledDevice slot, DeviceRequest.RequestedDevices request) {
        return !variant.honorsDeviceFeatures() || consumed(slot, request) != null;
    }

    /** Returns the capacity that a request consumes of a device; null if the device does not have it. */
    @Nullable
    Map<String, BigDecimal> consumed(PooledDevice slot, DeviceRequest.RequestedDevices request) {
        Device device = slot.device();
        Map<String, String> requested = request.capacity() == null ? Map.of() : request.capacity();
        if (!device.capacity().keySet().containsAll(requested.keySet())) {
            return null;
        }
        Map<String, BigDecimal> amounts = new TreeMap<>();
        for (Map.Entry<String, String> capacity : device.capacity().entrySet()) {
            String name = capacity.getKey();
            RequestPolicy policy = device.policies().get(name);
            BigDecimal whole = exact(capacity.getValue());
            BigDecimal amount = amount(requested.get(name), policy, whole);
            if (policy != null && violates(policy, amount)) {
                return null;
            }
            if (usedCapacity(slot.id(), name).add(amount).compareTo(whole) > 0) {
                return null;
            }
            amounts.put(name, amount);
        }
        return amounts;
    }

    private BigDecimal usedCapacity(DeviceId device, String name) {
        BigDecimal used = consumedCapacity.getOrDefault(device, Map.of()).getOrDefault(name, BigDecimal.ZERO);
        for (DeviceAllocation.Result result : known.usersOf(device)) {
            String amount = result.consumed().get(name);
            used = amount == null ? used : used.add(exact(amount));
        }
        return used;
    }

    private static BigDecimal amount(@Nullable String requested, @Nullable RequestPolicy policy, BigDecimal whole) {
        if (requested == null) {
            return policy == null || policy.defaultAmount().isEmpty() ? whole : exact(policy.defaultAmount());
        }
        BigDecimal amount = exact(requested);
        if (policy == null) {
            return amount;
        }
        if (policy.min() != null) {
            BigDecimal min = exact(policy.min());
            if (amount.compareTo(min) < 0) {
                return min;
            }
            return policy.step() == null ? amount : rounded(amount, min, exact(policy.step()));
        }
        for (String value : policy.validValues()) {
            if (exact(value).compareTo(amount) >= 0) {
                return exact(value);
            }
        }
        return amount;
    }

    /** The smallest minimum plus steps that is at least the amount; Kubernetes computes in whole units. */
    private static BigDecimal rounded(BigDecimal amount, BigDecimal min, BigDecimal step) {
        BigInteger start = whole(min);
        BigInteger width = whole(step);
        if (width.signum() <= 0) {
            return amount;
        }
        BigInteger[] steps = whole(amount).subtract(start).divideAndRemainder(width);
        BigInteger count = steps[1].signum() == 0 ? steps[0] : steps[0].add(BigInteger.ONE);
        return new BigDecimal(start.add(count.multiply(width)));
    }

    private static boolean violates(RequestPolicy policy, BigDecimal amount) {
        if (!policy.defaultAmount().isEmpty() && exact(policy.defaultAmount()).compareTo(amount) == 0) {
            return false;
        }
        boolean hasRange = policy.min() != null || policy.max() != null || policy.step() != null;
        if (hasRange) {
            if (policy.max() != null && amount.compareTo(exact(policy.max())) > 0) {
                return true;
            }
            BigInteger step = policy.step() == null ? BigInteger.ZERO : whole(exact(policy.step()));
            BigInteger min = policy.min() == null ? BigInteger.ZERO : whole(exact(policy.min()));
            return step.signum() > 0
                    && whole(amount).subtract(min).remainder(step).signum() != 0;
        }
        return !policy.validValues().isEmpty()
                && policy.validValues().stream().noneMatch(value -> exact(value).compareTo(amount) == 0);
    }

    void addShare(PooledDevice slot, Map<String, BigDecimal> amounts) {
        Map<String, BigDecimal> used = consumedCapacity.computeIfAbsent(slot.id(), id -> new HashMap<>());
        amounts.forEach((name, amount) -> used.merge(name, amount, BigDecimal::add));
    }

    void removeShare(PooledDevice slot, Map<String, BigDecimal> amounts) {
        Map<String, BigDecimal> used = consumedCapacity.get(slot.id());
        // As in Kubernetes 1.36, a device without capacity keeps its share.
        if (used == null || amounts.isEmpty()) {
            return;
        }
        amounts.forEach((name, amount) -> used.merge(name, amount.negate(), BigDecimal::add));
        if (used.values().stream().allMatch(amount -> amount.signum() == 0)) {
            consumedCapacity.remove(slot.id());
        }
    }

    /** Returns a consumed amount as Kubernetes writes it: with the suffix of the quantity that it comes from. */
    static String text(Device device, String name, @Nullable Map<String, String> requested, BigDecimal amount) {
        RequestPolicy policy = device.policies().get(name);
        List<@Nullable String> origins = new ArrayList<>();
        origins.add(requested == null ? null : requested.get(name));
        if (policy != null) {
            origins.add(policy.min());
            origins.addAll(policy.validValues());
            origins.add(policy.defaultAmount());
        }
        origins.add(device.capacity().get(name));
        for (String origin : origins) {
            if (origin != null && !origin.isEmpty() && exact(origin).compareTo(amount) == 0) {
                return Quantity.parse(origin).canonical();
            }
        }
        return Quantity.binaryText(whole(amount));
    }

    private static BigDecimal exact(String quantity) {
        return Quantity.parse(quantity).exact();
    }

    private static BigInteger whole(BigDecimal amount) {
        return amount.setScale(0, RoundingMode.UP).toBigInteger();
    }
}
