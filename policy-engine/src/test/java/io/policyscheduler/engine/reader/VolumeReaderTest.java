package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.cluster.object.Volume;
import io.policyscheduler.engine.cluster.object.Volume.Kind;
import io.policyscheduler.engine.cluster.resource.Arithmetic;
import io.policyscheduler.engine.reader.ObjectReader.InternCache;
import io.policyscheduler.engine.reader.ObjectReader.MalformedObjectException;
import io.policyscheduler.engine.reader.PodSpecReader.VolumeReader;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VolumeReaderTest {
    private static JsonCursor cursor(JsonParser parser) {
        return new JsonCursor(parser, new InternCache<>(16), new InternCache<>(16), Arithmetic.SATURATING);
    }

    private static Volume volume(Kind kind, String id, String detail, boolean readOnly, String... monitors) {
        return new Volume(kind, id, detail, readOnly, List.of(monitors));
    }

    static Stream<Arguments> sources() {
        return Stream.of(
                arguments(
                        "persistentVolumeClaim",
                        "{'claimName': 'c', 'readOnly': true}",
                        volume(Kind.CLAIM, "c", "", true)),
                arguments(
                        "gcePersistentDisk",
                        "{'pdName': 'p', 'fsType': 'ext4', 'partition': 1}",
                        volume(Kind.GCE_PD, "p", "", false)),
                arguments(
                        "awsElasticBlockStore",
                        "{'volumeID': 'v', 'readOnly': false}",
                        volume(Kind.AWS_EBS, "v", "", false)),
                arguments(
                        "iscsi",
                        "{'iqn': 'i', 'targetPortal': 't', 'lun': 0, 'portals': ['p']}",
                        volume(Kind.ISCSI, "i", "", false)),
                arguments(
                        "rbd",
                        "{'image': 'i', 'pool': 'p', 'monitors': ['a', 'b'], 'readOnly': true, 'secretRef': {'name': 's'}}",
                        volume(Kind.RBD, "i", "p", true, "a", "b")),
                arguments(
                        "azureDisk",
                        "{'diskName': 'd', 'diskURI': 'u', 'kind': 'Managed'}",
                        volume(Kind.AZURE_DISK, "d", "u", false)),
                arguments(
                        "azureFile", "{'shareName': 's', 'secretName': 'k'}", volume(Kind.AZURE_FILE, "s", "k", false)),
                arguments("cinder", "{'volumeID': 'v'}", volume(Kind.CINDER, "v", "", false)),
                arguments("csi", "{'driver': 'd', 'volumeHandle': 'h'}", volume(Kind.CSI, "h", "d", false)),
                arguments("rbd", "{'monitors': null, 'image': null}", volume(Kind.RBD, "", "", false)),
                arguments("csi", "{}", volume(Kind.CSI, "", "", false)));
    }

    @ParameterizedTest
    @MethodSource("sources")
    void reads(String field, String text, Volume expected) throws IOException {
        try (JsonParser parser = Reading.parser(text)) {
            assertEquals(expected, VolumeReader.source(field, cursor(parser)));
            assertEquals(JsonToken.END_OBJECT, parser.currentToken());
        }
    }

    @Test
    void whatIsNotDistinguishedIsNotRead() throws IOException {
        for (String field : List.of("name", "emptyDir", "configMap", "hostPath", "nfs", "")) {
            try (JsonParser parser = Reading.parser("{'a': 1}")) {
                assertNull(VolumeReader.source(field, cursor(parser)));
                assertEquals(JsonToken.START_OBJECT, parser.currentToken());
            }
        }
    }

    @Test
    void wrongTypesAreNamedWithTheirPlace() throws IOException {
        try (JsonParser parser = Reading.parser("{'monitors': ['a', 1]}")) {
            assertEquals(
                    "monitors[1]: expected a string, found 1",
                    assertThrows(MalformedObjectException.class, () -> VolumeReader.source("rbd", cursor(parser)))
                            .getMessage());
        }
    }
}
