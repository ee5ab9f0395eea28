package io.policyscheduler.tests.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.snapshot.WatchedResource;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.reader.ClusterFile;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads each row of the corpus. */
class HostileReadingTest {
    static Stream<HostileObject> corpus() {
        return Stream.concat(HostilePods.all().stream(), HostileOthers.all().stream());
    }

    @Test
    void theCorpusIsLargeAndNamesEachRowOnce() {
        List<String> names = corpus().map(HostileObject::toString).toList();
        assertTrue(names.size() >= 60, names.size() + " rows");
        assertEquals(names.size(), Set.copyOf(names).size());
    }

    /** The result is an object or an exception that names the fault. */
    @ParameterizedTest
    @MethodSource("corpus")
    void eachIsReadOrRefused(HostileObject row) throws IOException {
        ObjectReader reader = new ObjectReader(FeatureGates.defaults().at(Release.NEWEST), true);
        byte[] bytes = new ObjectMapper().writeValueAsBytes(row.object());
        String kind = WatchedResource.all().stream()
                .filter(resource -> resource.resource().equals(row.resource()))
                .findFirst()
                .orElseThrow()
                .objectKind();
        try (JsonParser parser = ClusterFile.jsonFactory().createParser(bytes)) {
            parser.nextToken();
            assertEquals(
                    row.name(),
                    Objects.requireNonNull(reader.read(parser, kind)).name());
        } catch (IOException e) {
            String message = String.valueOf(e.getMessage());
            assertTrue(!message.isBlank() && message.length() < 2_000, message);
        }
    }
}
