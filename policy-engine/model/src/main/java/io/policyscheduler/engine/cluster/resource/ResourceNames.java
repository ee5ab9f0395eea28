package io.policyscheduler.engine.cluster.resource;

import io.policyscheduler.engine.cluster.selector.LabelSyntax;

/** Classes of resource names. Mirrors {@code pkg/apis/core/v1/helper/helpers.go}. */
public final class ResourceNames {
    public static final String CPU = "cpu";
    public static final String MEMORY = "memory";
    public static final String EPHEMERAL_STORAGE = "ephemeral-storage";
    public static final String PODS = "pods";
    public static final String ATTACHABLE_PREFIX = "attachable-volumes-";

    /** The prefix of the implicit extended resource of a DeviceClass; the name of the class follows. */
    public static final String DEVICE_CLASS_PREFIX = "deviceclass.resource.kubernetes.io/";

    private ResourceNames() {}

    /** No slash, or {@code kubernetes.io/} anywhere in the name. */
    public static boolean isNative(String name) {
        return name.indexOf('/') < 0 || isPrefixedNative(name);
    }

    private static boolean isPrefixedNative(String name) {
        return name.contains("kubernetes.io/");
    }

    /** A vendor's resource such as {@code nvidia.com/gpu}. */
    public static boolean isExtended(String name) {
        return !isNative(name) && !name.startsWith("requests.") && LabelSyntax.isQualifiedName("requests." + name);
    }

    /** Tracked by name, unlike cpu, memory, ephemeral-storage and pods. */
    public static boolean isScalar(String name) {
        return name.startsWith("hugepages-")
                || name.startsWith(ATTACHABLE_PREFIX)
                || isPrefixedNative(name)
                || isExtended(name);
    }
}
