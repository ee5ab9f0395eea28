package io.policyscheduler.framework.devices.cel.function;

import com.google.common.collect.ImmutableMap;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What expressions call the types of values. */
public final class TypeNames {
    /** A moment. */
    public static final String TIMESTAMP = "google.protobuf.Timestamp";
    /** A length of time. */
    public static final String DURATION = "google.protobuf.Duration";

    private static final ImmutableMap<Class<?>, String> NAMES = ImmutableMap.<Class<?>, String>builder()
            .put(Long.class, "int")
            .put(UnsignedLong.class, "uint")
            .put(Double.class, "double")
            .put(Boolean.class, "bool")
            .put(String.class, "string")
            .put(CelByteString.class, "bytes")
            .put(NullValue.class, "null_type")
            .put(Instant.class, TIMESTAMP)
            .put(Duration.class, DURATION)
            .put(ExactQuantity.class, ValueTypes.QUANTITY.name())
            .put(Semver.class, ValueTypes.SEMVER.name())
            .put(ParsedUrl.class, ValueTypes.URL.name())
            .put(IpAddress.class, ValueTypes.IP.name())
            .put(IpBlock.class, ValueTypes.CIDR.name())
            .put(NamedFormat.class, ValueTypes.FORMAT.name())
            .buildOrThrow();

    private TypeNames() {}

    /** The name of a value's type; {@code any} for what has none. */
    public static String of(Object value) {
        if (value instanceof List) {
            return "list";
        }
        return value instanceof Map ? "map" : NAMES.getOrDefault(value.getClass(), "any");
    }
}
