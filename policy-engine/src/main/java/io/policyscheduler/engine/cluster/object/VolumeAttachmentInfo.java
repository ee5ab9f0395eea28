package io.policyscheduler.engine.cluster.object;

/**
 * A VolumeAttachment: a persistent volume that is, or is to be, attached to a node.
 *
 * @param volumeName empty when the attachment is of an inline volume
 */
public record VolumeAttachmentInfo(String name, String attacher, String nodeName, String volumeName)
        implements ClusterObject {
    @Override
    public ResourceKind resourceKind() {
        return ResourceKind.VOLUME_ATTACHMENTS;
    }

    @Override
    public String namespace() {
        return "";
    }
}
