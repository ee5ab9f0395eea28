package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.framework.devices.cel.FunctionLibrary.FunctionException;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.ExactQuantity;
import io.policyscheduler.framework.devices.cel.KubernetesTypes.Semver;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The value of the variable {@code device} in selectors. */
final class DeviceVariable {
    static final String DRIVER = "driver";
    static final String ATTRIBUTES = "attributes";
    static final String CAPACITY = "capacity";
    static final String ALLOW_MULTIPLE = "allowMultipleAllocations";

    private DeviceVariable() {}

    /**
     * Returns the value of {@code device}.
     *
     * @param readsSharing whether {@code allowMultipleAllocations} is the value of the device, or false
     * @throws FunctionException if an attribute or a capacity cannot be converted
     */
    static Map<String, Object> of(String driver, Device device, boolean readsSharing) {
        return ImmutableMap.of(
                DRIVER,
                driver,
                ATTRIBUTES,
                byDomain(driver, device.attributes(), "attribute ", DeviceVariable::value),
                CAPACITY,
                byDomain(driver, device.capacity(), "capacity ", ExactQuantity::parse),
                ALLOW_MULTIPLE,
                readsSharing && device.shareable());
    }

    private static <T> DomainMap byDomain(
            String driver, Map<String, T> values, String what, Function<T, Object> convert) {
        Map<String, Map<String, Object>> domains = new HashMap<>();
        values.forEach((name, value) -> {
            int slash = name.indexOf('/');
            String domain = slash < 0 ? driver : name.substring(0, slash);
            Object converted;
            try {
                converted = convert.apply(value);
            } catch (FunctionException e) {
                throw new FunctionException(what + name + ": " + e.getMessage());
            }
            domains.computeIfAbsent(domain, d -> new HashMap<>()).put(name.substring(slash + 1), converted);
        });
        return new DomainMap(domains);
    }

    private static Object value(AttributeValue value) {
        return switch (value.kind()) {
            case INT -> value.number();
            case BOOL -> value.number() != 0;
            case STRING -> value.text();
            case VERSION -> {
                try {
                    yield Semver.parse(value.text());
                } catch (FunctionException e) {
                    throw new FunctionException("parse semantic version: " + e.getMessage());
                }
            }
            case NONE -> throw new FunctionException("unsupported attribute value");
        };
    }

    /** The type of the variable {@code device}. Mirrors {@code staging/src/k8s.io/dynamic-resource-allocation/cel/compile.go}. */
    static final class DeviceTypes implements CelTypeProvider {
        /** The declared fields of {@code device}. */
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
                case DeviceVariable.CAPACITY -> Optional.of(byDomain(KubernetesTypes.QUANTITY));
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

    /**
     * A map from domains to their attributes or capacities. The lookup of a missing domain returns an empty map; iteration
     * and {@code in} skip it.
     */
    public static final class DomainMap extends AbstractMap<String, Map<String, Object>> {
        private final Map<String, Map<String, Object>> domains;

        /** @param domains attributes or capacities by domain */
        public DomainMap(Map<String, Map<String, Object>> domains) {
            this.domains = domains;
        }

        /** Returns whether the device has values in the domain. */
        public boolean has(Object domain) {
            return domains.containsKey(domain);
        }

        @Override
        public Map<String, Object> get(@Nullable Object key) {
            Map<String, Object> domain = key == null ? null : domains.get(key);
            return domain == null ? ImmutableMap.of() : domain;
        }

        @Override
        public boolean containsKey(@Nullable Object key) {
            return key instanceof String;
        }

        @Override
        public Set<Entry<String, Map<String, Object>>> entrySet() {
            return domains.entrySet();
        }
    }
}
