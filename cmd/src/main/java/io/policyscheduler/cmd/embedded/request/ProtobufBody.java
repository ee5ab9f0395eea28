package io.policyscheduler.cmd.embedded.request;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.proto.V1Apps;
import io.kubernetes.client.proto.V1Authentication;
import io.kubernetes.client.proto.V1Authorization;
import io.kubernetes.client.proto.V1Batch;
import io.kubernetes.client.proto.V1Coordination;
import io.kubernetes.client.proto.V1Events;
import io.kubernetes.client.proto.V1Networking;
import io.kubernetes.client.proto.V1Policy;
import io.kubernetes.client.proto.V1Rbac;
import io.kubernetes.client.proto.V1Scheduling;
import io.kubernetes.client.proto.V1Storage;
import io.policyscheduler.cmd.embedded.api.Json;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.StatusError;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Request bodies in the Kubernetes protobuf encoding, which {@code kubectl create} and schedulers send without asking what
 * the server takes. A kind that is not served here is refused with 415; fields that these definitions do not know are
 * dropped, as a server drops them that is older than its client.
 *
 * <p>Only the definitions of the Java client are used, never its generated classes: those were made by an old compiler, and
 * parsing hostile bodies with them is known to be slow (GHSA-h4h5-3hr4-j3g2).
 */
final class ProtobufBody {
    static final String CONTENT_TYPE = "application/vnd.kubernetes.protobuf";
    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final Descriptor ENVELOPE =
            Objects.requireNonNull(Runtime.getDescriptor().findMessageTypeByName("Unknown"));
    /** The numbers of fields are the same in all versions of a group. */
    private static final Map<String, FileDescriptor> GROUPS = Map.ofEntries(
            Map.entry("", V1.getDescriptor()),
            Map.entry("apps", V1Apps.getDescriptor()),
            Map.entry("authentication.k8s.io", V1Authentication.getDescriptor()),
            Map.entry("authorization.k8s.io", V1Authorization.getDescriptor()),
            Map.entry("batch", V1Batch.getDescriptor()),
            Map.entry("coordination.k8s.io", V1Coordination.getDescriptor()),
            Map.entry(ResourceCatalog.EVENTS_GROUP, V1Events.getDescriptor()),
            Map.entry("networking.k8s.io", V1Networking.getDescriptor()),
            Map.entry("policy", V1Policy.getDescriptor()),
            Map.entry("rbac.authorization.k8s.io", V1Rbac.getDescriptor()),
            Map.entry("scheduling.k8s.io", V1Scheduling.getDescriptor()),
            Map.entry("storage.k8s.io", V1Storage.getDescriptor()));

    private ProtobufBody() {}

    /** The object in a body. Fails with UnsupportedMediaType. */
    static ObjectNode decode(byte[] body) {
        if (body.length < MAGIC.length || !Arrays.equals(MAGIC, Arrays.copyOf(body, MAGIC.length))) {
            throw StatusError.unsupportedMediaType(CONTENT_TYPE);
        }
        try {
            DynamicMessage envelope = DynamicMessage.parseFrom(
                    ENVELOPE, ByteString.copyFrom(body, MAGIC.length, body.length - MAGIC.length));
            Message type = (Message) ProtobufJson.field(envelope, "typeMeta");
            String apiVersion = (String) ProtobufJson.field(type, "apiVersion");
            String kind = (String) ProtobufJson.field(type, "kind");
            ObjectNode object = Json.object().put("apiVersion", apiVersion).put("kind", kind);
            object.setAll(ProtobufJson.object(DynamicMessage.parseFrom(
                    definition(apiVersion, kind), (ByteString) ProtobufJson.field(envelope, "raw"))));
            return object;
        } catch (InvalidProtocolBufferException e) {
            throw StatusError.unsupportedMediaType(CONTENT_TYPE);
        }
    }

    /** Options of a deletion come under the version of what is deleted. */
    private static Descriptor definition(String apiVersion, String kind) {
        return find(apiVersion, kind)
                .or(() -> Optional.ofNullable(Meta.getDescriptor().findMessageTypeByName(kind)))
                .orElseThrow(() -> StatusError.unsupportedMediaType(CONTENT_TYPE));
    }

    /** The definition of a kind; empty when there is none. */
    static Optional<Descriptor> find(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        FileDescriptor group = GROUPS.get(slash < 0 ? "" : apiVersion.substring(0, slash));
        return Optional.ofNullable(group == null ? null : group.findMessageTypeByName(kind));
    }
}
