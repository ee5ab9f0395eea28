package io.policyscheduler.engine.reader;

import java.util.Set;

/**
 * The places of a pod's spec in which a later release could say something new about where the pod may run, each with all its
 * fields as of release 1.36, those of older releases included. Mirrors {@code staging/src/k8s.io/api/core/v1/types.go}.
 */
enum PodFields {
    SPEC(
            "spec",
            "activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy"
                    + " enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname"
                    + " hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os overhead"
                    + " preemptionPolicy priority priorityClassName readinessGates resourceClaims resources restartPolicy"
                    + " runtimeClassName schedulerName schedulingGates securityContext serviceAccount"
                    + " serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain"
                    + " terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes"),
    CONTAINER(
            "spec.containers[]",
            "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe"
                    + " resizePolicy resources restartPolicy restartPolicyRules securityContext startupProbe stdin"
                    + " stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts"
                    + " workingDir"),
    PORT("spec.containers[].ports[]", "containerPort hostIP hostPort name protocol"),
    CONTAINER_RESOURCES("spec.containers[].resources", "claims limits requests"),
    POD_RESOURCES("spec.resources", "claims limits requests"),
    AFFINITY("spec.affinity", "nodeAffinity podAffinity podAntiAffinity"),
    NODE_AFFINITY(
            "spec.affinity.nodeAffinity",
            "preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution"),
    POD_AFFINITY(
            "spec.affinity.podAffinity",
            "preferredDuringSchedulingIgnoredDuringExecution requiredDuringSchedulingIgnoredDuringExecution"),
    POD_AFFINITY_TERM(
            "spec.affinity.podAffinity[]",
            "labelSelector matchLabelKeys mismatchLabelKeys namespaceSelector namespaces topologyKey"),
    TOLERATION("spec.tolerations[]", "effect key operator tolerationSeconds value"),
    SPREAD_CONSTRAINT(
            "spec.topologySpreadConstraints[]",
            "labelSelector matchLabelKeys maxSkew minDomains nodeAffinityPolicy nodeTaintsPolicy topologyKey"
                    + " whenUnsatisfiable"),
    VOLUME(
            "spec.volumes[]",
            "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral fc"
                    + " flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi metadata name nfs"
                    + " persistentVolumeClaim photonPersistentDisk portworxVolume projected quobyte rbd scaleIO secret"
                    + " storageos vsphereVolume"),
    RESOURCE_CLAIM("spec.resourceClaims[]", "name resourceClaimName resourceClaimTemplateName source"),
    SCHEDULING_GATE("spec.schedulingGates[]", "name");

    private final String place;
    private final Set<String> names;

    PodFields(String place, String names) {
        this.place = place;
        this.names = Set.of(names.split(" "));
    }

    /** Whether some release up to the newest known one has the field. */
    boolean knows(String name) {
        return names.contains(name);
    }

    /** How users are told of a field: {@code spec.containers[].name}. */
    String path(String name) {
        return place + "." + name;
    }
}
