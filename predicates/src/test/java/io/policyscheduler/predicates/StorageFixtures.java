package io.policyscheduler.predicates;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.resource.Quantity;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.placement.InTreeVolumes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Builders of claims, volumes and classes for the tests of this package. */
final class StorageFixtures {
    private StorageFixtures() {}

    static Volume volume(Volume.Kind kind, String id) {
        return new Volume(kind, id, "", false, List.of());
    }

    static Volume csi(String driver, String handle) {
        return new Volume(Volume.Kind.CSI, handle, driver, false, List.of());
    }

    static StorageClassInfo delayed(String name, String provisioner) {
        return new StorageClassInfo(name, provisioner, "WaitForFirstConsumer", List.of());
    }

    static StorageClassInfo immediate(String name, String provisioner) {
        return new StorageClassInfo(name, provisioner, "Immediate", List.of());
    }

    static StorageClassInfo modeless(String name) {
        return new StorageClassInfo(name, "p", null, List.of());
    }

    static CsiNodeInfo migrated(String node, String plugins) {
        return new CsiNodeInfo(node, Labels.of(InTreeVolumes.MIGRATED_PLUGINS, plugins), List.of());
    }

    static NodeSelectorTerm in(String key, String... values) {
        return new NodeSelectorTerm(List.of(LabelRequirement.ofNodeSelector(key, "In", List.of(values))), List.of());
    }

    static ClaimBuilder claim(String name) {
        return new ClaimBuilder(name);
    }

    static VolumeBuilder persistent(String name) {
        return new VolumeBuilder(name);
    }

    /** A claim in namespace default, unbound, without class, for 1Gi ReadWriteOnce. */
    static final class ClaimBuilder {
        private final String name;
        private final Map<String, String> annotations = new TreeMap<>();
        private String volumeName = "";
        private @Nullable String className;
        private List<String> accessModes = List.of("ReadWriteOnce");
        private @Nullable LabelSelector selector;
        private String mode = "";
        private long size = Quantity.value("1Gi");

        private ClaimBuilder(String name) {
            this.name = name;
        }

        ClaimBuilder boundTo(String volume) {
            annotations.put(ClaimInfo.BIND_COMPLETED, "yes");
            return volumeName(volume);
        }

        ClaimBuilder volumeName(String volume) {
            volumeName = volume;
            return this;
        }

        ClaimBuilder storageClass(String value) {
            className = value;
            return this;
        }

        ClaimBuilder annotation(String key, String value) {
            annotations.put(key, value);
            return this;
        }

        ClaimBuilder accessModes(String... values) {
            accessModes = List.of(values);
            return this;
        }

        ClaimBuilder selector(LabelSelector value) {
            selector = value;
            return this;
        }

        ClaimBuilder mode(String value) {
            mode = value;
            return this;
        }

        ClaimBuilder size(String quantity) {
            size = Quantity.value(quantity);
            return this;
        }

        ClaimInfo build() {
            return new ClaimInfo(
                    "default",
                    name,
                    name + "-uid",
                    "7",
                    Labels.copyOf(annotations),
                    false,
                    volumeName,
                    className,
                    accessModes,
                    selector,
                    mode,
                    size,
                    "",
                    "",
                    "");
        }
    }

    /** A volume of 5Gi, available, ReadWriteOnce, without class, source EBS named like it. */
    static final class VolumeBuilder {
        private final String name;
        private final Map<String, String> labels = new TreeMap<>();
        private final Map<String, String> annotations = new TreeMap<>();
        private boolean terminating;
        private String className = "";
        private @Nullable List<NodeSelectorTerm> terms;
        private PersistentVolumeInfo.@Nullable ClaimRef claimRef;
        private List<String> accessModes = List.of("ReadWriteOnce");
        private String mode = "";
        private long capacity = Quantity.value("5Gi");
        private Volume source;
        private String phase = "Available";

        private VolumeBuilder(String name) {
            this.name = name;
            this.source = volume(Volume.Kind.AWS_EBS, name);
        }

        VolumeBuilder label(String key, String value) {
            labels.put(key, value);
            return this;
        }

        VolumeBuilder annotation(String key, String value) {
            annotations.put(key, value);
            return this;
        }

        VolumeBuilder terminating() {
            terminating = true;
            return this;
        }

        VolumeBuilder storageClass(String value) {
            className = value;
            return this;
        }

        VolumeBuilder affinity(NodeSelectorTerm... values) {
            terms = new ArrayList<>(List.of(values));
            return this;
        }

        VolumeBuilder claimRef(String namespace, String claim, String uid) {
            claimRef = new PersistentVolumeInfo.ClaimRef(namespace, claim, uid);
            return this;
        }

        VolumeBuilder accessModes(String... values) {
            accessModes = List.of(values);
            return this;
        }

        VolumeBuilder mode(String value) {
            mode = value;
            return this;
        }

        VolumeBuilder capacity(String quantity) {
            capacity = Quantity.value(quantity);
            return this;
        }

        VolumeBuilder source(Volume value) {
            source = value;
            return this;
        }

        VolumeBuilder phase(String value) {
            phase = value;
            return this;
        }

        PersistentVolumeInfo build() {
            return new PersistentVolumeInfo(
                    name,
                    name + "-uid",
                    "9",
                    Labels.copyOf(labels),
                    Labels.copyOf(annotations),
                    terminating,
                    className,
                    terms,
                    claimRef,
                    accessModes,
                    mode,
                    capacity,
                    source,
                    phase,
                    "");
        }
    }
}
