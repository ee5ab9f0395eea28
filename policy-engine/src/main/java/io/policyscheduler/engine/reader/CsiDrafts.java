package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.CsiDriverInfo;
import io.policyscheduler.engine.cluster.object.StorageCapacityInfo;
import io.policyscheduler.engine.cluster.object.VolumeAttachmentInfo;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Storage objects that v1.17 does not look at, while they are being read. */
final class CsiDrafts {
    private CsiDrafts() {}

    /** A CSIDriver. */
    static final class DriverDraft extends ObjectDraft {
        private final PodReading reading;
        private boolean storageCapacity;

        DriverDraft(PodReading reading) {
            super(false);
            this.reading = reading;
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            if (!name.equals("spec")) {
                cursor.skip();
                return;
            }
            cursor.object((f, c) -> {
                if (f.equals("storageCapacity")) {
                    storageCapacity = c.bool() && !reading.leavesOut(NewerField.STORAGE_CAPACITY);
                } else {
                    c.skip();
                }
            });
        }

        @Override
        ClusterObject build() {
            return new CsiDriverInfo(metadata.name, storageCapacity);
        }
    }

    /** A CSIStorageCapacity, whose fields are not below {@code spec}. */
    static final class CapacityDraft extends ObjectDraft {
        private String storageClassName = "";
        private @Nullable LabelSelector nodeTopology;
        private @Nullable Long capacity;
        private @Nullable Long maximumVolumeSize;

        CapacityDraft() {
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
    static final class AttachmentDraft extends ObjectDraft {
        private String attacher = "";
        private String nodeName = "";
        private String volumeName = "";

        AttachmentDraft() {
            super(false);
        }

        @Override
        void body(String name, JsonCursor cursor) throws IOException {
            if (name.equals("spec")) {
                cursor.object(this::spec);
            } else {
                cursor.skip();
            }
        }

        private void spec(String name, JsonCursor cursor) throws IOException {
            switch (name) {
                case "attacher" -> attacher = cursor.string();
                case "nodeName" -> nodeName = cursor.string();
                case "source" ->
                    cursor.object((f, c) -> {
                        if (f.equals("persistentVolumeName")) {
                            volumeName = c.string();
                        } else {
                            c.skip();
                        }
                    });
                default -> cursor.skip();
            }
        }

        @Override
        ClusterObject build() {
            return new VolumeAttachmentInfo(metadata.name, attacher, nodeName, volumeName);
        }
    }
}
