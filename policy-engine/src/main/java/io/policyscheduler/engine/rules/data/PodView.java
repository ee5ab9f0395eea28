package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.node.RequestRules;
import io.policyscheduler.engine.cluster.object.ClusterObject.DisruptionBudgetInfo;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.Node.Taint;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.OwnerReference;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.resource.ResourceNames;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.rules.data.NodeView.ImageView;
import io.policyscheduler.engine.rules.data.PodRelations.ClaimView;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A view of a pod for rules, reused for all pods, so that a rule allocates nothing per pod. Public only because MVEL calls it. */
public final class PodView {
    private static final double MILLI = 1000.0;

    private final Meter meter;
    private final LabelsView labels = new LabelsView();
    private final LabelsView annotations = new LabelsView();
    private final LabelsView nodeSelector = new LabelsView();
    private final AmountsView requests;
    private final PodRelations surroundings;
    private PodInfo pod;

    public PodView(PodInfo pod, ClusterCounts counts, Meter meter) {
        this.pod = pod;
        this.meter = meter;
        this.surroundings = new PodRelations(counts.cluster(), meter);
        this.requests = new AmountsView(resource -> amount(RequestRules.MODERN.request(pod()), resource));
    }

    public void move(PodInfo to) {
        pod = to;
    }

    PodInfo pod() {
        return pod;
    }

    public String name() {
        return pod.name();
    }

    public String namespace() {
        return pod.namespace();
    }

    public String schedulerName() {
        return pod.spec().schedulerName();
    }

    public double priority() {
        return pod.priority();
    }

    public String ownerKind() {
        OwnerReference owner = pod.controller();
        return owner == null ? "" : owner.kind();
    }

    public String ownerName() {
        OwnerReference owner = pod.controller();
        return owner == null ? "" : owner.name();
    }

    public String ownerUid() {
        OwnerReference owner = pod.controller();
        return owner == null ? "" : owner.uid();
    }

    public String serviceAccountName() {
        return pod.spec().serviceAccount();
    }

    public String qosClass() {
        return pod.spec().qosClass();
    }

    public String phase() {
        return pod.phase();
    }

    public double ageMinutes() {
        return surroundings.minutesSince(pod.createdMillis());
    }

    public boolean terminating() {
        return pod.terminating();
    }

    public LabelsView labels() {
        return labels.move(pod.labels());
    }

    public String label(String key) {
        return pod.labels().getOrEmpty(key);
    }

    public String label(String key, String otherwise) {
        String value = pod.labels().get(key);
        return value == null ? otherwise : value;
    }

    public boolean hasLabel(String key) {
        return pod.labels().has(key);
    }

    public boolean hasLabel(String key, String value) {
        return pod.labels().has(key, value);
    }

    public LabelsView annotations() {
        return annotations.move(pod.annotations());
    }

    public String annotation(String key) {
        return pod.annotations().getOrEmpty(key);
    }

    public LabelsView nodeSelector() {
        return nodeSelector.move(pod.spec().nodeSelector());
    }

    public String nodeSelector(String key) {
        return pod.spec().nodeSelector().getOrEmpty(key);
    }

    public double cpu() {
        return RequestRules.MODERN.request(pod).milliCpu() / MILLI;
    }

    public double memory() {
        return RequestRules.MODERN.request(pod).memory();
    }

    public double ephemeralStorage() {
        return RequestRules.MODERN.request(pod).ephemeralStorage();
    }

    public double cpuLimit() {
        return pod.resources().limitMilliCpu() / MILLI;
    }

    public double memoryLimit() {
        return pod.resources().limitMemory();
    }

    public AmountsView requests() {
        return requests;
    }

    public double request(String resource) {
        return amount(RequestRules.MODERN.request(pod), resource);
    }

    /** The amount of a resource in its base unit. */
    static double amount(ResourceVector vector, String resource) {
        return switch (resource) {
            case ResourceNames.CPU -> vector.milliCpu() / MILLI;
            case ResourceNames.MEMORY -> vector.memory();
            case ResourceNames.EPHEMERAL_STORAGE -> vector.ephemeralStorage();
            case ResourceNames.PODS -> vector.pods();
            default -> vector.scalar(resource);
        };
    }

    public double volumeClaims() {
        int claims = 0;
        List<Volume> volumes = pod.volumes();
        meter.charge(volumes.size());
        for (int i = 0; i < volumes.size(); i++) {
            claims += volumes.get(i).kind() == Volume.Kind.CLAIM ? 1 : 0;
        }
        return claims;
    }

    public double hostPorts() {
        int ports = 0;
        List<Container> containers = pod.spec().containers();
        meter.charge(containers.size());
        for (int i = 0; i < containers.size(); i++) {
            ports +=
                    containers.get(i).init() ? 0 : containers.get(i).hostPorts().size();
        }
        return ports;
    }

    public boolean tolerates(String key, String value, String effect) {
        Taint taint = new Taint(key, value, effect);
        List<Toleration> tolerations = pod.tolerations();
        meter.charge(2L * tolerations.size());
        for (int i = 0; i < tolerations.size(); i++) {
            if (tolerations.get(i).tolerates(taint)) {
                return true;
            }
        }
        return false;
    }

    public List<PodVolume> volumes() {
        return pod.spec().podVolumes();
    }

    public List<ClaimView> claims() {
        return surroundings.claims(pod);
    }

    public @Nullable String volumeZone() {
        return surroundings.volumeZone(pod);
    }

    public List<DisruptionBudgetInfo> budgets() {
        return surroundings.budgets(pod);
    }

    public double disruptionsAllowed() {
        return surroundings.disruptionsAllowed(pod);
    }

    public List<Container> containers() {
        return pod.spec().containers();
    }

    public List<Toleration> tolerations() {
        return pod.tolerations();
    }

    /** A view of a container for rules. Public only because MVEL calls it. */
    public record ContainerView(Container container) {
        public String name() {
            return container.name();
        }

        public String image() {
            return container.image();
        }

        public boolean init() {
            return container.init();
        }

        public List<ContainerPort> ports() {
            return container.ports();
        }
    }

    /** A view of a port of a container for rules. Public only because MVEL calls it. */
    public record PortView(ContainerPort port) {
        public String name() {
            return port.name();
        }

        public double containerPort() {
            return port.containerPort();
        }

        public double hostPort() {
            return port.hostPort();
        }

        public String protocol() {
            return port.protocol();
        }
    }

    /** A view of a volume of a pod for rules. Public only because MVEL calls it. */
    public record VolumeView(PodVolume volume) {
        public String name() {
            return volume.name();
        }

        public String kind() {
            return volume.kind();
        }

        /** Null for a volume without a claim. */
        public @Nullable String claimName() {
            return volume.claimName().isEmpty() ? null : volume.claimName();
        }
    }

    /** A view of a disruption budget for rules. Public only because MVEL calls it. */
    public record BudgetView(DisruptionBudgetInfo budget) {
        public String name() {
            return budget.name();
        }

        public double disruptionsAllowed() {
            return budget.disruptionsAllowed();
        }
    }

    /**
     * A view of labels, annotations and node selectors for rules. Reused like the view that it belongs to. Public only because MVEL
     * calls it.
     */
    public static final class LabelsView {
        private Labels labels = Labels.EMPTY;

        LabelsView() {}

        LabelsView move(Labels to) {
            labels = to;
            return this;
        }

        public @Nullable String get(String key) {
            return labels.get(key);
        }

        public String getOrDefault(String key, String otherwise) {
            String value = labels.get(key);
            return value == null ? otherwise : value;
        }

        public boolean containsKey(String key) {
            return labels.has(key);
        }

        public double size() {
            return labels.size();
        }

        public boolean isEmpty() {
            return labels.isEmpty();
        }
    }

    /** A view of resources for rules. Public only because MVEL calls it. */
    public static final class AmountsView {
        private final ToDoubleFunction<String> amounts;

        AmountsView(ToDoubleFunction<String> amounts) {
            this.amounts = amounts;
        }

        public double get(String resource) {
            return amounts.applyAsDouble(resource);
        }
    }

    /** The views of list elements, created when a rule reads them. */
    public static final class Elements {
        private Elements() {}

        /** The view of an element other than a pod; the element itself if it needs none. */
        public static Object view(Object element) {
            if (element instanceof Container container) {
                return new ContainerView(container);
            }
            if (element instanceof ContainerPort port) {
                return new PortView(port);
            }
            if (element instanceof PodVolume volume) {
                return new VolumeView(volume);
            }
            if (element instanceof Node.Image image) {
                return new ImageView(image);
            }
            return element instanceof DisruptionBudgetInfo budget ? new BudgetView(budget) : element;
        }
    }
}
