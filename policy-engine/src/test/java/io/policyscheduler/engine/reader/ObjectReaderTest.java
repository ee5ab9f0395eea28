package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.ClusterObject.NamespaceInfo;
import io.policyscheduler.engine.cluster.object.ResourceKind;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.cluster.selector.Labels;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectReaderTest {
    private static final NamespaceInfo SHOP = new NamespaceInfo("shop", Labels.of("a", "b"));
    private static final String META = "'metadata': {'name': 'shop', 'labels': {'a': 'b'}}";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'kind': 'Namespace', " + META + "}",
                "{'apiVersion': 'v1', 'kind': 'Namespace', " + META + "}",
                "{" + META + ", 'kind': 'Namespace'}",
                "{'spec': {'x': [{}]}, " + META + ", 'kind': 'Namespace', 'apiVersion': 'v1'}",
                "{'spec': null, 'kind': 'Namespace', 'status': {'phase': 'Active'}, " + META + "}"
            })
    void theKindMayStandAnywhere(String text) throws IOException {
        assertEquals(SHOP, Reading.object(null, text));
    }

    @Test
    void aKindThatIsKnownNeedNotBeThere() throws IOException {
        assertEquals(SHOP, Reading.object("Namespace", "{" + META + "}"));
        assertEquals(SHOP, Reading.object("Namespace", "{'kind': 'Namespace', " + META + "}"));
    }

    @Test
    void everyKindIsRead() throws IOException {
        for (String kind : ObjectReader.KINDS) {
            ClusterObject known = Reading.object(kind, "{'metadata': {'name': 'x'}}");
            assertNotNull(known, kind);
            assertEquals("x", known.key(), kind);
            assertEquals(known, Reading.object(null, "{'metadata': {'name': 'x'}, 'kind': '" + kind + "'}"), kind);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyKindKnowsItsRow(ResourceKind kind) throws IOException {
        String text = "{'metadata': {'name': 'x', 'namespace': 'a'}}";
        ClusterObject read = Reading.read(kind.type(), kind.objectKind(), text);
        assertEquals(kind, read.resourceKind());
        assertEquals(kind.isNamespaced() ? "a/x" : "x", read.key());
        ClusterObject moved = read.withNamespace("b");
        assertEquals(kind.isNamespaced() ? "b/x" : "x", moved.key());
        assertEquals(kind, moved.resourceKind());
        assertEquals(read, moved.withNamespace("a"));
    }

    /** The parser is at the end of what was read or skipped, so that a list can continue. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = "ConfigMap")
    void unknownKindsArePassedOver(@Nullable String kind) throws IOException {
        String text = "{'kind': 'ConfigMap', 'metadata': {'name': 'c'}, 'data': {'a': [{'b': {}}]}}";
        String late = "{'metadata': {'name': 'c'}, 'data': {'a': [{'b': {}}]}, 'kind': 'ConfigMap', 'x': {}}";
        try (JsonParser parser = Reading.parser("[" + text + "," + late + ",7]")) {
            ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
            for (int i = 0; i < 2; i++) {
                assertEquals(JsonToken.START_OBJECT, parser.nextToken());
                assertNull(reader.read(parser, kind));
                assertEquals(JsonToken.END_OBJECT, parser.currentToken());
            }
            assertEquals(JsonToken.VALUE_NUMBER_INT, parser.nextToken());
        }
    }

    @Test
    void objectsFollowOneAnother() throws IOException {
        List<@Nullable ClusterObject> read = new ArrayList<>();
        try (JsonParser parser = Reading.parser(
                "[{'kind': 'Namespace', " + META + "}, {" + META + ", 'kind': 'Namespace'}, {'kind': 'Namespace'}]")) {
            ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                read.add(reader.read(parser, null));
            }
        }
        assertEquals(List.of(SHOP, SHOP, new NamespaceInfo("", Labels.EMPTY)), read);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | no kind",
                "{'metadata': {'name': 'x'}} | no kind",
                "{'kind': null} | no kind",
                "{'kind': 7, 'metadata': {}} | no kind",
                "[] | expected an object, found START_ARRAY",
                "7 | expected an object, found VALUE_NUMBER_INT",
                "{'kind': 'Pod', 'metadata': {'name': 'p'}, 'spec': 7} | Pod p: spec: expected an object, found 7",
                "{'metadata': {'name': 'p', 'namespace': 'd'}, 'kind': 'Pod', 'spec': 7} "
                        + "| Pod d/p: spec: expected an object, found 7",
                "{'metadata': {'name': 'p'}, 'spec': {'volumes': 7}, 'kind': 'Pod'} "
                        + "| Pod p: spec.volumes: expected a list, found 7",
                "{'spec': 7, 'metadata': {'name': 'p'}, 'kind': 'Pod'} | Pod: spec: expected an object, found 7",
            })
    void refusals(String text, String reason) {
        assertEquals(reason, Reading.refusal(null, text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{'kind': 'Pod'", "{'kind': 'Pod', 'spec': {'containers': [{", "{'metadata': {'name': 'x'", "{"})
    void textThatEndsTooEarly(String text) {
        assertThrows(IOException.class, () -> Reading.object(null, text));
    }
}
