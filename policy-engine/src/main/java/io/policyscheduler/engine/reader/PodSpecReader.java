package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.PodSpec.Container;
import io.policyscheduler.engine.cluster.object.PodSpec.PodClaim;
import io.policyscheduler.engine.cluster.object.PodSpec.PodVolume;
import io.policyscheduler.engine.cluster.object.PodSpec.Toleration;
import io.policyscheduler.engine.cluster.object.PodSpec.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.resource.HostPort;
import io.policyscheduler.engine.cluster.resource.PodResources.ContainerPort;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import io.policyscheduler.engine.reader.AffinityReader.SelectorReader;
import io.policyscheduler.engine.reader.ObjectReader.InternCache;
import io.policyscheduler.engine.reader.PodReader.ContainerStatuses;
import io.policyscheduler.engine.reader.PodReader.PodFields;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@code spec} of a pod, without {@code nodeName}, while its fields are read. Immutable afterwards, so that equal specs
 * can share it.
 */
final class PodSpecReader {
    private final PodReading reading;
    private final PodResourcesReader resources;
    private final List<Toleration> tolerations = new ArrayList<>(2);
    private final List<TopologySpreadConstraint> constraints = new ArrayList<>(0);
    private final List<Volume> volumes = new ArrayList<>(0);
    private final List<PodVolume> podVolumes = new ArrayList<>(2);
    private final List<String> gates = new ArrayList<>(0);
    private final List<PodClaim> claims = new ArrayList<>(0);
    private final List<String> imageVolumes = new ArrayList<>(0);
    private boolean hostNetwork;
    private boolean ownUsers;
    private boolean grouped;
    private String schedulerName = "";
    private String preemptionPolicy = "";
    private String serviceAccount = "";
    private @Nullable Integer priority;
    private Labels nodeSelector = Labels.EMPTY;
    private @Nullable AffinityReader affinity;
    /** The spec if the status contains no other resources. */
    private @Nullable PodSpec asWritten;

    PodSpecReader(PodReading reading) {
        this.reading = reading;
        this.resources = new PodResourcesReader(reading);
    }

    /** Reads a field of {@code spec} other than {@code nodeName}. */
    void field(String name, JsonCursor cursor) throws IOException {
        switch (name) {
            case "containers" -> cursor.array(resources::container);
            case "initContainers" -> cursor.array(resources::initContainer);
            case "schedulerName" -> schedulerName = cursor.string();
            case "priority" -> priority = cursor.integer();
            case "preemptionPolicy" -> preemptionPolicy = cursor.string();
            case "nodeSelector" -> nodeSelector = cursor.labels();
            case "affinity" -> affinity = AffinityReader.read(cursor, reading);
            case "tolerations" -> cursor.array(this::toleration);
            case "topologySpreadConstraints" -> cursor.array(this::constraint);
            case "volumes" -> cursor.array(this::volume);
            case "serviceAccountName" -> serviceAccount = cursor.string();
            case "overhead" -> resources.overhead(cursor);
            case "schedulingGates" -> cursor.array(c -> name(PodFields.SCHEDULING_GATE, c, gates));
            case "resourceClaims" -> cursor.array(this::claim);
            case "resources" -> cursor.object(resources::podLevel);
            case "hostNetwork" -> hostNetwork = cursor.bool();
            case "hostUsers" -> ownUsers = !cursor.bool();
            default -> {
                grouped |= name.equals("schedulingGroup") && reading.keepsGroups();
                skipUnread(PodFields.SPEC, name, cursor);
            }
        }
    }

    private void skipUnread(PodFields place, String field, JsonCursor cursor) throws IOException {
        reading.reportUnread(place, field);
        cursor.skip();
    }

    private void name(PodFields place, JsonCursor cursor, List<String> names) throws IOException {
        cursor.object((f, c) -> {
            if (f.equals("name")) {
                names.add(c.string());
            } else {
                skipUnread(place, f, c);
            }
        });
    }

    /** Reads a claim; before 1.31 the two names were fields of {@code source}. */
    private void claim(JsonCursor cursor) throws IOException {
        @Nullable String[] text = {"", null, null};
        cursor.object((f, c) -> {
            switch (f) {
                case "name" -> text[0] = c.string();
                case "source" -> c.object((g, d) -> claimSource(PodFields.RESOURCE_CLAIM, text, g, d));
                default -> claimSource(PodFields.RESOURCE_CLAIM, text, f, c);
            }
        });
        claims.add(new PodClaim(text[0] == null ? "" : text[0], text[1], text[2]));
    }

    private void claimSource(PodFields place, @Nullable String[] text, String field, JsonCursor cursor)
            throws IOException {
        switch (field) {
            case "resourceClaimName" -> text[1] = cursor.string();
            case "resourceClaimTemplateName" -> text[2] = cursor.string();
            default -> skipUnread(place, field, cursor);
        }
    }

    private void toleration(JsonCursor cursor) throws IOException {
        String[] text = {"", "", "", ""};
        cursor.object((f, c) -> {
            switch (f) {
                case "key" -> text[0] = c.string();
                case "operator" -> text[1] = c.string();
                case "value" -> text[2] = c.string();
                case "effect" -> text[3] = c.string();
                default -> skipUnread(PodFields.TOLERATION, f, c);
            }
        });
        tolerations.add(new Toleration(text[0], text[1], text[2], text[3]));
    }

    private void constraint(JsonCursor cursor) throws IOException {
        int[] maxSkew = {0};
        @Nullable Integer[] minDomains = {null};
        String[] text = {"", "", "", ""};
        List<String> matchLabelKeys = new ArrayList<>(0);
        @Nullable LabelSelector[] selector = {null};
        cursor.object((f, c) -> {
            switch (f) {
                case "minDomains" -> minDomains[0] = c.integer();
                case "nodeAffinityPolicy" -> text[2] = c.string();
                case "nodeTaintsPolicy" -> text[3] = c.string();
                case "matchLabelKeys" -> matchLabelKeys.addAll(c.strings());
                case "maxSkew" -> maxSkew[0] = c.integer();
                case "topologyKey" -> text[0] = c.string();
                case "whenUnsatisfiable" -> text[1] = c.string();
                case "labelSelector" -> selector[0] = SelectorReader.labelSelector(c);
                default -> skipUnread(PodFields.SPREAD_CONSTRAINT, f, c);
            }
        });
        boolean noPolicies = reading.ignores(NewerField.NODE_INCLUSION_POLICIES);
        constraints.add(new TopologySpreadConstraint(
                maxSkew[0],
                text[0],
                text[1],
                selector[0],
                reading.ignores(NewerField.MIN_DOMAINS) ? null : minDomains[0],
                noPolicies ? "" : text[2],
                noPolicies ? "" : text[3],
                reading.ignores(NewerField.SPREAD_MATCH_LABEL_KEYS) ? List.of() : matchLabelKeys));
    }

    private void volume(JsonCursor cursor) throws IOException {
        String[] text = {"", "", ""};
        cursor.object((f, c) -> {
            if (f.equals("name")) {
                text[0] = c.string();
                return;
            }
            text[1] = f;
            if (f.equals("image")) {
                c.field("reference", d -> imageVolumes.add(d.string()));
                return;
            }
            Volume source = VolumeReader.source(f, c);
            if (source == null) {
                skipUnread(PodFields.VOLUME, f, c);
                return;
            }
            text[2] = source.kind() == Volume.Kind.CLAIM ? source.id() : "";
            if (source.kind() != Volume.Kind.CSI && source.kind() != Volume.Kind.AZURE_FILE) {
                // Inline CSI and file volumes do not affect scheduling.
                volumes.add(source);
            }
        });
        boolean ephemeral = text[1].equals("ephemeral");
        if (ephemeral && reading.ignores(NewerField.EPHEMERAL_VOLUMES)) {
            return;
        }
        podVolumes.add(PodVolume.of(text[0], text[1], text[2]));
        if (ephemeral) {
            volumes.add(new Volume(Volume.Kind.EPHEMERAL, text[0], "", false, List.of()));
        }
    }

    /** The spec of a pod with these container statuses; called after all fields are read. */
    PodSpec build(ContainerStatuses statuses) {
        if (!resources.isAsWritten(statuses)) {
            return make(statuses);
        }
        PodSpec made = asWritten;
        if (made == null) {
            made = make(new ContainerStatuses(reading));
            asWritten = made;
        }
        return made;
    }

    private PodSpec make(ContainerStatuses statuses) {
        return reading.intern(new PodSpec(
                schedulerName,
                priority,
                reading.ignores(NewerField.PREEMPTION_POLICY) ? "" : preemptionPolicy,
                nodeSelector,
                affinity == null ? Affinity.NONE : affinity.build(),
                tolerations,
                reading.ignores(NewerField.TOPOLOGY_SPREAD) ? List.of() : constraints,
                volumes,
                resources.containers(),
                resources.build(statuses),
                reading.ignores(NewerField.SCHEDULING_GATES) ? List.of() : gates,
                reading.ignores(NewerField.RESOURCE_CLAIMS) ? List.of() : claims,
                podVolumes,
                serviceAccount,
                resources.qosClass(),
                imageVolumes,
                requiredFeatures(),
                grouped));
    }

    /** Mirrors {@code InferForScheduling} of {@code component-helpers/nodedeclaredfeatures}. */
    private List<String> requiredFeatures() {
        if (reading.ignores(NewerField.DECLARED_FEATURES)) {
            return List.of();
        }
        List<String> features = new ArrayList<>(0);
        if (resources.restartsAllContainers()) {
            features.add("RestartAllContainersOnContainerExits");
        }
        if (hostNetwork && ownUsers) {
            features.add("UserNamespacesHostNetworkSupport");
        }
        return features;
    }

    /** Caches specs of protobuf pods by their relevant bytes, so that equal ones are parsed once. Bounded. Not thread-safe. */
    static final class SpecCache {
        private static final int CAPACITY = 1 << 10;

        /** Longer specs are not cached, to limit memory. */
        private static final int MAX_BYTES = 4096;

        private record CachedSpec(byte[] image, PodSpecReader spec) {}

        private final InternCache<CachedSpec> known = new InternCache<>(CAPACITY);
        private final MessageImage image = new MessageImage("nodeName");

        /** Returns the cached spec that begins here, without reading; null if it has to be read. */
        @Nullable
        PodSpecReader find(ProtobufParser parser) throws MalformedProtobufException {
            parser.take(image);
            CachedSpec same = known.find(image.hash(), candidate -> image.is(candidate.image));
            return same == null ? null : same.spec;
        }

        /** The node in the spec of the last {@link #find}; empty if it has none. */
        String nodeName() {
            return image.separateField();
        }

        /** Stores the spec of the last {@link #find}. */
        void put(PodSpecReader spec) {
            if (image.length() <= MAX_BYTES) {
                known.put(image.hash(), new CachedSpec(image.copy(), spec));
            }
        }
    }

    /** Builds a container while its fields are read. */
    static final class ContainerReader {
        private final PodReading reading;
        private String name = "";
        private String image = "";
        private boolean restarts;
        private boolean restartsAll;
        private final List<HostPort> hostPorts = new ArrayList<>(0);
        private final List<ContainerPort> ports = new ArrayList<>(0);

        final ResourceList requests;
        final ResourceList limits;

        private ContainerReader(PodReading reading) {
            this.reading = reading;
            this.requests = new ResourceList(reading.arithmetic());
            this.limits = new ResourceList(reading.arithmetic());
        }

        static ContainerReader read(JsonCursor cursor, PodReading reading) throws IOException {
            ContainerReader draft = new ContainerReader(reading);
            cursor.object(draft::field);
            return draft;
        }

        private void field(String field, JsonCursor cursor) throws IOException {
            switch (field) {
                case "name" -> name = cursor.string();
                case "image" -> image = cursor.string();
                case "restartPolicy" ->
                    restarts = cursor.string().equals("Always") && !reading.ignores(NewerField.SIDECARS);
                case "restartPolicyRules" ->
                    cursor.array(e ->
                            e.field("action", c -> restartsAll |= c.string().equals("RestartAllContainers")));
                case "ports" -> cursor.array(this::port);
                case "resources" ->
                    cursor.object((f, c) -> {
                        switch (f) {
                            case "requests" -> requests.read(c);
                            case "limits" -> limits.read(c);
                            default -> skipUnread(PodFields.CONTAINER_RESOURCES, f, c);
                        }
                    });
                default -> skipUnread(PodFields.CONTAINER, field, cursor);
            }
        }

        private void skipUnread(PodFields place, String field, JsonCursor cursor) throws IOException {
            reading.reportUnread(place, field);
            cursor.skip();
        }

        private void port(JsonCursor cursor) throws IOException {
            String[] text = {"", "", ""};
            int[] port = {0, 0};
            cursor.object((f, c) -> {
                switch (f) {
                    case "hostPort" -> port[0] = c.integer();
                    case "hostIP" -> text[0] = c.string();
                    case "protocol" -> text[1] = c.string();
                    case "name" -> text[2] = c.string();
                    case "containerPort" -> port[1] = c.integer();
                    default -> skipUnread(PodFields.PORT, f, c);
                }
            });
            ports.add(new ContainerPort(text[2], port[1], Math.max(port[0], 0), text[1].isEmpty() ? "TCP" : text[1]));
            if (port[0] > 0) {
                hostPorts.add(HostPort.of(text[0], text[1], port[0]));
            }
        }

        void addNames(Set<String> names) {
            requests.addNames(names);
            limits.addNames(names);
        }

        String name() {
            return name;
        }

        /** True for {@code restartPolicy: Always}, which makes an init container a sidecar. */
        boolean restarts() {
            return restarts;
        }

        /** Whether an exit of the container can restart the whole pod. */
        boolean restartsAll() {
            return restartsAll;
        }

        Container build(boolean init) {
            return new Container(name, image, init, init && restarts, hostPorts, ports, requests.wholeIfExtended());
        }
    }

    /** Reads volume sources, of pods and of persistent volumes. */
    static final class VolumeReader {
        private String id = "";
        private String detail = "";
        private boolean readOnly;
        private final List<String> monitors = new ArrayList<>(0);

        /** The source in {@code field}, or null (and nothing read) if scheduling does not distinguish it. */
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
                case "portworxVolume" -> read(cursor, Volume.Kind.PORTWORX, "volumeID", "");
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
}
