package io.policyscheduler.cmd.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.replay.Replayer.RecordedPlacements;
import io.policyscheduler.engine.testing.PodBuilder;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordedPlacementsTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The recorded outcome of a current release, our outcome, and the node that the pod {@code default/p} gets. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'modern': {'pods': [{'pod': 'default/p', 'bound': 'n1'}]}} | n2 | n1",
                "{'modern': {'pods': [{'pod': 'default/p', 'bound': 'n1'}]}} |    | n1",
                "{'modern': {'pods': [{'pod': 'default/p', 'error': 'no'}]}} | n2 |",
                "{'modern': {'pods': [{'pod': 'other/p', 'bound': 'n1'}]}}   | n2 |",
                "{'modern': {'pods': []}}                                    | n2 |",
                // Recordings of v1.17 continue with our own placements.
                "{'legacy': {'pods': [{'pod': 'default/p', 'bound': 'n1'}]}} | n2 | n2",
                "{'modern': {'configError': 'no'}}                           | n2 | n2",
                "{}                                                          |    |",
            })
    void followsWhatIsRecorded(String expected, @Nullable String decided, @Nullable String node) throws IOException {
        JsonNode scenario = MAPPER.createObjectNode().set("expected", MAPPER.readTree(expected.replace('\'', '"')));
        RecordedPlacements placements = new RecordedPlacements(scenario);
        assertEquals(node, placements.node(PodBuilder.pod("p").build(), decided));
    }
}
