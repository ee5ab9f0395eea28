package io.policyscheduler.cmd.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.io.BaseEncoding;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtobufBodyTest {
    /** One length-delimited field. */
    private static String field(int number, String hexContent) {
        return "%02X%02X".formatted(number << 3 | 2, hexContent.length() / 2) + hexContent;
    }

    private static String text(int number, String text) {
        return field(number, BaseEncoding.base16().encode(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] body(String kind, String rawHex) {
        String type = field(1, text(1, "v1") + text(2, kind));
        return BaseEncoding.base16().decode("6B387300" + type + field(2, rawHex));
    }

    @Test
    void readsMetadataAndScalars() {
        String label = field(11, text(1, "app") + text(2, "web"));
        String raw = field(1, text(1, "high") + text(2, "") + label + field(8, "")) + "10E807" + "1801";
        assertEquals(
                Manifests.json("{'apiVersion':'v1','kind':'PriorityClass','metadata':{'name':'high',"
                                + "'labels':{'app':'web'}},'globalDefault':true}")
                        .put("value", 1000L),
                ProtobufBody.decode(body("PriorityClass", raw)));
    }

    @Test
    void readsNumbersOrTexts() {
        String raw = field(2, field(1, "08011000" + text(3, "50%")) + field(3, "08001002"));
        assertEquals(
                Manifests.json("{'apiVersion':'v1','kind':'PodDisruptionBudget',"
                                + "'spec':{'minAvailable':'50%','maxUnavailable':'2'}}")
                        .toString()
                        .replace("\"2\"", "2"),
                ProtobufBody.decode(body("PodDisruptionBudget", raw)).toString());
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertEquals(
                415,
                assertThrows(StatusError.class, () -> ProtobufBody.decode(body("Secret", "")))
                        .code());
        String unknownField = field(9, "00");
        assertThrows(StatusError.class, () -> ProtobufBody.decode(body("ServiceAccount", unknownField)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "6B38",
                "7B7D7B7D",
                "6B387300",
                "6B3873000A",
                "6B3873000A7F",
                "6B387300FFFFFFFFFFFFFFFFFFFF01"
            })
    void refusesMalformedBodies(String hex) {
        byte[] body = BaseEncoding.base16().decode(hex);
        assertEquals(
                415,
                assertThrows(StatusError.class, () -> ProtobufBody.decode(body)).code());
    }
}
