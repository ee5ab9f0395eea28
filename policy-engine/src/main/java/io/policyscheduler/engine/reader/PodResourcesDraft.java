package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Container;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The containers of a pod and what it asks for, while it is being read. */
final class PodResourcesDraft {
    private final PodReading reading;
    private final List<ContainerDraft> containers = new ArrayList<>(2);
    private final List<ContainerDraft> initContainers = new ArrayList<>(0);
    private @Nullable ResourceList overhead;
    private @Nullable ResourceList podLevelRequests;
    private @Nullable ResourceList podLevelLimits;

    PodResourcesDraft(PodReading reading) {
        this.reading = reading;
    }

    void container(JsonCursor cursor) throws IOException {
        containers.add(ContainerDraft.read(cursor, reading));
    }

    void initContainer(JsonCursor cursor) throws IOException {
        initContainers.add(ContainerDraft.read(cursor, reading));
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
            reading.passedOver(PodFields.POD_RESOURCES, field);
            cursor.skip();
        }
    }

    /** Null when the field is left out of pods, so that it does not count in sums. */
    private @Nullable ResourceList unless(NewerField field, JsonCursor cursor) throws IOException {
        ResourceList list = ResourceList.of(cursor, reading.arithmetic());
        return reading.leavesOut(field) ? null : list;
    }

    /** Regular containers in order, then init containers. */
    List<Container> containers() {
        List<Container> all = new ArrayList<>(containers.size() + initContainers.size());
        containers.forEach(c -> all.add(c.build(false)));
        initContainers.forEach(c -> all.add(c.build(true)));
        return all;
    }

    String qosClass() {
        ResourceList requests = podLevelRequests;
        ResourceList limits = podLevelLimits;
        if (requests == null && limits == null) {
            return QosClass.of(containers, initContainers);
        }
        ResourceList none = new ResourceList(reading.arithmetic());
        return QosClass.of(requests == null ? none : requests, limits == null ? none : limits);
    }

    /** Whether the pod asks for the same with these statuses as with none. */
    boolean isAsWritten(ContainerStatuses statuses) {
        return statuses.sayNothing() || (isPlain() && saysTheSame(statuses));
    }

    PodResources build(ContainerStatuses statuses) {
        ResourceList request = new ResourceList(reading.arithmetic());
        ResourceList limit = new ResourceList(reading.arithmetic());
        Arithmetic sums = reading.arithmetic();
        long cpu = 0;
        long memory = 0;
        Set<String> names = new TreeSet<>();
        for (ContainerDraft container : containers) {
            request.add(container.requests);
            limit.add(container.limits);
            cpu = sums.add(cpu, nonZeroCpu(container));
            memory = sums.add(memory, nonZeroMemory(container));
            container.addNames(names);
        }
        for (ContainerDraft container : initContainers) {
            request.max(container.requests);
            limit.max(container.limits);
            cpu = Math.max(cpu, nonZeroCpu(container));
            memory = Math.max(memory, nonZeroMemory(container));
            container.addNames(names);
        }
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
                isPlain() && saysTheSame(statuses) ? CurrentRequests.of(total, cpu, memory) : currentRequests(statuses),
                List.copyOf(names));
    }

    private CurrentRequests currentRequests(ContainerStatuses statuses) {
        return new CurrentRequestsDraft(
                        containers,
                        initContainers,
                        podLevelRequests,
                        overhead,
                        statuses.requests(),
                        statuses.resizeInfeasible())
                .build();
    }

    /** True when nothing in the pod makes v1.17's sums differ from those of current releases. */
    private boolean isPlain() {
        if (overhead != null || podLevelRequests != null) {
            return false;
        }
        for (ContainerDraft container : containers) {
            if (container.requests.isFine()) {
                return false;
            }
        }
        for (ContainerDraft container : initContainers) {
            if (container.restarts() || container.requests.isFine()) {
                return false;
            }
        }
        return true;
    }

    private boolean saysTheSame(ContainerStatuses statuses) {
        for (ContainerDraft container : containers) {
            CurrentRequestsDraft.StatusRequests status = statuses.requests().get(container.name());
            if (status != null && !status.says(container.requests)) {
                return false;
            }
        }
        return true;
    }

    private static long nonZeroCpu(ContainerDraft container) {
        return container.requests.hasCpu ? container.requests.milliCpu : PodResources.DEFAULT_MILLI_CPU;
    }

    private static long nonZeroMemory(ContainerDraft container) {
        return container.requests.hasMemory ? container.requests.memory : PodResources.DEFAULT_MEMORY;
    }
}
