package io.policyscheduler.engine.testing;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.Affinity.PodAffinityTerm;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds a pod with one container: {@code pod("p").requests("100m", "1Gi").label("app", "web").build()}. Namespace default,
 * no requests, unassigned. A container that names no cpu or memory counts 100m and 200Mi for scoring.
 */
public final class PodBuilder {
    private final List<PodClaim> resourceClaims = new ArrayList<>();
    private final String name;
    private String namespace = "default";
    private @Nullable String uid;
    private final Map<String, String> labels = new TreeMap<>();
    private final Map<String, String> annotations = new TreeMap<>();
    private final Map<String, String> nodeSelector = new TreeMap<>();
    private final Map<String, Long> scalars = new TreeMap<>();
    private final List<Toleration> tolerations = new ArrayList<>();
    private final List<TopologySpreadConstraint> constraints = new ArrayList<>();
    private final List<Volume> volumes = new ArrayList<>();
    private final List<String> images = new ArrayList<>();
    private final List<HostPort> ports = new ArrayList<>();
    private final List<Affinity.PreferredNodeTerm> preferredNode = new ArrayList<>();
    private final List<PodAffinityTerm> requiredAffinity = new ArrayList<>();
    private final List<PodAffinityTerm> requiredAnti = new ArrayList<>();
    private final List<Affinity.WeightedPodTerm> preferredAffinity = new ArrayList<>();
    private final List<Affinity.WeightedPodTerm> preferredAnti = new ArrayList<>();
    private @Nullable List<NodeSelectorTerm> requiredNode;
    private boolean affinityObject;
    private boolean antiObject;
    private @Nullable OwnerReference controller;
    private boolean terminating;
    private String nodeName = "";
    private String nominated = "";
    private String schedulerName = "default-scheduler";
    private String phase = "";
    private String failure = "";
    private String preemptionPolicy = "";
    private long startTime = PodInfo.NO_TIME;
    private long created = PodInfo.NO_TIME;
    private String serviceAccount = "";
    private String qosClass = "";
    private final List<String> gates = new ArrayList<>();
    private final List<PodVolume> podVolumes = new ArrayList<>();
    private final List<ContainerPort> containerPorts = new ArrayList<>();
    private @Nullable Integer priority;
    private @Nullable Long cpu;
    private @Nullable Long memory;
    private long ephemeralStorage;
    private long limitCpu;
    private long limitMemory;
    private final List<Container> initContainers = new ArrayList<>();
    private @Nullable Long scoringCpu;
    private @Nullable Long scoringMemory;

    private PodBuilder(String name) {
        this.name = name;
    }

    public static PodBuilder pod(String name) {
        return new PodBuilder(name);
    }

    public PodBuilder namespace(String value) {
        namespace = value;
        return this;
    }

    public PodBuilder uid(String value) {
        uid = value;
        return this;
    }

    public PodBuilder label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    public PodBuilder requests(String cpuQuantity, String memoryQuantity) {
        return cpu(cpuQuantity).memory(memoryQuantity);
    }

    public PodBuilder cpu(String quantity) {
        cpu = Quantity.milliValue(quantity);
        return this;
    }

    public PodBuilder memory(String quantity) {
        memory = Quantity.value(quantity);
        return this;
    }

    public PodBuilder ephemeralStorage(String quantity) {
        ephemeralStorage = Quantity.value(quantity);
        return this;
    }

    public PodBuilder scalar(String resource, long amount) {
        scalars.put(resource, amount);
        return this;
    }

    public PodBuilder limits(String cpuQuantity, String memoryQuantity) {
        limitCpu = Quantity.milliValue(cpuQuantity);
        limitMemory = Quantity.value(memoryQuantity);
        return this;
    }

    /** Sets the requests for scoring in milli-CPU and bytes, which differ from the requests if there is overhead. */
    public PodBuilder scoring(long milliCpu, long memoryBytes) {
        scoringCpu = milliCpu;
        scoringMemory = memoryBytes;
        return this;
    }

    public PodBuilder initContainer(String image, HostPort... hostPorts) {
        initContainers.add(new Container("init" + initContainers.size(), image, true, List.of(hostPorts)));
        return this;
    }

    public PodBuilder image(String image) {
        images.add(image);
        return this;
    }

    public PodBuilder hostPort(String ip, String protocol, int port) {
        ports.add(HostPort.of(ip, protocol, port));
        return this;
    }

    public PodBuilder nodeSelector(String key, String value) {
        nodeSelector.put(key, value);
        return this;
    }

    public PodBuilder requiredNode(NodeSelectorTerm... terms) {
        requiredNode = List.of(terms);
        return this;
    }

    public PodBuilder preferredNode(int weight, NodeSelectorTerm term) {
        preferredNode.add(new Affinity.PreferredNodeTerm(weight, term));
        return this;
    }

    public PodBuilder podAffinity(PodAffinityTerm... required) {
        affinityObject = true;
        requiredAffinity.addAll(List.of(required));
        return this;
    }

    public PodBuilder podAntiAffinity(PodAffinityTerm... required) {
        antiObject = true;
        requiredAnti.addAll(List.of(required));
        return this;
    }

    public PodBuilder preferredPodAffinity(int weight, PodAffinityTerm term) {
        affinityObject = true;
        preferredAffinity.add(new Affinity.WeightedPodTerm(weight, term));
        return this;
    }

    public PodBuilder preferredPodAntiAffinity(int weight, PodAffinityTerm term) {
        antiObject = true;
        preferredAnti.add(new Affinity.WeightedPodTerm(weight, term));
        return this;
    }

    public PodBuilder toleration(String key, String operator, String value, String effect) {
        tolerations.add(new Toleration(key, operator, value, effect));
        return this;
    }

    public PodBuilder spread(TopologySpreadConstraint constraint) {
        constraints.add(constraint);
        return this;
    }

    public PodBuilder volume(Volume volume) {
        volumes.add(volume);
        return this;
    }

    public PodBuilder claim(String claimName) {
        return volume(new Volume(Volume.Kind.CLAIM, claimName, "", false, List.of()));
    }

    public PodBuilder resourceClaim(PodClaim entry) {
        resourceClaims.add(entry);
        return this;
    }

    /** Adds an entry of {@code spec.volumes} without effect on placement. */
    public PodBuilder podVolume(String volume, String kind) {
        podVolumes.add(PodVolume.of(volume, kind, ""));
        return this;
    }

    /** A port of the first container. */
    public PodBuilder containerPort(String portName, int containerPort, int hostPort, String protocol) {
        containerPorts.add(new ContainerPort(portName, containerPort, hostPort, protocol));
        return hostPort > 0 ? hostPort("", protocol, hostPort) : this;
    }

    public PodBuilder annotation(String key, String value) {
        annotations.put(key, value);
        return this;
    }

    public PodBuilder serviceAccount(String value) {
        serviceAccount = value;
        return this;
    }

    public PodBuilder qosClass(String value) {
        qosClass = value;
        return this;
    }

    public PodBuilder created(long epochMillis) {
        created = epochMillis;
        return this;
    }

    /** One of the group that Kubernetes' own controllers of this kind are in. */
    public PodBuilder controller(String kind, String ownerName, String ownerUid) {
        return controller(kind.equals("ReplicationController") ? "v1" : "apps/v1", kind, ownerName, ownerUid);
    }

    public PodBuilder controller(String apiVersion, String kind, String ownerName, String ownerUid) {
        controller = new OwnerReference(apiVersion, kind, ownerName, ownerUid);
        return this;
    }

    public PodBuilder terminating() {
        terminating = true;
        return this;
    }

    public PodBuilder onNode(String node) {
        nodeName = node;
        return this;
    }

    public PodBuilder nominatedTo(String node) {
        nominated = node;
        return this;
    }

    public PodBuilder schedulerName(String value) {
        schedulerName = value;
        return this;
    }

    /** Sets phase Failed with a reason of the kubelet, such as {@code OutOfcpu}. */
    public PodBuilder failed(String reason) {
        phase = "Failed";
        failure = reason;
        return this;
    }

    public PodBuilder phase(String value) {
        phase = value;
        return this;
    }

    public PodBuilder startTime(long epochMillis) {
        startTime = epochMillis;
        return this;
    }

    public PodBuilder priority(int value) {
        priority = value;
        return this;
    }

    public PodBuilder gate(String value) {
        gates.add(value);
        return this;
    }

    public PodBuilder preemptionPolicy(String value) {
        preemptionPolicy = value;
        return this;
    }

    public PodInfo build() {
        List<Container> containers = new ArrayList<>();
        String image = images.isEmpty() ? "" : images.get(0);
        containers.add(
                containerPorts.isEmpty()
                        ? new Container("c", image, false, ports)
                        : new Container("c", image, false, false, ports, containerPorts));
        for (int i = 1; i < images.size(); i++) {
            containers.add(new Container("c" + i, images.get(i), false, List.of()));
        }
        containers.addAll(initContainers);
        long nonZeroCpu = cpu == null ? PodResources.DEFAULT_MILLI_CPU : cpu;
        long nonZeroMemory = memory == null ? PodResources.DEFAULT_MEMORY : memory;
        PodResources resources = new PodResources(
                ResourceVector.of(cpu == null ? 0 : cpu, memory == null ? 0 : memory, ephemeralStorage, 0, scalars),
                nonZeroCpu,
                nonZeroMemory,
                scoringCpu == null ? nonZeroCpu : scoringCpu,
                scoringMemory == null ? nonZeroMemory : scoringMemory,
                limitCpu,
                limitMemory,
                List.copyOf(scalars.keySet()));
        Affinity affinity = new Affinity(
                requiredNode,
                preferredNode,
                affinityObject ? new Affinity.PodTerms(requiredAffinity, preferredAffinity) : null,
                antiObject ? new Affinity.PodTerms(requiredAnti, preferredAnti) : null);
        PodSpec spec = new PodSpec(
                schedulerName,
                priority,
                preemptionPolicy,
                Labels.copyOf(nodeSelector),
                affinity,
                tolerations,
                constraints,
                volumes,
                containers,
                resources,
                gates,
                resourceClaims,
                allVolumes(),
                serviceAccount,
                qosClass,
                List.of(),
                List.of(),
                false);
        String id = uid == null ? namespace + "-" + name + "-uid" : uid;
        return new PodInfo(
                namespace,
                name,
                id,
                "1",
                Labels.copyOf(labels),
                Labels.copyOf(annotations),
                controller,
                terminating,
                nodeName,
                spec,
                phase,
                failure,
                startTime,
                nominated,
                null,
                false,
                created,
                List.of(),
                0);
    }

    private List<PodVolume> allVolumes() {
        List<PodVolume> all = new ArrayList<>(podVolumes);
        for (Volume volume : volumes) {
            boolean isClaim = volume.kind() == Volume.Kind.CLAIM;
            all.add(PodVolume.of("v" + all.size(), isClaim ? "persistentVolumeClaim" : "", isClaim ? volume.id() : ""));
        }
        return all;
    }
}
