package io.policyscheduler.framework.devices.cel.function;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;

/** The types of values that Kubernetes adds to the language. Mirrors {@code staging/src/k8s.io/apiserver/pkg/cel}. */
public final class ValueTypes {
    /** An amount of a resource. */
    public static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");

    static final CelType SEMVER = OpaqueType.create("kubernetes.Semver");
    static final CelType URL = OpaqueType.create("kubernetes.URL");
    static final CelType IP = OpaqueType.create("net.IP");
    static final CelType CIDR = OpaqueType.create("net.CIDR");
    static final CelType FORMAT = OpaqueType.create("kubernetes.NamedFormat");

    private ValueTypes() {}
}
