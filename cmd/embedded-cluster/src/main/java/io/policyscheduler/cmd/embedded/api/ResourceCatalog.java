package io.policyscheduler.cmd.embedded.api;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The kinds that one release serves, in discovery order. */
public final class ResourceCatalog {
    public static final String EVENTS_GROUP = "events.k8s.io";
    static final String RESOURCE_GROUP = "resource.k8s.io";
    static final String RBAC_GROUP = "rbac.authorization.k8s.io";

    /** The patch release that a release reports, where it is not 0. */
    private static final ImmutableMap<Integer, Integer> PATCHES = ImmutableMap.of(17, 17, 34, 1);

    private final Release release;
    private final List<ResourceType> types;

    /**
     * Builds the catalog of the given release.
     *
     * @throws IllegalArgumentException if it is not one of {@link #releases()}
     */
    public ResourceCatalog(Release release) {
        this(release, List.of());
    }

    /** As {@link #ResourceCatalog(Release)}, with additional kinds, as from CustomResourceDefinitions. */
    public ResourceCatalog(Release release, List<ResourceType> more) {
        List<Release> served = releases();
        if (!served.contains(release)) {
            throw new IllegalArgumentException("the embedded cluster does not serve " + release + ", only " + served);
        }
        this.release = release;
        this.types = Stream.concat(declare(release).stream(), more.stream()).toList();
    }

    private static List<ResourceType> declare(Release release) {
        List<String> v1 = List.of("v1");
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
                "batch", stable(release, 21, 24), "cronjobs", "cronjob", "CronJob", List.of("cj"), true, true));
        list.add(new ResourceType("batch", v1, "jobs", "job", "Job", List.of(), true, true));
        list.add(new ResourceType("coordination.k8s.io", v1, "leases", "lease", "Lease", List.of(), true, false));
        list.add(new ResourceType(
                EVENTS_GROUP, stable(release, 19, 24), "events", "event", "Event", List.of("ev"), true, false));
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
                stable(release, 21, 24),
                "poddisruptionbudgets",
                "poddisruptionbudget",
                "PodDisruptionBudget",
                List.of("pdb"),
                true,
                true));
        list.add(new ResourceType(
                "node.k8s.io",
                stable(release, 20, 24),
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
        if (release.atLeast(34)) {
            list.addAll(devices(v1));
        }
        String storage = "storage.k8s.io";
        List<String> both = stable(release, 17, 21);
        list.add(new ResourceType(
                storage, stable(release, 18, 21), "csidrivers", "csidriver", "CSIDriver", List.of(), false, false));
        list.add(new ResourceType(storage, both, "csinodes", "csinode", "CSINode", List.of(), false, false));
        if (release.atLeast(21)) {
            list.add(new ResourceType(
                    storage,
                    stable(release, 24, 26),
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

    /**
     * Returns the versions of a kind, newest first.
     *
     * @param since the first minor release that serves {@code v1}
     * @param lastBeta the last one that serves {@code v1beta1}
     */
    private static List<String> stable(Release release, int since, int lastBeta) {
        if (!release.atLeast(since)) {
            return List.of("v1beta1");
        }
        return release.minor() > lastBeta ? List.of("v1") : List.of("v1", "v1beta1");
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

    /** The releases that an embedded cluster can serve, oldest first. */
    public static List<Release> releases() {
        return IntStream.rangeClosed(Release.V1_17.minor(), Release.NEWEST.minor())
                .mapToObj(Release::new)
                .toList();
    }

    /** The release that this catalog describes. */
    public Release release() {
        return release;
    }

    /** The full version that the release reports, such as {@code v1.34.1}. */
    public String gitVersion() {
        return "v" + release + "." + PATCHES.getOrDefault(release.minor(), 0);
    }

    /** Returns whether the release has a kind of this qualified name. */
    public boolean serves(String qualifiedName) {
        return types.stream().anyMatch(type -> type.qualifiedName().equals(qualifiedName));
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

    /** The kind with the given qualified name ({@code pods}, {@code replicasets.apps}) or else plural name. */
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
            throw new IllegalArgumentException("no resource " + name + " in " + gitVersion());
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
}
