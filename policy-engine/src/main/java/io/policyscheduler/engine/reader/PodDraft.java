package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Container;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.ScheduledCondition;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.Toleration;
import io.policyscheduler.engine.cluster.object.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.cluster.resource.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A pod while it is being read. */
final class PodDraft extends ObjectDraft {
    private final PodReading reading;
    private final List<ContainerDraft> containers = new ArrayList<>(2);
    private final List<ContainerDraft> initContainers = new ArrayList<>(0);
    private final List<Toleration> tolerations = new ArrayList<>(2);
    private final List<TopologySpreadConstraint> constraints = new ArrayList<>(0);
    private final List<Volume> volumes = new ArrayList<>(0);
    private final List<String> gates = new ArrayList<>(0);
    private final List<String> claims = new ArrayList<>(0);
    private @Nullable ResourceList overhead;
    private @Nullable ResourceList podLevelRequests;
    private Map<String, CurrentRequestsDraft.StatusRequests> containerStatuses = Map.of();
    private boolean resizeInfeasible;
    private boolean preempted;
    private String nodeName = "";
    private String schedulerName = "";
    private String preemptionPolicy = "";
    private @Nullable Integer priority;
    private Labels nodeSelector = Labels.EMPTY;
    private @Nullable AffinityReader affinity;
    private String phase = "";
    private String reason = "";
    private String nominated = "";
    private long startTime = PodInfo.NO_TIME;
    private @Nullable ScheduledCondition scheduled;

    PodDraft(PodReading reading) {
        super(reading.keepsAnnotations());
        this.reading = reading;
    }

    @Override
    void body(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "spec" -> cursor.object(this::spec);
            case "status" -> cursor.object(this::status);
            default -> cursor.skip();
        }
    }

    private void spec(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "containers" -> cursor.array(c -> containers.add(ContainerDraft.read(c, reading)));
            case "initContainers" -> cursor.array(c -> initContainers.add(ContainerDraft.read(c, reading)));
            case "nodeName" -> nodeName = cursor.string();
            case "schedulerName" -> schedulerName = cursor.string();
            case "priority" -> priority = cursor.integer();
            case "preemptionPolicy" -> preemptionPolicy = cursor.string();
            case "nodeSelector" -> nodeSelector = cursor.labels();
            case "affinity" -> affinity = AffinityReader.read(cursor, reading);
            case "tolerations" -> cursor.array(this::toleration);
            case "topologySpreadConstraints" -> cursor.array(this::constraint);
            case "volumes" -> cursor.array(this::volume);
            case "overhead" -> overhead = resourceList(cursor);
            case "schedulingGates" -> cursor.array(c -> name(PodFields.SCHEDULING_GATE, c, gates));
            case "resourceClaims" -> cursor.array(c -> name(PodFields.RESOURCE_CLAIM, c, claims));
            case "resources" ->
                cursor.object((f, c) -> {
                    if (f.equals("requests")) {
                        podLevelRequests = resourceList(c);
                    } else {
                        passOver(PodFields.POD_RESOURCES, f, c);
                    }
                });
            default -> passOver(PodFields.SPEC, name, cursor);
        }
    }

    private void passOver(PodFields place, String field, JsonCursor cursor) throws IOException {
        reading.passedOver(place, field);
        cursor.skip();
    }

    private void name(PodFields place, JsonCursor cursor, List<String> names) throws IOException {
        cursor.object((f, c) -> {
            if (f.equals("name")) {
                names.add(c.string());
            } else {
                passOver(place, f, c);
            }
        });
    }

    private ResourceList resourceList(JsonCursor cursor) throws IOException {
        ResourceList list = new ResourceList(reading.arithmetic());
        list.read(cursor);
        return list;
    }

    private void toleration(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        cursor.object((f, c) -> {
            switch (f) {
                case "key" -> text[0] = c.string();
                case "operator" -> text[1] = c.string();
                case "value" -> text[2] = c.string();
                case "effect" -> text[3] = c.string();
                default -> passOver(PodFields.TOLERATION, f, c);
            }
        });
        tolerations.add(new Toleration(text[0], text[1], text[2], text[3]));
    }

    private void constraint(JsonCursor cursor) throws IOException {
        int[] maxSkew = {0};
        @Nullable Integer[] minDomains = {null};
        String[] text = {"", "", "", ""};
        List<String> matchLabelKeys = new ArrayList<>(0);
        @Nullable LabelSelector[] selector = {null};
        cursor.object((f, c) -> {
            switch (f) {
                case "minDomains" -> minDomains[0] = c.integer();
                case "nodeAffinityPolicy" -> text[2] = c.string();
                case "nodeTaintsPolicy" -> text[3] = c.string();
                case "matchLabelKeys" -> matchLabelKeys.addAll(c.strings());
                case "maxSkew" -> maxSkew[0] = c.integer();
                case "topologyKey" -> text[0] = c.string();
                case "whenUnsatisfiable" -> text[1] = c.string();
                case "labelSelector" -> selector[0] = SelectorReader.labelSelector(c);
                default -> passOver(PodFields.SPREAD_CONSTRAINT, f, c);
            }
        });
        boolean noPolicies = reading.leavesOut(NewerField.NODE_INCLUSION_POLICIES);
        constraints.add(new TopologySpreadConstraint(
                maxSkew[0],
                text[0],
                text[1],
                selector[0],
                reading.leavesOut(NewerField.MIN_DOMAINS) ? null : minDomains[0],
                noPolicies ? "" : text[2],
                noPolicies ? "" : text[3],
                reading.leavesOut(NewerField.SPREAD_MATCH_LABEL_KEYS) ? List.of() : matchLabelKeys));
    }

    private void volume(JsonCursor cursor) throws IOException {
        String[] name = {""};
        boolean[] ephemeral = {false};
        cursor.object((f, c) -> {
            if (f.equals("name")) {
                name[0] = c.string();
                return;
            }
            Volume source = VolumeReader.source(f, c);
            if (source == null) {
                ephemeral[0] |= f.equals("ephemeral") && !reading.leavesOut(NewerField.EPHEMERAL_VOLUMES);
                passOver(PodFields.VOLUME, f, c);
            } else if (source.kind() != Volume.Kind.CSI && source.kind() != Volume.Kind.AZURE_FILE) {
                // Inline CSI and file volumes take part in no decision.
                volumes.add(source);
            }
        });
        if (ephemeral[0]) {
            volumes.add(new Volume(Volume.Kind.EPHEMERAL, name[0], "", false, List.of()));
        }
    }

    private void status(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "phase" -> phase = cursor.string();
            case "reason" -> reason = cursor.string();
            case "startTime" -> startTime = cursor.time();
            case "nominatedNodeName" -> nominated = cursor.string();
            case "conditions" -> cursor.array(this::condition);
            case "containerStatuses", "initContainerStatuses" -> cursor.array(this::containerStatus);
            default -> cursor.skip();
        }
    }

    private void containerStatus(JsonCursor cursor) throws IOException {
        String[] container = {""};
        @Nullable ResourceList[] requests = {null, null};
        cursor.object((f, c) -> {
            switch (f) {
                case "name" -> container[0] = c.string();
                case "allocatedResources" -> requests[1] = resourceList(c);
                case "resources" -> {
                    requests[0] = new ResourceList(reading.arithmetic());
                    c.object((g, d) -> {
                        if (g.equals("requests")) {
                            requests[0] = resourceList(d);
                        } else {
                            d.skip();
                        }
                    });
                }
                default -> c.skip();
            }
        });
        if (requests[0] != null) {
            if (containerStatuses.isEmpty()) {
                containerStatuses = new HashMap<>();
            }
            ResourceList allocated = requests[1] == null ? new ResourceList(reading.arithmetic()) : requests[1];
            containerStatuses.put(container[0], new CurrentRequestsDraft.StatusRequests(requests[0], allocated));
        }
    }

    private void condition(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        long[] transition = {PodInfo.NO_TIME};
        cursor.object((f, c) -> {
            switch (f) {
                case "type" -> text[0] = c.string();
                case "status" -> text[1] = c.string();
                case "reason" -> text[2] = c.string();
                case "message" -> text[3] = c.string();
                case "lastTransitionTime" -> transition[0] = c.time();
                default -> c.skip();
            }
        });
        switch (text[0]) {
            case "PodScheduled" -> scheduled = new ScheduledCondition(text[1], text[2], text[3], transition[0]);
            case "DisruptionTarget" -> preempted = text[1].equals("True") && text[2].equals("PreemptionByScheduler");
            case "PodResizePending" -> resizeInfeasible = text[2].equals("Infeasible");
            default -> {
                // Says nothing that scheduling looks at.
            }
        }
    }

    @Override
    PodInfo build() {
        List<Container> all = new ArrayList<>(containers.size() + initContainers.size());
        containers.forEach(c -> all.add(c.build(false)));
        initContainers.forEach(c -> all.add(c.build(true)));
        leaveOut();
        PodSpec spec = reading.intern(new PodSpec(
                schedulerName,
                priority,
                reading.leavesOut(NewerField.PREEMPTION_POLICY) ? "" : preemptionPolicy,
                nodeSelector,
                affinity == null ? Affinity.NONE : affinity.build(metadata.labels),
                tolerations,
                reading.leavesOut(NewerField.TOPOLOGY_SPREAD) ? List.of() : constraints,
                volumes,
                all,
                resources(),
                reading.leavesOut(NewerField.SCHEDULING_GATES) ? List.of() : gates,
                reading.leavesOut(NewerField.RESOURCE_CLAIMS) ? List.of() : claims));
        return new PodInfo(
                metadata.namespace,
                metadata.name,
                metadata.uid,
                metadata.resourceVersion,
                metadata.labels,
                metadata.annotations,
                metadata.controller,
                metadata.terminating,
                nodeName,
                spec,
                phase,
                phase.equals("Failed") ? reason : "",
                startTime,
                nominated,
                scheduled,
                preempted);
    }

    /** What would count in the sums. */
    private void leaveOut() {
        if (reading.leavesOut(NewerField.OVERHEAD)) {
            overhead = null;
        }
        if (reading.leavesOut(NewerField.POD_RESOURCES)) {
            podLevelRequests = null;
        }
        if (reading.leavesOut(NewerField.RESIZE)) {
            containerStatuses = Map.of();
            resizeInfeasible = false;
        }
    }

    private PodResources resources() {
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
                isPlain() ? CurrentRequests.of(total, cpu, memory) : currentRequests(),
                List.copyOf(names));
    }

    private CurrentRequests currentRequests() {
        return new CurrentRequestsDraft(
                        containers, initContainers, podLevelRequests, overhead, containerStatuses, resizeInfeasible)
                .build();
    }

    /** True when nothing in the pod makes v1.17's sums differ from those of current releases. */
    private boolean isPlain() {
        if (overhead != null || podLevelRequests != null) {
            return false;
        }
        for (ContainerDraft container : containers) {
            CurrentRequestsDraft.StatusRequests status = containerStatuses.get(container.name());
            if (container.requests.isFine() || (status != null && !status.says(container.requests))) {
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

    private static long nonZeroCpu(ContainerDraft container) {
        return container.requests.hasCpu ? container.requests.milliCpu : PodResources.DEFAULT_MILLI_CPU;
    }

    private static long nonZeroMemory(ContainerDraft container) {
        return container.requests.hasMemory ? container.requests.memory : PodResources.DEFAULT_MEMORY;
    }
}
