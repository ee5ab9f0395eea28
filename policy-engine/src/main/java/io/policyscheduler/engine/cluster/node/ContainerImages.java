package io.policyscheduler.engine.cluster.node;

import io.policyscheduler.engine.cluster.resource.Arithmetic;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** How many containers of a pod run which image, ready to be compared with what many nodes have. Immutable. */
public final class ContainerImages {
    private final Map<String, Integer> containers = new HashMap<>();

    /** @param images one for each container, in the form in which nodes are asked for them */
    public ContainerImages(List<String> images) {
        images.forEach(image -> containers.merge(image, 1, Integer::sum));
    }

    /**
     * The sum of {@code worth} over all containers whose image is there; the largest number when it is more than that.
     *
     * @param there images by name
     */
    public long sum(Map<String, ImageState> there, ToLongFunction<String> worth) {
        long sum = 0;
        // Whichever are fewer: a pod may have thousands of containers, a node hundreds of images.
        if (there.size() < containers.size()) {
            for (String image : there.keySet()) {
                Integer count = containers.get(image);
                sum = count == null ? sum : plus(sum, count, worth.applyAsLong(image));
            }
            return sum;
        }
        for (Map.Entry<String, Integer> entry : containers.entrySet()) {
            if (there.containsKey(entry.getKey())) {
                sum = plus(sum, entry.getValue(), worth.applyAsLong(entry.getKey()));
            }
        }
        return sum;
    }

    private static long plus(long sum, int count, long worth) {
        return Arithmetic.SATURATING.add(sum, Arithmetic.SATURATING.multiply(count, worth));
    }
}
