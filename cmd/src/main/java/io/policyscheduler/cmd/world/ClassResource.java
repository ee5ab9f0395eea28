package io.policyscheduler.cmd.world;

import io.policyscheduler.engine.creation.ObjectCreation.Objects;
import java.util.List;

/**
 * Where objects are served that say what becomes of new ones.
 *
 * @param group API group, empty for the core group
 * @param plural name in paths and rights
 * @param versions that can be read, best first
 */
public record ClassResource(String group, String plural, List<String> versions) {
    public ClassResource {
        versions = List.copyOf(versions);
    }

    /** That of a kind. */
    public static ClassResource of(Objects.Kind kind) {
        List<String> both = List.of("v1", "v1beta1");
        return switch (kind) {
            case LIMIT_RANGE -> new ClassResource("", "limitranges", List.of("v1"));
            case PRIORITY_CLASS -> new ClassResource("scheduling.k8s.io", "priorityclasses", both);
            case RUNTIME_CLASS -> new ClassResource("node.k8s.io", "runtimeclasses", both);
            case STORAGE_CLASS -> new ClassResource("storage.k8s.io", "storageclasses", both);
            case RESOURCE_CLAIM_TEMPLATE ->
                new ClassResource("resource.k8s.io", "resourceclaimtemplates", List.of("v1", "v1beta2", "v1beta1"));
        };
    }
}
