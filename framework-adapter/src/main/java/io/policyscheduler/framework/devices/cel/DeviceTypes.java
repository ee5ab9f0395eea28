package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.policyscheduler.framework.devices.cel.function.ValueTypes;
import java.util.Optional;

/** The types that Kubernetes adds. Mirrors {@code staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go}. */
final class DeviceTypes implements CelTypeProvider {
    /** What {@code device} is. */
    static final StructType DEVICE = StructType.create(
            "kubernetes.DRADevice",
            ImmutableSet.of(
                    DeviceVariable.DRIVER,
                    DeviceVariable.ATTRIBUTES,
                    DeviceVariable.CAPACITY,
                    DeviceVariable.ALLOW_MULTIPLE),
            DeviceTypes::fieldType);

    private static Optional<CelType> fieldType(String field) {
        return switch (field) {
            case DeviceVariable.DRIVER -> Optional.of(SimpleType.STRING);
            case DeviceVariable.ATTRIBUTES -> Optional.of(byDomain(SimpleType.ANY));
            case DeviceVariable.CAPACITY -> Optional.of(byDomain(ValueTypes.QUANTITY));
            case DeviceVariable.ALLOW_MULTIPLE -> Optional.of(SimpleType.BOOL);
            default -> Optional.empty();
        };
    }

    private static CelType byDomain(CelType value) {
        return MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, value));
    }

    @Override
    public ImmutableCollection<CelType> types() {
        return ImmutableList.of(DEVICE);
    }

    @Override
    public Optional<CelType> findType(String name) {
        return name.equals(DEVICE.name()) ? Optional.of(DEVICE) : Optional.empty();
    }
}
