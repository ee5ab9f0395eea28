package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.PodResources.QosClass;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.reader.PodReader.ContainerStatuses;
import io.policyscheduler.engine.reader.PodReader.PodFields;
import io.policyscheduler.engine.reader.PodSpecReader.ContainerReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Builds the containers of a pod and its requests while fields are read. */
final class PodResourcesReader {
    private final PodReading reading;
    private final List<ContainerReader> containers = new ArrayList<>(2);
    private final List<ContainerReader> initContainers = new ArrayList<>(0);
    private @Nullable ResourceList overhead;
    private @Nullable ResourceList podLevelRequests;
    private @Nullable ResourceList podLevelLimits;

    PodResourcesReader(PodReading reading) {
        this.reading = reading;
    }

    void container(JsonCursor cursor) throws IOException {
        containers.add(ContainerReader.read(cursor, reading));
    }

    void initContainer(JsonCursor cursor) throws IOException {
        initContainers.add(ContainerReader.read(cursor, reading));
    }

    void overhead(JsonCursor cursor) throws IOException {
        overhead = unless(NewerField.OVERHEAD, cursor);
    }

    /** A field of {@code spec.resources}. */
    void podLevel(String field, JsonCursor cursor) throws IOException {
        if (field.equals("requests")) {
            podLevelRequests = unless(NewerField.POD_RESOURCES, cursor);
        } else if (field.equals("limits")) {
            podLevelLimits = unless(NewerField.POD_RESOURCES, cursor);
        } else {
            reading.reportUnread(PodFields.POD_RESOURCES, field);
            cursor.skip();
        }
    }

    /** Null if the field is ignored, so that it does not count. */
    private @Nullable ResourceList unless(NewerField field, JsonCursor cursor) throws IOException {
        ResourceList list = ResourceList.of(cursor, reading.arithmetic());
        return reading.ignores(field) ? null : list;
    }

    /** Regular containers in order, then init containers. */
    List<Container> containers() {
        List<Container> all = new ArrayList<>(containers.size() + initContainers.size());
        containers.forEach(c -> all.add(c.build(false)));
        initContainers.forEach(c -> all.add(c.build(true)));
        return all;
    }

    boolean restartsAllContainers() {
        return containers.stream().anyMatch(ContainerReader::restartsAll)
                || initContainers.stream().anyMatch(ContainerReader::restartsAll);
    }

    String qosClass() {
        QosClass qos = new QosClass();
        if (podLevelRequests == null && podLevelLimits == null) {
            containers.forEach(container -> add(container.requests, container.limits, qos));
            initContainers.forEach(container -> add(container.requests, container.limits, qos));
        } else {
            ResourceList none = new ResourceList(reading.arithmetic());
            add(
                    podLevelRequests == null ? none : podLevelRequests,
                    podLevelLimits == null ? none : podLevelLimits,
                    qos);
        }
        return qos.text();
    }

    /** Missing requests equal limits, as when a pod is created. */
    private static void add(ResourceList request, ResourceList limit, QosClass qos) {
        qos.add(
                request.hasCpu ? request.milliCpu : limit.milliCpu,
                limit.milliCpu,
                request.hasMemory ? request.memory : limit.memory,
                limit.memory);
    }

    /** Whether the requests are the same without these statuses. */
    boolean isAsWritten(ContainerStatuses statuses) {
        return statuses.areEmpty() || (isPlain() && equalsSpec(statuses));
    }

    PodResources build(ContainerStatuses statuses) {
        ResourceList request = new ResourceList(reading.arithmetic());
        ResourceList limit = new ResourceList(reading.arithmetic());
        Arithmetic sums = reading.arithmetic();
        long cpu = 0;
        long memory = 0;
        Set<String> names = new TreeSet<>();
        for (ContainerReader container : containers) {
            request.add(container.requests);
            limit.add(container.limits);
            cpu = sums.add(cpu, nonZeroCpu(container));
            memory = sums.add(memory, nonZeroMemory(container));
            container.addNames(names);
        }
        for (ContainerReader container : initContainers) {
            request.max(container.requests);
            limit.max(container.limits);
            cpu = Math.max(cpu, nonZeroCpu(container));
            memory = Math.max(memory, nonZeroMemory(container));
            container.addNames(names);
        }
        @Nullable CurrentRequests rounded = reading.sumsRoundedAmounts() ? rounded(request, cpu, memory) : null;
        long scoringCpu = cpu;
        long scoringMemory = memory;
        if (reading.countsOverhead() && overhead != null) {
            request.add(overhead);
            cpu = sums.add(cpu, overhead.milliCpu);
            memory = sums.add(memory, overhead.memory);
            scoringCpu = sums.add(scoringCpu, overhead.cpuValue);
            scoringMemory = sums.add(scoringMemory, overhead.memory);
        }
        ResourceVector total = request.toVector();
        return new PodResources(
                total,
                cpu,
                memory,
                scoringCpu,
                scoringMemory,
                limit.milliCpu,
                limit.memory,
                rounded == null ? currentRequests(total, cpu, memory, statuses) : rounded,
                List.copyOf(names));
    }

    /**
     * Requests as 1.18 to 1.26 add them up: as v1.17, with the overhead. For scoring the incoming pod, its CPU overhead is rounded
     * up to whole cores and counts as if they were milli-CPU.
     */
    private CurrentRequests rounded(ResourceList containers, long cpu, long memory) {
        ResourceVector plain = containers.toVector();
        ResourceList added = overhead;
        if (added == null) {
            return CurrentRequests.of(plain, cpu, memory);
        }
        Arithmetic sums = reading.arithmetic();
        ResourceList all = new ResourceList(sums);
        all.add(containers);
        all.add(added);
        ResourceVector total = all.toVector();
        Map<String, Long> scalars = new TreeMap<>();
        for (int i = 0; i < total.scalarCount(); i++) {
            scalars.put(total.scalarName(i), total.scalarAmount(i));
        }
        ResourceVector scoring = ResourceVector.of(
                sums.add(plain.milliCpu(), added.cpuValue), total.memory(), total.ephemeralStorage(), 0, scalars);
        return new CurrentRequests(
                total,
                scoring,
                sums.add(cpu, added.cpuValue),
                sums.add(memory, added.memory),
                total,
                sums.add(cpu, added.milliCpu),
                sums.add(memory, added.memory),
                added.cpuValue,
                added.memory);
    }

    private CurrentRequests currentRequests(ResourceVector total, long cpu, long memory, ContainerStatuses statuses) {
        return isPlain() && equalsSpec(statuses) ? CurrentRequests.of(total, cpu, memory) : currentRequests(statuses);
    }

    private CurrentRequests currentRequests(ContainerStatuses statuses) {
        return new CurrentRequestsReader(
                        containers,
                        initContainers,
                        podLevelRequests,
                        overhead,
                        statuses.requests(),
                        statuses.ofPod(),
                        statuses.resizeInfeasible())
                .build();
    }

    /** True if v1.17 and current releases compute the same sums for the pod. */
    private boolean isPlain() {
        if (overhead != null || podLevelRequests != null) {
            return false;
        }
        for (ContainerReader container : containers) {
            if (container.requests.isFine()) {
                return false;
            }
        }
        for (ContainerReader container : initContainers) {
            if (container.restarts() || container.requests.isFine()) {
                return false;
            }
        }
        return true;
    }

    private boolean equalsSpec(ContainerStatuses statuses) {
        for (ContainerReader container : containers) {
            CurrentRequestsReader.StatusRequests status = statuses.requests().get(container.name());
            if (status != null && !status.isEqualTo(container.requests)) {
                return false;
            }
        }
        return statuses.ofPod() == null;
    }

    private static long nonZeroCpu(ContainerReader container) {
        return container.requests.hasCpu ? container.requests.milliCpu : PodResources.DEFAULT_MILLI_CPU;
    }

    private static long nonZeroMemory(ContainerReader container) {
        return container.requests.hasMemory ? container.requests.memory : PodResources.DEFAULT_MEMORY;
    }

    /**
     * Adds up requests with the rules of current releases, in exact amounts. Only used for pods for which the result may differ
     * from v1.17. Mirrors {@code PodRequests} of {@code component-helpers/resource/helpers.go} and {@code calculateResource} of
     * {@code pkg/scheduler/framework/types.go}.
     */
    static final class CurrentRequestsReader {
        private static final BigDecimal DEFAULT_CPU = BigDecimal.valueOf(PodResources.DEFAULT_MILLI_CPU, 3);
        private static final BigDecimal DEFAULT_MEMORY = BigDecimal.valueOf(PodResources.DEFAULT_MEMORY);
        private static final Map<String, BigDecimal> DEFAULTS =
                Map.of(ResourceNames.CPU, DEFAULT_CPU, ResourceNames.MEMORY, DEFAULT_MEMORY);

        /**
         * The resources in the status of a container.
         *
         * @param requests {@code resources.requests}
         * @param allocated {@code allocatedResources}; empty when absent
         */
        record StatusRequests(ResourceList requests, ResourceList allocated) {
            /** True if the status equals the spec: there is no resize in progress. */
            boolean isEqualTo(ResourceList spec) {
                return requests.isSameAs(spec) && (allocated.isEmpty() || allocated.isSameAs(spec));
            }
        }

        private final List<ContainerReader> containers;
        private final List<ContainerReader> initContainers;
        private final Map<String, BigDecimal> podLevel;
        private final Map<String, BigDecimal> overhead;
        private final Map<String, StatusRequests> statuses;
        private final @Nullable StatusRequests ofPod;
        private final boolean resizeInfeasible;

        /**
         * @param podLevel {@code spec.resources.requests}, or null
         * @param overhead {@code spec.overhead}, or null
         * @param statuses of containers by name
         * @param ofPod {@code status.resources} and {@code status.allocatedResources} of the pod, or null
         * @param resizeInfeasible whether the requested resize is infeasible, so that only the requests in use count
         */
        CurrentRequestsReader(
                List<ContainerReader> containers,
                List<ContainerReader> initContainers,
                @Nullable ResourceList podLevel,
                @Nullable ResourceList overhead,
                Map<String, StatusRequests> statuses,
                @Nullable StatusRequests ofPod,
                boolean resizeInfeasible) {
            this.containers = containers;
            this.initContainers = initContainers;
            this.podLevel = podLevel == null ? Map.of() : supported(podLevel.exact());
            this.overhead = overhead == null ? Map.of() : overhead.exact();
            this.statuses = statuses;
            this.ofPod = ofPod;
            this.resizeInfeasible = resizeInfeasible;
        }

        private static Map<String, BigDecimal> supported(Map<String, BigDecimal> amounts) {
            Map<String, BigDecimal> retained = new TreeMap<>(amounts);
            retained.keySet()
                    .removeIf(name -> !name.equals(ResourceNames.CPU)
                            && !name.equals(ResourceNames.MEMORY)
                            && !name.startsWith("hugepages-"));
            return retained;
        }

        CurrentRequests build() {
            ResourceVector filter = vector(total(false, Map.of(), true));
            ResourceVector scoring = podLevel.isEmpty() ? filter : vector(total(false, Map.of(), false));
            ResourceVector scoringDefaulted = vector(total(false, DEFAULTS, false));
            Map<String, BigDecimal> taken = total(true, Map.of(), true);
            ResourceVector placed = statuses.isEmpty() && ofPod == null ? filter : vector(taken);
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

        /** With pod-level resources, defaults apply only to resources without any request in the pod. */
        private Map<String, BigDecimal> missingFrom(Map<String, BigDecimal> taken) {
            if (podLevel.isEmpty()) {
                return DEFAULTS;
            }
            Map<String, BigDecimal> missing = new HashMap<>(DEFAULTS);
            missing.keySet().removeAll(taken.keySet());
            return missing;
        }

        private Map<String, BigDecimal> total(
                boolean withStatus, Map<String, BigDecimal> defaults, boolean withPodLevel) {
            Map<String, BigDecimal> sum = new TreeMap<>();
            for (ContainerReader container : containers) {
                add(sum, requests(container, withStatus, defaults));
            }
            Map<String, BigDecimal> sidecars = new TreeMap<>();
            Map<String, BigDecimal> starting = new TreeMap<>();
            for (ContainerReader container : initContainers) {
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
                sum.putAll(withStatus && ofPod != null ? resized(ofPod) : podLevel);
            }
            add(sum, overhead);
            return sum;
        }

        /** For each pod-level resource, the largest of the requested, used, and allocated amounts. */
        private Map<String, BigDecimal> resized(StatusRequests status) {
            Map<String, BigDecimal> running = status.requests().exact();
            raise(running, status.allocated().exact());
            Map<String, BigDecimal> amounts = new TreeMap<>();
            podLevel.forEach((name, requested) -> {
                BigDecimal known = running.getOrDefault(name, BigDecimal.ZERO);
                amounts.put(name, resizeInfeasible ? known : known.max(requested));
            });
            return amounts;
        }

        private Map<String, BigDecimal> requests(
                ContainerReader container, boolean withStatus, Map<String, BigDecimal> defaults) {
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
}
