package io.policyscheduler.engine.reader;

import io.policyscheduler.engine.cluster.device.PodClaim;
import io.policyscheduler.engine.cluster.object.Affinity;
import io.policyscheduler.engine.cluster.object.PodSpec;
import io.policyscheduler.engine.cluster.object.PodVolume;
import io.policyscheduler.engine.cluster.object.Toleration;
import io.policyscheduler.engine.cluster.object.TopologySpreadConstraint;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.release.NewerField;
import io.policyscheduler.engine.cluster.selector.LabelSelector;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code spec} of a pod while it is being read, without {@code nodeName}. Once read it does not change, so that pods whose specs are
 * alike may share it.
 */
final class PodSpecDraft {
    private final PodReading reading;
    private final PodResourcesDraft resources;
    private final List<Toleration> tolerations = new ArrayList<>(2);
    private final List<TopologySpreadConstraint> constraints = new ArrayList<>(0);
    private final List<Volume> volumes = new ArrayList<>(0);
    private final List<PodVolume> podVolumes = new ArrayList<>(2);
    private final List<String> gates = new ArrayList<>(0);
    private final List<PodClaim> claims = new ArrayList<>(0);
    private String schedulerName = "";
    private String preemptionPolicy = "";
    private String serviceAccount = "";
    private @Nullable Integer priority;
    private Labels nodeSelector = Labels.EMPTY;
    private @Nullable AffinityReader affinity;
    /** What the pod is as long as its status says nothing else of what it asks for. */
    private @Nullable PodSpec asWritten;

    PodSpecDraft(PodReading reading) {
        this.reading = reading;
        this.resources = new PodResourcesDraft(reading);
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
            default -> passOver(PodFields.SPEC, name, cursor);
        }
    }

    private void passOver(PodFields place, String field, JsonCursor cursor) throws IOException {
        reading.passedOver(place, field);
        cursor.skip();
    }

    private void name(PodFields place, JsonCursor cursor, List<String> names) throws IOException {
        cursor.object((f, c) -> {
            if (f.equals("name")) {
                names.add(c.string());
            } else {
                passOver(place, f, c);
            }
        });
    }

    /** Before 1.31 the two names stood below {@code source}. */
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
            default -> passOver(place, field, cursor);
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
                default -> passOver(PodFields.TOLERATION, f, c);
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
                default -> passOver(PodFields.SPREAD_CONSTRAINT, f, c);
            }
        });
        boolean noPolicies = reading.leavesOut(NewerField.NODE_INCLUSION_POLICIES);
        constraints.add(new TopologySpreadConstraint(
                maxSkew[0],
                text[0],
                text[1],
                selector[0],
                reading.leavesOut(NewerField.MIN_DOMAINS) ? null : minDomains[0],
                noPolicies ? "" : text[2],
                noPolicies ? "" : text[3],
                reading.leavesOut(NewerField.SPREAD_MATCH_LABEL_KEYS) ? List.of() : matchLabelKeys));
    }

    private void volume(JsonCursor cursor) throws IOException {
        String[] text = {"", "", ""};
        cursor.object((f, c) -> {
            if (f.equals("name")) {
                text[0] = c.string();
                return;
            }
            text[1] = f;
            Volume source = VolumeReader.source(f, c);
            if (source == null) {
                passOver(PodFields.VOLUME, f, c);
                return;
            }
            text[2] = source.kind() == Volume.Kind.CLAIM ? source.id() : "";
            if (source.kind() != Volume.Kind.CSI && source.kind() != Volume.Kind.AZURE_FILE) {
                // Inline CSI and file volumes take part in no decision of Kubernetes.
                volumes.add(source);
            }
        });
        boolean ephemeral = text[1].equals("ephemeral");
        if (ephemeral && reading.leavesOut(NewerField.EPHEMERAL_VOLUMES)) {
            return;
        }
        podVolumes.add(PodVolume.of(text[0], text[1], text[2]));
        if (ephemeral) {
            volumes.add(new Volume(Volume.Kind.EPHEMERAL, text[0], "", false, List.of()));
        }
    }

    /** The spec of a pod with these statuses of its containers; all fields are read by then. */
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
                reading.leavesOut(NewerField.PREEMPTION_POLICY) ? "" : preemptionPolicy,
                nodeSelector,
                affinity == null ? Affinity.NONE : affinity.build(),
                tolerations,
                reading.leavesOut(NewerField.TOPOLOGY_SPREAD) ? List.of() : constraints,
                volumes,
                resources.containers(),
                resources.build(statuses),
                reading.leavesOut(NewerField.SCHEDULING_GATES) ? List.of() : gates,
                reading.leavesOut(NewerField.RESOURCE_CLAIMS) ? List.of() : claims,
                podVolumes,
                serviceAccount,
                resources.qosClass()));
    }
}
