package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.object.PodInfo.ScheduledCondition;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.release.KubeletRejection;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.reader.PodResourcesReader.CurrentRequestsReader;
import io.policyscheduler.engine.reader.PodSpecReader.SpecCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a pod while its fields are read. */
final class PodReader extends KindReader {
    private final PodReading reading;
    private final ContainerStatuses statuses;
    private @Nullable PodSpecReader spec;
    private final List<PodClaim.Made> claimStatuses = new ArrayList<>(0);
    private boolean preempted;
    private String nodeName = "";
    private String phase = "";
    private String reason = "";
    private String nominated = "";
    private long startTime = PodInfo.NO_TIME;
    private @Nullable ScheduledCondition scheduled;

    PodReader(PodReading reading) {
        super(reading.keepsAnnotations());
        this.reading = reading;
        this.statuses = new ContainerStatuses(reading);
    }

    @Override
    void body(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "status" -> cursor.object(this::status);
            default -> super.body(name, cursor);
        }
    }

    @Override
    void spec(JsonCursor cursor) throws IOException {
        if (cursor.parser() instanceof ProtobufParser parser) {
            spec = cachedSpec(parser, cursor);
        } else {
            spec = readSpec(spec == null ? new PodSpecReader(reading) : spec, cursor);
        }
    }

    /** Reuses parsed specs: a server sends most specs many times, for a template and for each status change. */
    private PodSpecReader cachedSpec(ProtobufParser parser, JsonCursor cursor) throws IOException {
        SpecCache known = reading.specCache();
        PodSpecReader same = known.find(parser);
        if (same == null) {
            PodSpecReader read = readSpec(new PodSpecReader(reading), cursor);
            known.put(read);
            return read;
        }
        nodeName = cursor.interned(known.nodeName());
        cursor.skip();
        return same;
    }

    private PodSpecReader readSpec(PodSpecReader draft, JsonCursor cursor) throws IOException {
        cursor.object((name, c) -> {
            if (name.equals("nodeName")) {
                nodeName = c.string();
            } else {
                draft.field(name, c);
            }
        });
        return draft;
    }

    private void claimStatus(JsonCursor cursor) throws IOException {
        String[] name = {""};
        @Nullable String[] made = {null};
        cursor.object((f, c) -> {
            switch (f) {
                case "name" -> name[0] = c.string();
                case "resourceClaimName" -> made[0] = c.uniqueString();
                default -> c.skip();
            }
        });
        claimStatuses.add(new PodClaim.Made(name[0], made[0]));
    }

    private void status(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "phase" -> phase = cursor.string();
            case "reason" -> reason = cursor.string();
            case "startTime" -> startTime = cursor.time();
            case "nominatedNodeName" -> nominated = cursor.string();
            case "conditions" -> cursor.array(this::condition);
            case "resourceClaimStatuses" -> cursor.array(this::claimStatus);
            case "containerStatuses", "initContainerStatuses" -> cursor.array(statuses::read);
            case "resources" -> statuses.podResources(cursor);
            case "allocatedResources" -> statuses.podAllocated(cursor);
            default -> cursor.skip();
        }
    }

    private void condition(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        long[] transition = {PodInfo.NO_TIME};
        cursor.object((f, c) -> {
            switch (f) {
                case "type" -> text[0] = c.string();
                case "status" -> text[1] = c.string();
                case "reason" -> text[2] = c.string();
                case "message" -> text[3] = c.string();
                case "lastTransitionTime" -> transition[0] = c.time();
                default -> c.skip();
            }
        });
        switch (text[0]) {
            case "PodScheduled" -> scheduled = new ScheduledCondition(text[1], text[2], text[3], transition[0]);
            case "DisruptionTarget" -> preempted = text[1].equals("True") && text[2].equals("PreemptionByScheduler");
            case "PodResizePending" -> statuses.resizeInfeasible(text[2].equals("Infeasible"));
            default -> {
                // Does not affect scheduling.
            }
        }
    }

    @Override
    PodInfo build() {
        return new PodInfo(
                metadata.namespace,
                metadata.name,
                metadata.uid,
                metadata.resourceVersion,
                metadata.labels,
                metadata.annotations,
                metadata.controller,
                metadata.terminating,
                nodeName,
                (spec == null ? new PodSpecReader(reading) : spec).build(statuses),
                phase,
                phase.equals("Failed") && KubeletRejection.is(reason, statuses.started) ? reason : "",
                startTime,
                nominated,
                scheduled,
                preempted,
                metadata.created,
                claimStatuses,
                metadata.generation);
    }

    /** The resources in the status of a pod and its containers. */
    static final class ContainerStatuses {
        private final PodReading reading;
        private Map<String, CurrentRequestsReader.StatusRequests> requests = Map.of();
        private @Nullable ResourceList podRunning;
        private @Nullable ResourceList podAllocated;
        private boolean resizeInfeasible;
        private boolean started;

        ContainerStatuses(PodReading reading) {
            this.reading = reading;
        }

        /** Reads the status of one container. */
        void read(JsonCursor cursor) throws IOException {
            String[] container = {""};
            @Nullable ResourceList[] lists = {null, null};
            cursor.object((f, c) -> {
                switch (f) {
                    case "name" -> container[0] = c.string();
                    case "state" -> c.object(this::state);
                    case "allocatedResources" -> lists[1] = ResourceList.of(c, reading.arithmetic());
                    case "resources" -> lists[0] = requests(c);
                    default -> c.skip();
                }
            });
            ResourceList running = lists[0];
            if (running != null && !reading.ignores(NewerField.RESIZE)) {
                if (requests.isEmpty()) {
                    requests = new HashMap<>();
                }
                ResourceList allocated = lists[1] == null ? new ResourceList(reading.arithmetic()) : lists[1];
                requests.put(container[0], new CurrentRequestsReader.StatusRequests(running, allocated));
            }
        }

        private void state(String name, JsonCursor cursor) throws IOException {
            started |= name.equals("running") || name.equals("terminated");
            cursor.skip();
        }

        private ResourceList requests(JsonCursor cursor) throws IOException {
            ResourceList[] list = {new ResourceList(reading.arithmetic())};
            cursor.field("requests", c -> list[0] = ResourceList.of(c, reading.arithmetic()));
            return list[0];
        }

        /** Reads the requests in use of the pod. */
        void podResources(JsonCursor cursor) throws IOException {
            podRunning = requests(cursor);
        }

        /** Reads the allocated requests of the pod. */
        void podAllocated(JsonCursor cursor) throws IOException {
            podAllocated = ResourceList.of(cursor, reading.arithmetic());
        }

        /** The pod-level requests in the status; null if there are none. */
        CurrentRequestsReader.@Nullable StatusRequests ofPod() {
            if (podRunning == null || reading.ignores(NewerField.POD_LEVEL_RESIZE)) {
                return null;
            }
            return new CurrentRequestsReader.StatusRequests(
                    podRunning, podAllocated == null ? new ResourceList(reading.arithmetic()) : podAllocated);
        }

        /** Sets whether the requested resize is infeasible, so that only the requests in use count. */
        void resizeInfeasible(boolean value) {
            resizeInfeasible = value && !reading.ignores(NewerField.RESIZE);
        }

        boolean resizeInfeasible() {
            return resizeInfeasible;
        }

        /** By container name. */
        Map<String, CurrentRequestsReader.StatusRequests> requests() {
            return requests;
        }

        boolean areEmpty() {
            return requests.isEmpty() && ofPod() == null && !resizeInfeasible;
        }
    }

    /**
     * The parts of a pod's spec where a later release could add fields that affect scheduling, each with all its fields up to
     * release 1.36. Mirrors {@code staging/src/k8s.io/api/core/v1/types.go}.
     */
    enum PodFields {
        SPEC(
                "spec",
                "activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy"
                        + " enableServiceLinks ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers"
                        + " hostname hostnameOverride imagePullSecrets initContainers nodeName nodeSelector os overhead"
                        + " preemptionPolicy priority priorityClassName readinessGates resourceClaims resources"
                        + " restartPolicy runtimeClassName schedulerName schedulingGates securityContext serviceAccount"
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
                "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral"
                        + " fc flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi metadata name"
                        + " nfs persistentVolumeClaim photonPersistentDisk portworxVolume projected quobyte rbd scaleIO"
                        + " secret storageos vsphereVolume"),
        RESOURCE_CLAIM("spec.resourceClaims[]", "name resourceClaimName resourceClaimTemplateName source"),
        SCHEDULING_GATE("spec.schedulingGates[]", "name");

        private final String place;
        private final Set<String> names;

        PodFields(String place, String names) {
            this.place = place;
            this.names = Set.of(names.split(" "));
        }

        /** Whether some supported release has the field. */
        boolean contains(String name) {
            return names.contains(name);
        }

        /** Returns the name of a field in messages, such as {@code spec.containers[].name}. */
        String path(String name) {
            return place + "." + name;
        }
    }
}
