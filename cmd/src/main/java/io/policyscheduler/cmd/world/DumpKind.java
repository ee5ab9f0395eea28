package io.policyscheduler.cmd.world;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Sets;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A kind of objects that a dump should have: what decisions read, and what says what becomes of manifests. The commands and rights
 * that users are told are made of this list, or compared with it.
 *
 * @param group API group, empty for the core group
 * @param plural name in paths and rights
 * @param versions that can be read, best first
 * @param objectKind field {@code kind} of its objects
 * @param since the first release that serves it without being asked to, as its minor number
 */
public record DumpKind(String group, String plural, List<String> versions, String objectKind, int since) {
    /** What kubectl takes for the plural name, and people prefer. */
    private static final Map<String, String> SHORT_NAMES = ImmutableMap.<String, String>builder()
            .put("replicationcontrollers", "rc")
            .put("replicasets", "rs")
            .put("statefulsets", "sts")
            .put("persistentvolumeclaims", "pvc")
            .put("persistentvolumes", "pv")
            .put("storageclasses", "sc")
            .put("poddisruptionbudgets", "pdb")
            .put("namespaces", "ns")
            .put("limitranges", "limits")
            .put("priorityclasses", "pc")
            .buildOrThrow();

    private static final Set<ResourceKind> ALWAYS_NEEDED =
            Sets.immutableEnumSet(ResourceKind.NODES, ResourceKind.PODS, ResourceKind.DISRUPTION_BUDGETS);

    private static final String DYNAMIC_GROUP = "resource.k8s.io";
    private static final int ALWAYS = 17;
    private static final int STORAGE_CAPACITIES = 21;
    private static final int DYNAMIC = 34;

    public DumpKind {
        versions = ImmutableList.copyOf(versions);
    }

    /** All kinds, in the order in which they are listed. */
    public static List<DumpKind> all() {
        ImmutableList.Builder<DumpKind> all = ImmutableList.builder();
        for (ResourceKind kind : ResourceKind.values()) {
            all.add(of(kind));
        }
        for (Objects.Kind kind : Objects.Kind.values()) {
            if (ResourceKind.ofObjectKind(kind.objectKind()) == null) {
                ClassResource resource = ClassResource.of(kind);
                all.add(new DumpKind(
                        resource.group(),
                        resource.plural(),
                        resource.versions(),
                        kind.objectKind(),
                        resource.group().equals(DYNAMIC_GROUP) ? DYNAMIC : ALWAYS));
            }
        }
        return all.build();
    }

    /**
     * What a dump needs for ways of deciding that read these kinds, besides nodes, pods and the budgets that preemption looks at: what
     * says what becomes of manifests, as far as they can have it.
     */
    public static List<DumpKind> neededFor(Set<ResourceKind> read) {
        ImmutableList.Builder<DumpKind> needed = ImmutableList.builder();
        for (DumpKind kind : all()) {
            ResourceKind known = ResourceKind.ofObjectKind(kind.objectKind());
            boolean wanted = known == null
                    ? !kind.group().equals(DYNAMIC_GROUP) || read.contains(ResourceKind.RESOURCE_CLAIMS)
                    : ALWAYS_NEEDED.contains(known) || read.contains(known);
            if (wanted) {
                needed.add(kind);
            }
        }
        return needed.build();
    }

    /** That of a kind that decisions read. */
    public static DumpKind of(ResourceKind kind) {
        int since = kind == ResourceKind.STORAGE_CAPACITIES ? STORAGE_CAPACITIES : ALWAYS;
        return new DumpKind(
                kind.group(),
                kind.plural(),
                kind.versions(),
                kind.objectKind(),
                kind.group().equals(DYNAMIC_GROUP) ? DYNAMIC : since);
    }

    /** What is given to kubectl. */
    public String kubectlName() {
        return SHORT_NAMES.getOrDefault(plural, plural);
    }

    /** The whole list as kubectl takes it. */
    public static String kubectlList() {
        return all().stream().map(DumpKind::kubectlName).collect(Collectors.joining(","));
    }

    /** The command that prints a whole dump. */
    public static String kubectlCommand() {
        return "kubectl get " + kubectlList() + " -A -o json";
    }

    /** The command that prints the objects of this kind. */
    public String kubectl() {
        return "kubectl get " + kubectlName() + " -A -o json";
    }
}
