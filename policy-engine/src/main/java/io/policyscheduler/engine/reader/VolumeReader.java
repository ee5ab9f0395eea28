package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Volume;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads volume sources, of pods and of persistent volumes. */
final class VolumeReader {
    private String id = "";
    private String detail = "";
    private boolean readOnly;
    private final List<String> monitors = new ArrayList<>(0);

    /** The source that {@code field} names, or null (and nothing read) when scheduling does not distinguish it. */
    static @Nullable Volume source(String field, JsonCursor cursor) throws IOException {
        return switch (field) {
            case "persistentVolumeClaim" -> read(cursor, Volume.Kind.CLAIM, "claimName", "");
            case "gcePersistentDisk" -> read(cursor, Volume.Kind.GCE_PD, "pdName", "");
            case "awsElasticBlockStore" -> read(cursor, Volume.Kind.AWS_EBS, "volumeID", "");
            case "iscsi" -> read(cursor, Volume.Kind.ISCSI, "iqn", "");
            case "rbd" -> read(cursor, Volume.Kind.RBD, "image", "pool");
            case "azureDisk" -> read(cursor, Volume.Kind.AZURE_DISK, "diskName", "diskURI");
            case "azureFile" -> read(cursor, Volume.Kind.AZURE_FILE, "shareName", "secretName");
            case "cinder" -> read(cursor, Volume.Kind.CINDER, "volumeID", "");
            case "csi" -> read(cursor, Volume.Kind.CSI, "volumeHandle", "driver");
            default -> null;
        };
    }

    private static Volume read(JsonCursor cursor, Volume.Kind kind, String idField, String detailField)
            throws IOException {
        VolumeReader reader = new VolumeReader();
        cursor.object((field, c) -> {
            if (field.equals(idField)) {
                reader.id = c.string();
            } else if (field.equals(detailField)) {
                reader.detail = c.string();
            } else if (field.equals("readOnly")) {
                reader.readOnly = c.bool();
            } else if (field.equals("monitors")) {
                reader.monitors.addAll(c.strings());
            } else {
                c.skip();
            }
        });
        return new Volume(kind, reader.id, reader.detail, reader.readOnly, reader.monitors);
    }
}
