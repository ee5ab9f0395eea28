package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.Device.AttributeValue;
import io.policyscheduler.engine.cluster.object.DeviceRequest.DeviceConstraint;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A constraint during the search: what its devices must have in common, and how many there are so far. */
final class MatchAttribute {
    private final DeviceConstraint constraint;
    private final String name;
    private @Nullable AttributeValue value;
    private int devices;

    MatchAttribute(DeviceConstraint constraint) {
        this.constraint = constraint;
        this.name = Objects.requireNonNullElse(constraint.matchAttribute(), "");
    }

    /** Whether devices of this request are held together by it. */
    boolean appliesTo(PreparedRequest request) {
        return constraint.requests().isEmpty() || request.isNamedIn(constraint.requests());
    }

    /** Takes a device; false when it does not go with the others. */
    boolean add(Slot slot) {
        AttributeValue attribute = attribute(slot);
        if (attribute == null || attribute.kind() == AttributeValue.Kind.NONE) {
            return false;
        }
        if (devices == 0) {
            value = attribute;
        } else if (!attribute.equals(value)) {
            return false;
        }
        devices++;
        return true;
    }

    void remove() {
        devices--;
    }

    /** Under its full name; under its bare name when the domain is the driver's. */
    private @Nullable AttributeValue attribute(Slot slot) {
        AttributeValue attribute = slot.device().attributes().get(name);
        int slash = name.indexOf('/');
        if (attribute != null
                || slash < 0
                || !name.substring(0, slash).equals(slot.slice().driver())) {
            return attribute;
        }
        return slot.device().attributes().get(name.substring(slash + 1));
    }
}
