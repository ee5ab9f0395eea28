package io.policyscheduler.cmd.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.ResourceKind;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchedResourceTest {
    @Test
    void everyKindIsWatchedOnceAndOnlyPodsInPart() {
        List<WatchedResource> all = WatchedResource.all();
        assertEquals(
                Arrays.asList(ResourceKind.values()),
                all.stream().map(WatchedResource::kind).toList());
        assertEquals(
                List.of("pods?fieldSelector=status.phase!=Succeeded,status.phase!=Failed"),
                all.stream()
                        .filter(resource -> resource.fieldSelector() != null)
                        .map(resource -> resource.resource() + "?fieldSelector=" + resource.fieldSelector())
                        .toList());
    }
}
