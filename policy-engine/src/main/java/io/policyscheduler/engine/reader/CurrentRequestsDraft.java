package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what a pod asks for by the rules of current releases, in exact amounts. Only used for pods for which this may differ
 * from v1.17's sums. Mirrors {@code PodRequests} of {@code component-helpers/resource/helpers.go} and
 * {@code calculateResource} of {@code pkg/scheduler/framework/types.go}.
 */
final class CurrentRequestsDraft {
    private static final BigDecimal DEFAULT_CPU = BigDecimal.valueOf(PodResources.DEFAULT_MILLI_CPU, 3);
    private static final BigDecimal DEFAULT_MEMORY = BigDecimal.valueOf(PodResources.DEFAULT_MEMORY);
    private static final Map<String, BigDecimal> DEFAULTS =
            Map.of(ResourceNames.CPU, DEFAULT_CPU, ResourceNames.MEMORY, DEFAULT_MEMORY);

    /**
     * What the status says of a container.
     *
     * @param requests {@code resources.requests}
     * @param allocated what the kubelet has set aside; empty when not said
     */
    record StatusRequests(ResourceList requests, ResourceList allocated) {
        /** True when nothing is said that the spec does not say: there is no resize under way. */
        boolean says(ResourceList spec) {
            return requests.isSameAs(spec) && (allocated.isEmpty() || allocated.isSameAs(spec));
        }
    }

    private final List<ContainerDraft> containers;
    private final List<ContainerDraft> initContainers;
    private final Map<String, BigDecimal> podLevel;
    private final Map<String, BigDecimal> overhead;
    private final Map<String, StatusRequests> statuses;
    private final boolean resizeInfeasible;

    /**
     * @param podLevel {@code spec.resources.requests}, or null
     * @param overhead {@code spec.overhead}, or null
     * @param statuses of containers by name
     * @param resizeInfeasible the wanted resize cannot be done, so that only what runs counts
     */
    CurrentRequestsDraft(
            List<ContainerDraft> containers,
            List<ContainerDraft> initContainers,
            @Nullable ResourceList podLevel,
            @Nullable ResourceList overhead,
            Map<String, StatusRequests> statuses,
            boolean resizeInfeasible) {
        this.containers = containers;
        this.initContainers = initContainers;
        this.podLevel = podLevel == null ? Map.of() : supported(podLevel.exact());
        this.overhead = overhead == null ? Map.of() : overhead.exact();
        this.statuses = statuses;
        this.resizeInfeasible = resizeInfeasible;
    }

    private static Map<String, BigDecimal> supported(Map<String, BigDecimal> amounts) {
        Map<String, BigDecimal> kept = new TreeMap<>(amounts);
        kept.keySet()
                .removeIf(name -> !name.equals(ResourceNames.CPU)
                        && !name.equals(ResourceNames.MEMORY)
                        && !name.startsWith("hugepages-"));
        return kept;
    }

    CurrentRequests build() {
        ResourceVector filter = vector(total(false, Map.of(), true));
        ResourceVector scoring = podLevel.isEmpty() ? filter : vector(total(false, Map.of(), false));
        ResourceVector scoringDefaulted = vector(total(false, DEFAULTS, false));
        Map<String, BigDecimal> taken = total(true, Map.of(), true);
        ResourceVector placed = statuses.isEmpty() ? filter : vector(taken);
        ResourceVector placedDefaulted = vector(total(true, missingFrom(taken), true));
        return new CurrentRequests(
                filter,
                scoring,
                scoringDefaulted.milliCpu(),
                scoringDefaulted.memory(),
                placed,
                placedDefaulted.milliCpu(),
                placedDefaulted.memory());
    }

    /** With pod-level resources, a default stands in only where the whole pod says nothing. */
    private Map<String, BigDecimal> missingFrom(Map<String, BigDecimal> taken) {
        if (podLevel.isEmpty()) {
            return DEFAULTS;
        }
        Map<String, BigDecimal> missing = new HashMap<>(DEFAULTS);
        missing.keySet().removeAll(taken.keySet());
        return missing;
    }

    private Map<String, BigDecimal> total(boolean withStatus, Map<String, BigDecimal> defaults, boolean withPodLevel) {
        Map<String, BigDecimal> sum = new TreeMap<>();
        for (ContainerDraft container : containers) {
            add(sum, requests(container, withStatus, defaults));
        }
        Map<String, BigDecimal> sidecars = new TreeMap<>();
        Map<String, BigDecimal> starting = new TreeMap<>();
        for (ContainerDraft container : initContainers) {
            Map<String, BigDecimal> own = requests(container, withStatus && container.restarts(), defaults);
            Map<String, BigDecimal> together;
            if (container.restarts()) {
                add(sum, own);
                add(sidecars, own);
                together = sidecars;
            } else {
                together = new TreeMap<>(own);
                add(together, sidecars);
            }
            raise(starting, together);
        }
        raise(sum, starting);
        if (withPodLevel) {
            sum.putAll(podLevel);
        }
        add(sum, overhead);
        return sum;
    }

    private Map<String, BigDecimal> requests(
            ContainerDraft container, boolean withStatus, Map<String, BigDecimal> defaults) {
        Map<String, BigDecimal> requests = container.requests.exact();
        StatusRequests status = withStatus ? statuses.get(container.name()) : null;
        if (status != null) {
            Map<String, BigDecimal> running = status.requests().exact();
            raise(running, status.allocated().exact());
            if (!resizeInfeasible) {
                raise(running, requests);
            }
            requests = running;
        }
        defaults.forEach(requests::putIfAbsent);
        return requests;
    }

    private static void add(Map<String, BigDecimal> sum, Map<String, BigDecimal> more) {
        more.forEach((name, amount) -> sum.merge(name, amount, BigDecimal::add));
    }

    private static void raise(Map<String, BigDecimal> amounts, Map<String, BigDecimal> others) {
        others.forEach((name, amount) -> amounts.merge(name, amount, BigDecimal::max));
    }

    private static ResourceVector vector(Map<String, BigDecimal> amounts) {
        Map<String, Long> scalars = new TreeMap<>();
        Set<String> names = new HashSet<>(amounts.keySet());
        names.removeIf(name -> !ResourceNames.isScalar(name));
        names.forEach(name -> scalars.put(name, units(amounts, name, 0)));
        return ResourceVector.of(
                units(amounts, ResourceNames.CPU, 3),
                units(amounts, ResourceNames.MEMORY, 0),
                units(amounts, ResourceNames.EPHEMERAL_STORAGE, 0),
                0,
                scalars);
    }

    private static long units(Map<String, BigDecimal> amounts, String name, int shift) {
        BigDecimal amount = amounts.get(name);
        return amount == null ? 0 : Arithmetic.whole(amount.scaleByPowerOfTen(shift));
    }
}
