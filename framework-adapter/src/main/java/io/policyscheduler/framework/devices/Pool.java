package io.policyscheduler.framework.devices;

import io.policyscheduler.engine.cluster.object.Device;
import io.policyscheduler.engine.cluster.object.ResourceSliceInfo;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The slices of a pool that a node can use, all of one generation.
 *
 * @param slices at least one
 * @param incomplete whether there should be more or fewer of them
 * @param repeated the first name that two devices have; empty when there is none
 */
record Pool(String driver, String name, List<ResourceSliceInfo> slices, boolean incomplete, String repeated) {
    static Pool of(List<ResourceSliceInfo> slices) {
        ResourceSliceInfo first = slices.get(0);
        Set<String> names = new HashSet<>();
        String repeated = slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .map(Device::name)
                .filter(name -> !names.add(name))
                .findFirst()
                .orElse("");
        return new Pool(
                first.driver(), first.pool(), List.copyOf(slices), slices.size() != first.poolSlices(), repeated);
    }

    boolean isInvalid() {
        return !repeated.isEmpty();
    }

    /** As messages name it. */
    String id() {
        return driver + "/" + name;
    }
}
