package io.policyscheduler.cmd.embedded.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.engine.cluster.release.Release;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The schemas that kubectl before 1.27 reads, as JSON and protobuf. */
class OpenApiTest {
    private final OpenApi openApi = new OpenApi(new Discovery(new ResourceCatalog(Release.V1_17)));

    /** As a real server of 1.17 has them, without descriptions. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "PodSpec | containers | {\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/io.k8s.api.core.v1.Container\"},"
                        + "\"x-kubernetes-patch-merge-key\":\"name\",\"x-kubernetes-patch-strategy\":\"merge\"}",
                "PodSpec | volumes | {\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/io.k8s.api.core.v1.Volume\"},"
                        + "\"x-kubernetes-patch-merge-key\":\"name\",\"x-kubernetes-patch-strategy\":\"merge,retainKeys\"}",
                "PodSpec | nodeSelector | {\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
                "Container | ports | {\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/io.k8s.api.core.v1.ContainerPort\"},"
                        + "\"x-kubernetes-patch-merge-key\":\"containerPort\",\"x-kubernetes-patch-strategy\":\"merge\"}",
                "ServiceSpec | ports | {\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/io.k8s.api.core.v1.ServicePort\"},"
                        + "\"x-kubernetes-patch-merge-key\":\"port\",\"x-kubernetes-patch-strategy\":\"merge\"}",
                "NodeSpec | podCIDRs | {\"type\":\"array\",\"items\":{\"type\":\"string\"},"
                        + "\"x-kubernetes-patch-strategy\":\"merge\"}",
                "Container | args | {\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
                "PodSpec | affinity | {\"$ref\":\"#/definitions/io.k8s.api.core.v1.Affinity\"}",
            })
    void fields(String kind, String field, String expected) {
        JsonNode definition = openApi.v2().path("definitions").path("io.k8s.api.core.v1." + kind);
        assertEquals(expected, definition.path("properties").path(field).toString());
    }

    @Test
    void whatIsATextOrANumber() {
        JsonNode definitions = openApi.v2().path("definitions");
        assertEquals(
                "{\"type\":\"string\",\"format\":\"int-or-string\"}",
                definitions
                        .path("io.k8s.apimachinery.pkg.util.intstr.IntOrString")
                        .toString());
        assertEquals(
                "{\"type\":\"string\"}",
                definitions
                        .path("io.k8s.apimachinery.pkg.api.resource.Quantity")
                        .toString());
    }

    private static List<UnknownFieldSet> messages(UnknownFieldSet from, int... path)
            throws InvalidProtocolBufferException {
        List<UnknownFieldSet> found = List.of(from);
        for (int number : path) {
            List<UnknownFieldSet> next = new ArrayList<>();
            for (UnknownFieldSet each : found) {
                for (ByteString bytes : each.getField(number).getLengthDelimitedList()) {
                    next.add(UnknownFieldSet.parseFrom(bytes));
                }
            }
            found = next;
        }
        return found;
    }

    private static String text(UnknownFieldSet from, int number) {
        return from.getField(number).getLengthDelimitedList().get(0).toStringUtf8();
    }

    /** With the field numbers of gnostic. */
    @Test
    void theSameInProtobuf() throws InvalidProtocolBufferException {
        UnknownFieldSet document = UnknownFieldSet.parseFrom(openApi.encodedV2());
        assertEquals("2.0", text(document, 1));
        Map<String, UnknownFieldSet> definitions = new TreeMap<>();
        for (UnknownFieldSet named : messages(document, 9, 1)) {
            definitions.put(text(named, 1), messages(named, 2).get(0));
        }
        assertEquals(openApi.v2().path("definitions").size(), definitions.size());
        UnknownFieldSet pod = Objects.requireNonNull(definitions.get("io.k8s.api.core.v1.Pod"));
        assertEquals("object", text(messages(pod, 22).get(0), 1));
        UnknownFieldSet kind = messages(pod, 31).get(0);
        assertEquals("x-kubernetes-group-version-kind", text(kind, 1));
        assertEquals(
                "[{\"group\":\"\",\"kind\":\"Pod\",\"version\":\"v1\"}]",
                text(messages(kind, 2).get(0), 2));
        int triable = 0;
        for (UnknownFieldSet path : messages(document, 8, 2)) {
            for (UnknownFieldSet query : messages(path, 2, 8, 8, 1, 2, 3)) {
                triable += text(query, 4).equals("dryRun") ? 1 : 0;
            }
        }
        assertEquals(openApi.v2().path("paths").size(), triable);
    }
}
