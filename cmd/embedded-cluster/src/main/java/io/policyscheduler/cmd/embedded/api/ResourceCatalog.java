package io.policyscheduler.cmd.embedded.api;

import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kinds that one release serves, in discovery order. */
public final class ResourceCatalog {
    public static final String EVENTS_GROUP = "events.k8s.io";
    static final String RESOURCE_GROUP = "resource.k8s.io";
    static final String RBAC_GROUP = "rbac.authorization.k8s.io";

    private final ReleaseProfile release;
    private final List<ResourceType> types;

    /** Builds the catalogue of the given release. */
    public ResourceCatalog(ReleaseProfile release) {
        this(release, List.of());
    }

    /** As {@link #ResourceCatalog(ReleaseProfile)}, with more kinds, as CustomResourceDefinitions would bring them. */
    public ResourceCatalog(ReleaseProfile release, List<ResourceType> more) {
        this.release = release;
        this.types = Stream.concat(declare(release).stream(), more.stream()).toList();
    }

    private static List<ResourceType> declare(ReleaseProfile release) {
        List<String> v1 = List.of("v1");
        boolean legacy = release == ReleaseProfile.V1_17;
        List<ResourceType> list = new ArrayList<>();
        list.add(new ResourceType("", v1, "configmaps", "configmap", "ConfigMap", List.of("cm"), true, false));
        list.add(new ResourceType("", v1, "endpoints", "endpoints", "Endpoints", List.of("ep"), true, false));
        list.add(new ResourceType("", v1, "events", "event", "Event", List.of("ev"), true, false));
        list.add(new ResourceType("", v1, "limitranges", "limitrange", "LimitRange", List.of("limits"), true, false));
        list.add(new ResourceType("", v1, "namespaces", "namespace", "Namespace", List.of("ns"), false, true));
        list.add(new ResourceType("", v1, "nodes", "node", "Node", List.of("no"), false, true));
        list.add(new ResourceType(
                "",
                v1,
                "persistentvolumeclaims",
                "persistentvolumeclaim",
                "PersistentVolumeClaim",
                List.of("pvc"),
                true,
                true));
        list.add(new ResourceType(
                "", v1, "persistentvolumes", "persistentvolume", "PersistentVolume", List.of("pv"), false, true));
        list.add(new ResourceType("", v1, "pods", "pod", "Pod", List.of("po"), true, true));
        list.add(new ResourceType(
                "",
                v1,
                "replicationcontrollers",
                "replicationcontroller",
                "ReplicationController",
                List.of("rc"),
                true,
                true));
        list.add(new ResourceType("", v1, "secrets", "secret", "Secret", List.of(), true, false));
        list.add(new ResourceType(
                "", v1, "serviceaccounts", "serviceaccount", "ServiceAccount", List.of("sa"), true, false));
        list.add(new ResourceType("", v1, "services", "service", "Service", List.of("svc"), true, true));
        list.add(new ResourceType(
                "apps", v1, "controllerrevisions", "controllerrevision", "ControllerRevision", List.of(), true, false));
        list.add(new ResourceType("apps", v1, "daemonsets", "daemonset", "DaemonSet", List.of("ds"), true, true));
        list.add(
                new ResourceType("apps", v1, "deployments", "deployment", "Deployment", List.of("deploy"), true, true));
        list.add(new ResourceType("apps", v1, "replicasets", "replicaset", "ReplicaSet", List.of("rs"), true, true));
        list.add(
                new ResourceType("apps", v1, "statefulsets", "statefulset", "StatefulSet", List.of("sts"), true, true));
        list.add(new ResourceType(
                "batch",
                legacy ? List.of("v1beta1") : v1,
                "cronjobs",
                "cronjob",
                "CronJob",
                List.of("cj"),
                true,
                true));
        list.add(new ResourceType("batch", v1, "jobs", "job", "Job", List.of(), true, true));
        list.add(new ResourceType("coordination.k8s.io", v1, "leases", "lease", "Lease", List.of(), true, false));
        list.add(new ResourceType(
                EVENTS_GROUP,
                legacy ? List.of("v1beta1") : v1,
                "events",
                "event",
                "Event",
                List.of("ev"),
                true,
                false));
        list.add(new ResourceType(
                "networking.k8s.io",
                v1,
                "networkpolicies",
                "networkpolicy",
                "NetworkPolicy",
                List.of("netpol"),
                true,
                false));
        list.add(new ResourceType(
                "policy",
                List.of(release.policyVersion()),
                "poddisruptionbudgets",
                "poddisruptionbudget",
                "PodDisruptionBudget",
                List.of("pdb"),
                true,
                true));
        list.add(new ResourceType(
                "node.k8s.io",
                legacy ? List.of("v1beta1") : v1,
                "runtimeclasses",
                "runtimeclass",
                "RuntimeClass",
                List.of(),
                false,
                false));
        list.addAll(roles(v1));
        list.add(new ResourceType(
                "scheduling.k8s.io",
                v1,
                "priorityclasses",
                "priorityclass",
                "PriorityClass",
                List.of("pc"),
                false,
                false));
        if (!legacy) {
            list.addAll(devices(v1));
        }
        String storage = "storage.k8s.io";
        List<String> both = legacy ? List.of("v1", "v1beta1") : v1;
        list.add(new ResourceType(
                storage,
                legacy ? List.of("v1beta1") : v1,
                "csidrivers",
                "csidriver",
                "CSIDriver",
                List.of(),
                false,
                false));
        list.add(new ResourceType(storage, both, "csinodes", "csinode", "CSINode", List.of(), false, false));
        if (!legacy) {
            list.add(new ResourceType(
                    storage,
                    v1,
                    "csistoragecapacities",
                    "csistoragecapacity",
                    "CSIStorageCapacity",
                    List.of(),
                    true,
                    false));
        }
        list.add(new ResourceType(
                storage, both, "storageclasses", "storageclass", "StorageClass", List.of("sc"), false, false));
        list.add(new ResourceType(
                storage, both, "volumeattachments", "volumeattachment", "VolumeAttachment", List.of(), false, true));
        return list;
    }

    private static List<ResourceType> devices(List<String> v1) {
        return List.of(
                new ResourceType(
                        RESOURCE_GROUP, v1, "deviceclasses", "deviceclass", "DeviceClass", List.of(), false, false),
                new ResourceType(
                        RESOURCE_GROUP, v1, "resourceclaims", "resourceclaim", "ResourceClaim", List.of(), true, true),
                new ResourceType(
                        RESOURCE_GROUP,
                        v1,
                        "resourceclaimtemplates",
                        "resourceclaimtemplate",
                        "ResourceClaimTemplate",
                        List.of(),
                        true,
                        false),
                new ResourceType(
                        RESOURCE_GROUP,
                        v1,
                        "resourceslices",
                        "resourceslice",
                        "ResourceSlice",
                        List.of(),
                        false,
                        false));
    }

    private static List<ResourceType> roles(List<String> v1) {
        return List.of(
                role(v1, "clusterrolebindings", "ClusterRoleBinding", false),
                role(v1, "clusterroles", "ClusterRole", false),
                role(v1, "rolebindings", "RoleBinding", true),
                role(v1, "roles", "Role", true));
    }

    private static ResourceType role(List<String> versions, String plural, String kind, boolean namespaced) {
        return new ResourceType(
                RBAC_GROUP, versions, plural, kind.toLowerCase(Locale.ROOT), kind, List.of(), namespaced, false);
    }

    /** The release this catalogue describes. */
    public ReleaseProfile release() {
        return release;
    }

    /** Every served kind. */
    public List<ResourceType> types() {
        return types;
    }

    /** The kind served at the given group, version and plural name. */
    public Optional<ResourceType> find(String group, String version, String plural) {
        return types.stream()
                .filter(t -> t.group().equals(group)
                        && t.plural().equals(plural)
                        && t.versions().contains(version))
                .findFirst();
    }

    /** The kind with the given qualified name ({@code pods}, {@code replicasets.apps}) or, failing that, plural name. */
    public ResourceType named(String name) {
        @Nullable ResourceType byPlural = null;
        for (ResourceType type : types) {
            if (type.qualifiedName().equals(name)) {
                return type;
            }
            if (byPlural == null && type.plural().equals(name)) {
                byPlural = type;
            }
        }
        if (byPlural == null) {
            throw new IllegalArgumentException("no resource " + name + " in " + release.gitVersion());
        }
        return byPlural;
    }

    /** The kind of a manifest; any version of its group is accepted, as manifests outlive API versions. */
    public Optional<ResourceType> ofManifest(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        return types.stream()
                .filter(t -> t.group().equals(group) && t.kind().equals(kind))
                .findFirst();
    }

    /** The kind under which objects are stored: events.k8s.io is a view of core events. */
    public ResourceType stored(ResourceType type) {
        return type.group().equals(EVENTS_GROUP) ? named("events") : type;
    }

    /** The Kubernetes release whose discovery documents and API versions the embedded cluster serves. */
    public enum ReleaseProfile {
        /** v1.17: policy/v1beta1 budgets, CSINodes also as v1beta1, events.k8s.io/v1beta1. */
        V1_17("17", "v1.17.17", "v1beta1", "Pod "),
        /** v1.34: everything at v1. */
        V1_34("34", "v1.34.1", "v1", "Pod was rejected: "),
        /** v1.35. */
        V1_35("35", "v1.35.0", "v1", "Pod was rejected: "),
        /** v1.36; its kubelets reject pods whose features the node does not declare. */
        V1_36("36", "v1.36.0", "v1", "Pod was rejected: ");

        private final String minor;
        private final String gitVersion;
        private final String policyVersion;
        private final String rejectionPrefix;

        ReleaseProfile(String minor, String gitVersion, String policyVersion, String rejectionPrefix) {
            this.minor = minor;
            this.gitVersion = gitVersion;
            this.policyVersion = policyVersion;
            this.rejectionPrefix = rejectionPrefix;
        }

        /** The release itself. */
        public Release release() {
            return new Release(Integer.parseInt(minor));
        }

        /** The minor version as {@code /version} gives it, for example {@code 34}. */
        public String minor() {
            return minor;
        }

        /** The full version, for example {@code v1.34.1}. */
        public String gitVersion() {
            return gitVersion;
        }

        /** The version of the policy group that this release serves: {@code v1} or {@code v1beta1}. */
        public String policyVersion() {
            return policyVersion;
        }

        /** What this release's kubelet writes in front of the reason for refusing a pod. */
        public String rejectionPrefix() {
            return rejectionPrefix;
        }
    }
}
