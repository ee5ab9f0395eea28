package io.policyscheduler.framework.devices.cel;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.framework.devices.cel.function.DomainMap;
import io.policyscheduler.framework.devices.cel.function.ExactQuantity;
import io.policyscheduler.framework.devices.cel.function.FunctionFailure;
import io.policyscheduler.framework.devices.cel.function.Semver;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** A device as expressions see it. */
final class DeviceVariable {
    static final String DRIVER = "driver";
    static final String ATTRIBUTES = "attributes";
    static final String CAPACITY = "capacity";
    static final String ALLOW_MULTIPLE = "allowMultipleAllocations";

    private DeviceVariable() {}

    /**
     * The value of {@code device}.
     *
     * @throws FunctionFailure when an attribute or a capacity cannot be understood
     */
    static Map<String, Object> of(String driver, Device device) {
        return ImmutableMap.of(
                DRIVER,
                driver,
                ATTRIBUTES,
                byDomain(driver, device.attributes(), "attribute ", DeviceVariable::value),
                CAPACITY,
                byDomain(driver, device.capacity(), "capacity ", ExactQuantity::parse),
                ALLOW_MULTIPLE,
                device.shareable());
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
            } catch (FunctionFailure e) {
                throw new FunctionFailure(what + name + ": " + e.getMessage());
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
                } catch (FunctionFailure e) {
                    throw new FunctionFailure("parse semantic version: " + e.getMessage());
                }
            }
            case NONE -> throw new FunctionFailure("unsupported attribute value");
        };
    }
}
