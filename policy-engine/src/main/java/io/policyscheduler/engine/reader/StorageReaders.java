package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.ClaimInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.CsiNodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.StorageClassInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.object.PersistentVolumeInfo;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.selector.LabelRequirement;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.NodeSelectorTerm;
import io.policyscheduler.engine.reader.AffinityReader.SelectorReader;
import io.policyscheduler.engine.reader.PodSpecReader.VolumeReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builders for storage objects. */
final class StorageReaders {
    private StorageReaders() {}

    private static void readStorage(JsonCursor cursor, long[] storage) throws IOException {
        cursor.field("storage", c -> storage[0] = c.quantity());
    }

    /** Replaces ReadWriteOncePod by ReadWriteOnce in releases without it. */
    private static List<String> modes(List<String> accessModes, PodReading reading) {
        return reading.ignores(NewerField.READ_WRITE_ONCE_POD)
                ? accessModes.stream()
                        .map(mode -> mode.equals("ReadWriteOncePod") ? "ReadWriteOnce" : mode)
                        .toList()
                : accessModes;
    }

    /** The fields that claims and volumes have in common. */
    private abstract static class StorageReader extends KindReader {
        final List<String> accessModes = new ArrayList<>(1);
        final long[] storage = {0};
        String volumeMode = "";
        String phase = "";
        final PodReading reading;
        private String attributesClass = "";

        StorageReader(PodReading reading) {
            super(true);
            this.reading = reading;
        }

        @Override
        final void body(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "spec" -> cursor.object(this::common);
                case "status" -> cursor.field("phase", c -> phase = c.string());
                default -> cursor.skip();
            }
        }

        private void common(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "accessModes" -> accessModes.addAll(cursor.strings());
                case "volumeMode" -> volumeMode = cursor.string();
                case "volumeAttributesClassName" -> attributesClass = cursor.string();
                default -> spec(name, cursor);
            }
        }

        /** Reads a field of the spec that the other kind does not have. */
        abstract void spec(String name, JsonCursor cursor) throws IOException;

        final String attributesClass() {
            return reading.ignores(NewerField.VOLUME_ATTRIBUTES_CLASS) ? "" : attributesClass;
        }
    }

    /** A PersistentVolumeClaim. */
    static final class VolumeClaimReader extends StorageReader {
        private String volumeName = "";
        private @Nullable String storageClassName;
        private @Nullable LabelSelector selector;

        VolumeClaimReader(PodReading reading) {
            super(reading);
        }

        @Override
        void spec(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "volumeName" -> volumeName = cursor.string();
                case "storageClassName" -> storageClassName = cursor.string();
                case "selector" -> selector = SelectorReader.labelSelector(cursor);
                case "resources" -> cursor.field("requests", c -> readStorage(c, storage));
                default -> cursor.skip();
            }
        }

        @Override
        ClusterObject build() {
            return new ClaimInfo(
                    metadata.namespace,
                    metadata.name,
                    metadata.uid,
                    metadata.resourceVersion,
                    metadata.annotations,
                    metadata.terminating,
                    volumeName,
                    storageClassName,
                    modes(accessModes, reading),
                    selector,
                    volumeMode,
                    storage[0],
                    phase,
                    attributesClass(),
                    metadata.controller == null ? "" : metadata.controller.uid());
        }
    }

    /** A PersistentVolume. */
    static final class PersistentVolumeReader extends StorageReader {
        private String storageClassName = "";
        private @Nullable List<NodeSelectorTerm> requiredTerms;
        private PersistentVolumeInfo.@Nullable ClaimRef claimRef;
        private Volume source = new Volume(Volume.Kind.OTHER, "", "", false, List.of());

        PersistentVolumeReader(PodReading reading) {
            super(reading);
        }

        @Override
        void spec(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "storageClassName" -> storageClassName = cursor.string();
                case "capacity" -> readStorage(cursor, storage);
                case "claimRef" -> claimRef(cursor);
                case "nodeAffinity" -> cursor.field("required", c -> requiredTerms = SelectorReader.nodeSelector(c));
                default -> {
                    Volume known = VolumeReader.source(name, cursor);
                    if (known == null) {
                        cursor.skip();
                    } else {
                        source = known;
                    }
                }
            }
        }

        private void claimRef(JsonCursor cursor) throws IOException {
            String[] text = {"", "", ""};
            cursor.object((f, c) -> {
                switch (f) {
                    case "namespace" -> text[0] = c.string();
                    case "name" -> text[1] = c.string();
                    case "uid" -> text[2] = c.string();
                    default -> c.skip();
                }
            });
            claimRef = new PersistentVolumeInfo.ClaimRef(text[0], text[1], text[2]);
        }

        @Override
        ClusterObject build() {
            return new PersistentVolumeInfo(
                    metadata.name,
                    metadata.uid,
                    metadata.resourceVersion,
                    metadata.labels,
                    metadata.annotations,
                    metadata.terminating,
                    storageClassName,
                    requiredTerms,
                    claimRef,
                    modes(accessModes, reading),
                    volumeMode,
                    storage[0],
                    source,
                    phase,
                    attributesClass());
        }
    }

    /** A StorageClass. */
    static final class StorageClassReader extends KindReader {
        private String provisioner = "";
        private @Nullable String bindingMode;
        private final List<List<LabelRequirement>> topologies = new ArrayList<>(0);

        StorageClassReader() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "provisioner" -> provisioner = cursor.string();
                case "volumeBindingMode" -> bindingMode = cursor.string();
                case "allowedTopologies" -> cursor.array(c -> topologies.add(SelectorReader.topologyTerm(c)));
                default -> cursor.skip();
            }
        }

        @Override
        ClusterObject build() {
            return new StorageClassInfo(metadata.name, provisioner, bindingMode, topologies);
        }
    }

    /** A CSINode. */
    static final class CsiNodeReader extends KindReader {
        private final List<CsiNodeInfo.Driver> drivers = new ArrayList<>(1);

        CsiNodeReader() {
            super(true);
        }

        @Override
        void spec(JsonCursor cursor) throws IOException {
            cursor.field("drivers", c -> c.array(this::driver));
        }

        private void driver(JsonCursor cursor) throws IOException {
            String[] driverName = {""};
            @Nullable Integer[] count = {null};
            cursor.object((f, c) -> {
                switch (f) {
                    case "name" -> driverName[0] = c.string();
                    case "allocatable" -> c.field("count", d -> count[0] = d.integer());
                    default -> c.skip();
                }
            });
            drivers.add(new CsiNodeInfo.Driver(driverName[0], count[0]));
        }

        @Override
        ClusterObject build() {
            return new CsiNodeInfo(metadata.name, metadata.annotations, drivers);
        }
    }

    /** Builders for storage objects that v1.17 does not read. */
    static final class CsiReaders {
        private CsiReaders() {}

        /** A CSIDriver. */
        static final class CsiDriverReader extends KindReader {
            private final PodReading reading;
            private boolean storageCapacity;

            CsiDriverReader(PodReading reading) {
                super(false);
                this.reading = reading;
            }

            @Override
            void spec(JsonCursor cursor) throws IOException {
                cursor.field(
                        "storageCapacity",
                        c -> storageCapacity = c.bool() && !reading.ignores(NewerField.STORAGE_CAPACITY));
            }

            @Override
            ClusterObject build() {
                return new CsiDriverInfo(metadata.name, storageCapacity);
            }
        }

        /** A CSIStorageCapacity, whose fields are not below {@code spec}. */
        static final class StorageCapacityReader extends KindReader {
            private String storageClassName = "";
            private @Nullable LabelSelector nodeTopology;
            private @Nullable Long capacity;
            private @Nullable Long maximumVolumeSize;

            StorageCapacityReader() {
                super(false);
            }

            @Override
            void body(String name, JsonCursor cursor) throws IOException {
                switch (name) {
                    case "storageClassName" -> storageClassName = cursor.string();
                    case "nodeTopology" -> nodeTopology = SelectorReader.labelSelector(cursor);
                    case "capacity" -> capacity = cursor.quantity();
                    case "maximumVolumeSize" -> maximumVolumeSize = cursor.quantity();
                    default -> cursor.skip();
                }
            }

            @Override
            ClusterObject build() {
                return new StorageCapacityInfo(
                        metadata.namespace, metadata.name, storageClassName, nodeTopology, capacity, maximumVolumeSize);
            }
        }

        /** A VolumeAttachment. */
        static final class VolumeAttachmentReader extends KindReader {
            private String attacher = "";
            private String nodeName = "";
            private String volumeName = "";

            VolumeAttachmentReader() {
                super(false);
            }

            @Override
            void spec(JsonCursor cursor) throws IOException {
                cursor.object(this::spec);
            }

            private void spec(String name, JsonCursor cursor) throws IOException {
                switch (name) {
                    case "attacher" -> attacher = cursor.string();
                    case "nodeName" -> nodeName = cursor.string();
                    case "source" -> cursor.field("persistentVolumeName", c -> volumeName = c.string());
                    default -> cursor.skip();
                }
            }

            @Override
            ClusterObject build() {
                return new VolumeAttachmentInfo(metadata.name, attacher, nodeName, volumeName);
            }
        }
    }
}
