package io.policyscheduler.engine.reader;

import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * The message types of pods with the fields that are read, and with all field names where unknown ones are reported. Mirrors
 * {@code generated.proto} of {@code k8s.io/api/core/v1} and {@code k8s.io/apimachinery/pkg/apis/meta/v1}; field numbers are stable
 * across releases.
 */
public final class PodMessages {
    private PodMessages() {}

    /** A pod. */
    public static MessageType pod() {
        return MessageType.builder()
                .message(1, "metadata", metadata())
                .message(2, "spec", spec())
                .message(3, "status", status())
                .build();
    }

    private static MessageType metadata() {
        MessageType owner = MessageType.builder()
                .string(1, "kind")
                .string(3, "name")
                .string(4, "uid")
                .string(5, "apiVersion")
                .bool(6, "controller")
                .skipped("7=blockOwnerDeletion")
                .build();
        return MessageType.builder()
                .string(1, "name")
                .string(3, "namespace")
                .string(5, "uid")
                .string(6, "resourceVersion")
                .integer(7, "generation")
                .time(8, "creationTimestamp")
                .time(9, "deletionTimestamp")
                .stringMap(11, "labels")
                .stringMap(12, "annotations")
                .messages(13, "ownerReferences", owner)
                .strings(14, "finalizers")
                .skipped("2=generateName 4=selfLink 10=deletionGracePeriodSeconds 15=clusterName 17=managedFields")
                .build();
    }

    private static MessageType spec() {
        MessageType container = container();
        return MessageType.builder()
                .reportingUnknown()
                .messages(1, "volumes", volume())
                .messages(2, "containers", container)
                .stringMap(7, "nodeSelector")
                .string(8, "serviceAccountName")
                .string(10, "nodeName")
                .message(18, "affinity", affinity())
                .string(19, "schedulerName")
                .messages(20, "initContainers", container)
                .messages(22, "tolerations", toleration())
                .integer(25, "priority")
                .string(31, "preemptionPolicy")
                .quantities(32, "overhead")
                .messages(33, "topologySpreadConstraints", spreadConstraint())
                .messages(38, "schedulingGates", named())
                .messages(39, "resourceClaims", resourceClaim())
                .message(40, "resources", resources())
                .bool(11, "hostNetwork")
                .bool(37, "hostUsers")
                .skipped("3=restartPolicy 4=terminationGracePeriodSeconds 5=activeDeadlineSeconds 6=dnsPolicy"
                        + " 9=serviceAccount 12=hostPID 13=hostIPC 14=securityContext"
                        + " 15=imagePullSecrets 16=hostname 17=subdomain 21=automountServiceAccountToken"
                        + " 23=hostAliases 24=priorityClassName 26=dnsConfig 27=shareProcessNamespace"
                        + " 28=readinessGates 29=runtimeClassName 30=enableServiceLinks 34=ephemeralContainers"
                        + " 35=setHostnameAsFQDN 36=os 41=hostnameOverride")
                .named("43=schedulingGroup")
                .build();
    }

    private static MessageType named() {
        return MessageType.builder().reportingUnknown().string(1, "name").build();
    }

    private static MessageType resources() {
        return MessageType.builder()
                .reportingUnknown()
                .quantities(1, "limits")
                .quantities(2, "requests")
                .skipped("3=claims")
                .build();
    }

    private static MessageType container() {
        MessageType port = MessageType.builder()
                .reportingUnknown()
                .string(1, "name")
                .integer(2, "hostPort")
                .integer(3, "containerPort")
                .string(4, "protocol")
                .string(5, "hostIP")
                .build();
        MessageType restartRule = MessageType.builder().string(1, "action").build();
        return MessageType.builder()
                .reportingUnknown()
                .string(1, "name")
                .string(2, "image")
                .messages(6, "ports", port)
                .message(8, "resources", resources())
                .string(24, "restartPolicy")
                .messages(25, "restartPolicyRules", restartRule)
                .skipped("3=command 4=args 5=workingDir 7=env 9=volumeMounts 10=livenessProbe 11=readinessProbe"
                        + " 12=lifecycle 13=terminationMessagePath 14=imagePullPolicy 15=securityContext 16=stdin"
                        + " 17=stdinOnce 18=tty 19=envFrom 20=terminationMessagePolicy 21=volumeDevices"
                        + " 22=startupProbe 23=resizePolicy")
                .build();
    }

    private static MessageType toleration() {
        return MessageType.builder()
                .reportingUnknown()
                .string(1, "key")
                .string(2, "operator")
                .string(3, "value")
                .string(4, "effect")
                .skipped("5=tolerationSeconds")
                .build();
    }

    private static MessageType requirement() {
        return MessageType.builder()
                .string(1, "key")
                .string(2, "operator")
                .strings(3, "values")
                .build();
    }

    private static MessageType labelSelector() {
        return MessageType.builder()
                .stringMap(1, "matchLabels")
                .messages(2, "matchExpressions", requirement())
                .build();
    }

    private static MessageType spreadConstraint() {
        return MessageType.builder()
                .reportingUnknown()
                .integer(1, "maxSkew")
                .string(2, "topologyKey")
                .string(3, "whenUnsatisfiable")
                .message(4, "labelSelector", labelSelector())
                .integer(5, "minDomains")
                .string(6, "nodeAffinityPolicy")
                .string(7, "nodeTaintsPolicy")
                .strings(8, "matchLabelKeys")
                .build();
    }

    private static MessageType affinity() {
        MessageType podTerms = podTerms();
        return MessageType.builder()
                .reportingUnknown()
                .message(1, "nodeAffinity", nodeAffinity())
                .message(2, "podAffinity", podTerms)
                .message(3, "podAntiAffinity", podTerms)
                .build();
    }

    private static MessageType nodeAffinity() {
        MessageType term = MessageType.builder()
                .messages(1, "matchExpressions", requirement())
                .messages(2, "matchFields", requirement())
                .build();
        MessageType required =
                MessageType.builder().messages(1, "nodeSelectorTerms", term).build();
        MessageType preferred = MessageType.builder()
                .integer(1, "weight")
                .message(2, "preference", term)
                .build();
        return MessageType.builder()
                .reportingUnknown()
                .message(1, "requiredDuringSchedulingIgnoredDuringExecution", required)
                .messages(2, "preferredDuringSchedulingIgnoredDuringExecution", preferred)
                .build();
    }

    private static MessageType podTerms() {
        MessageType term = MessageType.builder()
                .reportingUnknown()
                .message(1, "labelSelector", labelSelector())
                .strings(2, "namespaces")
                .string(3, "topologyKey")
                .message(4, "namespaceSelector", labelSelector())
                .skipped("5=matchLabelKeys 6=mismatchLabelKeys")
                .build();
        MessageType weighted = MessageType.builder()
                .integer(1, "weight")
                .message(2, "podAffinityTerm", term)
                .build();
        return MessageType.builder()
                .reportingUnknown()
                .messages(1, "requiredDuringSchedulingIgnoredDuringExecution", term)
                .messages(2, "preferredDuringSchedulingIgnoredDuringExecution", weighted)
                .build();
    }

    private static MessageType volume() {
        MessageType source = MessageType.builder()
                .message(3, "gcePersistentDisk", source("1=pdName", 4))
                .message(4, "awsElasticBlockStore", source("1=volumeID", 4))
                .message(8, "iscsi", source("2=iqn", 6))
                .message(10, "persistentVolumeClaim", source("1=claimName", 2))
                .message(
                        11,
                        "rbd",
                        MessageType.builder()
                                .strings(1, "monitors")
                                .string(2, "image")
                                .string(4, "pool")
                                .bool(8, "readOnly")
                                .build())
                .message(13, "cinder", source("1=volumeID", 3))
                .message(18, "azureFile", source("1=secretName 2=shareName", 3))
                .message(22, "azureDisk", source("1=diskName 2=diskURI", 5))
                .message(24, "portworxVolume", source("1=volumeID", 3))
                .message(28, "csi", source("1=driver", 2))
                .message(
                        30,
                        "image",
                        MessageType.builder().string(1, "reference").build())
                .reportingUnknown()
                .named("1=hostPath 2=emptyDir 5=gitRepo 6=secret 7=nfs 9=glusterfs 12=flexVolume 14=cephfs"
                        + " 15=flocker 16=downwardAPI 17=fc 19=configMap 20=vsphereVolume 21=quobyte"
                        + " 23=photonPersistentDisk 25=scaleIO 26=projected 27=storageos"
                        + " 29=ephemeral")
                .build();
        return MessageType.builder()
                .reportingUnknown()
                .volumeName(1, "name")
                .inline(2, source)
                .build();
    }

    private static MessageType source(String strings, int readOnly) {
        return MessageType.builder().strings(strings).bool(readOnly, "readOnly").build();
    }

    private static MessageType resourceClaim() {
        MessageType before131 = MessageType.builder()
                .string(1, "resourceClaimName")
                .string(2, "resourceClaimTemplateName")
                .build();
        return MessageType.builder()
                .reportingUnknown()
                .string(1, "name")
                .message(2, "source", before131)
                .string(3, "resourceClaimName")
                .string(4, "resourceClaimTemplateName")
                .build();
    }

    private static MessageType status() {
        MessageType condition = MessageType.builder()
                .string(1, "type")
                .string(2, "status")
                .time(4, "lastTransitionTime")
                .string(5, "reason")
                .string(6, "message")
                .skipped("3=lastProbeTime 7=observedGeneration")
                .build();
        MessageType nothing = MessageType.builder().build();
        MessageType state = MessageType.builder()
                .message(2, "running", nothing)
                .message(3, "terminated", nothing)
                .build();
        MessageType container = MessageType.builder()
                .string(1, "name")
                .message(2, "state", state)
                .quantities(10, "allocatedResources")
                .message(11, "resources", resources())
                .build();
        MessageType claim = MessageType.builder()
                .string(1, "name")
                .string(2, "resourceClaimName")
                .build();
        return MessageType.builder()
                .string(1, "phase")
                .messages(2, "conditions", condition)
                .string(4, "reason")
                .time(7, "startTime")
                .messages(8, "containerStatuses", container)
                .messages(10, "initContainerStatuses", container)
                .string(11, "nominatedNodeName")
                .messages(15, "resourceClaimStatuses", claim)
                .quantities(19, "allocatedResources")
                .message(20, "resources", resources())
                .build();
    }

    /** The {@code meta/v1 Status} with which a server responds to a failed protobuf request. */
    public static final class StatusMessage {
        /** The length of the prefix of Kubernetes protobuf. */
        private static final int MAGIC = 4;

        private static final MessageType ENVELOPE = MessageType.builder()
                .message(2, "raw", MessageType.builder().string(3, "message").build())
                .build();

        private StatusMessage() {}

        /** The message; empty if there is none, or no status. */
        public static String of(byte[] answer) {
            ProtobufParser parser = new ProtobufParser(ENVELOPE);
            parser.start(answer, Math.min(MAGIC, answer.length), answer.length);
            String message = "";
            try {
                while (parser.nextToken() != null) {
                    if (parser.currentToken() == JsonToken.VALUE_STRING) {
                        message = parser.getText();
                    }
                }
            } catch (IOException e) {
                return message;
            }
            return message;
        }
    }
}
