package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.resource.PodResources.CurrentRequests;
import io.policyscheduler.engine.cluster.resource.ResourceVector;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CurrentRequestsReaderTest {
    private static final long DEFAULT_MEMORY = 209_715_200;

    private static CurrentRequests requests(String spec, String status) throws IOException {
        return Reading.read(PodInfo.class, "Pod", "{'spec': " + spec + ", 'status': " + status + "}")
                .resources()
                .current();
    }

    private static String container(String requests) {
        return "{'name': 'c', 'resources': {'requests': " + requests + "}}";
    }

    private static ResourceVector cpu(long milli) {
        return ResourceVector.of(milli, 0, 0, 0, Map.of());
    }

    @Test
    void defaultsGoToContainersThatNameNothing() throws IOException {
        assertEquals(
                CurrentRequests.of(cpu(500), 600, 2 * DEFAULT_MEMORY),
                requests("{'containers': [" + container("{'cpu': '500m'}") + ", {}]}", "{}"));
        assertEquals(
                CurrentRequests.of(ResourceVector.ZERO, 0, DEFAULT_MEMORY),
                requests("{'containers': [" + container("{'cpu': '0'}") + "]}", "{}"));
    }

    /** One regular container of 100m, then init containers; those with a star are sidecars. */
    @ParameterizedTest
    @CsvSource({
        "50, 100",
        "150, 150",
        "50*, 150",
        // A sidecar that starts first runs beside later init containers.
        "50* 80, 150",
        "50* 120, 170",
        "120 50*, 150",
        "200 50*, 200",
        "50* 60* 30, 210",
    })
    void initContainersAndSidecars(String init, long expected) throws IOException {
        StringBuilder list = new StringBuilder();
        for (String one : init.split(" ", -1)) {
            boolean sidecar = one.endsWith("*");
            list.append(list.isEmpty() ? "" : ", ")
                    .append("{'restartPolicy': '")
                    .append(sidecar ? "Always" : "")
                    .append("', 'resources': {'requests': {'cpu': '")
                    .append(sidecar ? one.substring(0, one.length() - 1) : one)
                    .append("m', 'memory': '0'}}}");
        }
        CurrentRequests actual = requests(
                "{'containers': [" + container("{'cpu': '100m', 'memory': '0'}") + "], 'initContainers': [" + list
                        + "]}",
                "{}");
        assertEquals(CurrentRequests.of(cpu(expected), expected, 0), actual);
    }

    @Test
    void exactAmountsAreAddedUpBeforeTheyAreRounded() throws IOException {
        String fine = container("{'cpu': '0.1m', 'memory': '500m'}");
        assertEquals(
                CurrentRequests.of(ResourceVector.of(1, 2, 0, 0, Map.of()), 1, 2),
                requests("{'containers': [" + fine + "," + fine + "," + fine + "]}", "{}"));
    }

    @Test
    void podLevelRequestsReplaceTheSumButNotForScoring() throws IOException {
        CurrentRequests actual = requests(
                "{'resources': {'requests': {'cpu': '2', 'a.com/gpu': '9'}}, 'overhead': {'cpu': '100m'},"
                        + " 'containers': ["
                        + container("{'cpu': '500m', 'a.com/gpu': '1'}") + ", {}]}",
                "{}");
        ResourceVector podLevel = ResourceVector.of(2100, 0, 0, 0, Map.of("a.com/gpu", 1L));
        ResourceVector byContainers = ResourceVector.of(600, 0, 0, 0, Map.of("a.com/gpu", 1L));
        assertEquals(
                new CurrentRequests(
                        podLevel, byContainers, 700, 2 * DEFAULT_MEMORY, podLevel, 2100, 2 * DEFAULT_MEMORY),
                actual);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'name': 'c', 'resources': {'requests': {'cpu': '1'}}, 'allocatedResources': {'cpu': '1'}} | | 1000",
                "{'name': 'c', 'resources': {'requests': {'cpu': '2'}}} | | 2000",
                "{'name': 'c', 'resources': {'requests': {'cpu': '500m'}}, 'allocatedResources': {'cpu': '3'}} | |"
                        + " 3000",
                "{'name': 'c', 'resources': {'requests': {'cpu': '500m'}}} | | 1000",
                "{'name': 'c', 'resources': {'requests': {'cpu': '500m'}}} | {'type': 'PodResizePending', 'reason':"
                        + " 'Infeasible'} | 500",
                "{'name': 'c', 'resources': {'requests': {'cpu': '500m'}}} | {'type': 'PodResizePending', 'reason':"
                        + " 'Deferred'} | 1000",
                "{'name': 'c', 'resources': {}} | {'type': 'PodResizePending', 'reason': 'Infeasible'} | 0",
                "{'name': 'c', 'allocatedResources': {'cpu': '3'}} | | 1000",
                "{'name': 'other', 'resources': {'requests': {'cpu': '5'}}} | | 1000",
            })
    void whatTheStatusSaysOfAResize(String status, String condition, long placed) throws IOException {
        CurrentRequests actual = requests(
                "{'containers': [" + container("{'cpu': '1'}") + "]}",
                "{'containerStatuses': [" + status + "], 'conditions': [" + (condition == null ? "" : condition)
                        + "]}");
        assertEquals(cpu(placed), actual.placed());
        assertEquals(placed == 0 ? 100 : placed, actual.placedMilliCpu());
        assertEquals(cpu(1000), actual.filter());
        assertEquals(1000, actual.scoringMilliCpu());
    }
}
