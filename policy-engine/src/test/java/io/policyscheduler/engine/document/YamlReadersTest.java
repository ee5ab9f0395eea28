package io.policyscheduler.engine.document;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both YAML readers, the one with positions and the streaming one, read a text alike. */
class YamlReadersTest {
    private static final ObjectMapper YAML = new ObjectMapper(new YamlJsonFactory());
    private static final ObjectMapper JSON = new ObjectMapper();

    private static JsonNode stream(String text) throws JsonProcessingException {
        return YAML.readTree(text);
    }

    private static JsonNode json(SourceNode node) throws JsonProcessingException {
        return switch (node.kind()) {
            case OBJECT -> {
                ObjectNode object = JsonNodeFactory.instance.objectNode();
                for (SourceNode.Member member : node.members()) {
                    object.set(member.key(), json(member.value()));
                }
                yield object;
            }
            case ARRAY -> {
                ArrayNode array = JsonNodeFactory.instance.arrayNode();
                for (SourceNode item : node.items()) {
                    array.add(json(item));
                }
                yield array;
            }
            case STRING -> JsonNodeFactory.instance.textNode(node.text());
            default -> JSON.readTree(node.text());
        };
    }

    private static String tree(String text) throws DocumentException, IOException {
        String streamed = stream(text).toString();
        assertEquals(json(SourceDocument.parse(text).root()).toString(), streamed, text);
        return streamed;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a: &x {b: 1}\\nc: *x | {`a`:{`b`:1},`c`:{`b`:1}}",
                "a: &x 4\\nc: [*x, *x] | {`a`:4,`c`:[4,4]}",
                "&k key: 1\\n*k : 2 | {`key`:2}",
                "a: &x {b: 1, c: 2}\\nd:\\n  <<: *x\\n  c: 3 | {`a`:{`b`:1,`c`:2},`d`:{`c`:3,`b`:1}}",
                "a: &x {b: 1}\\ne: &y {b: 2, f: 3}\\nd:\\n  <<: [*x, *y] | {`a`:{`b`:1},`e`:{`b`:2,`f`:3},`d`:{`b`:1,`f`:3}}",
                "d:\\n  c: 3\\n  <<: {c: 4, g: {<<: {h: 1}, i: 2}} | {`d`:{`c`:3,`g`:{`i`:2,`h`:1}}}",
                "a: &x\\n  b: &y {c: 1}\\nd: *y\\ne: *x | {`a`:{`b`:{`c`:1}},`d`:{`c`:1},`e`:{`b`:{`c`:1}}}",
                "a: [y, n, on, off, yes, No, true, ~, null, ''] | {`a`:[true,false,true,false,true,false,true,null,null,``]}",
                "a: [0x10, 010, 0o10, 1_000, 1e3, 0.50, -7, .5] | {`a`:[16,8,8,1000,1000,0.5,-7,0.5]}",
                "a: !!str 5\\nb: '5'\\nc: 1.2.3\\nd: 2001-01-01 | {`a`:`5`,`b`:`5`,`c`:`1.2.3`,`d`:`2001-01-01`}",
                "1: a\\ntrue: b\\n1.5: c | {`1`:`a`,`true`:`b`,`1.5`:`c`}",
                "b: >-\\n  x\\n  y | {`b`:`x y`}",
            })
    void kubernetesReadsThis(String yaml, String expected) throws DocumentException, IOException {
        String text = yaml.replace("\\n", "\n");
        JsonNode expectedTree = JSON.readTree(expected.replace('`', '"'));
        assertEquals(expectedTree.toString(), tree(text));
    }

    @RepeatedTest(200)
    void randomDocuments(RepetitionInfo repetition) throws DocumentException, IOException {
        Random random = new Random(repetition.getCurrentRepetition());
        tree("root: " + node(random, 4, new ArrayList<>()) + "\n");
    }

    /** A flow node; anchors that are complete may be used by those that follow. */
    private static String node(Random random, int depth, List<String> anchors) {
        int kind = random.nextInt(depth > 0 ? 6 : 3);
        if (kind == 0 && !anchors.isEmpty()) {
            return "*" + anchors.get(random.nextInt(anchors.size())) + " ";
        }
        String name = "a" + random.nextInt(1000);
        boolean anchored = random.nextInt(3) == 0 && !anchors.contains(name);
        StringBuilder text = new StringBuilder(anchored ? "&" + name + " " : "");
        if (kind <= 2) {
            text.append(List.of("x", "'1'", "5", "on", "0.25", "~", "\"q\"").get(random.nextInt(7)));
        } else if (kind == 3) {
            text.append('[');
            for (int i = random.nextInt(4); i > 0; i--) {
                text.append(node(random, depth - 1, anchors)).append(i > 1 ? ", " : "");
            }
            text.append(']');
        } else {
            text.append('{');
            if (random.nextInt(4) == 0) {
                text.append("<<: {m")
                        .append(random.nextInt(3))
                        .append(": ")
                        .append(node(random, 0, new ArrayList<>()))
                        .append("}, ");
            }
            for (int i = 0; i < random.nextInt(5); i++) {
                text.append("k")
                        .append(i)
                        .append(random.nextBoolean() ? "" : random.nextInt(9))
                        .append(i);
                text.append(": ").append(node(random, depth - 1, anchors)).append(", ");
            }
            text.append('}');
        }
        if (anchored) {
            anchors.add(name);
        }
        return text.toString();
    }

    private static String bomb(int levels) {
        StringBuilder text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i <= levels; i++) {
            text.append("a").append(i).append(": &a").append(i).append(" [");
            for (int j = 0; j < 10; j++) {
                text.append(j > 0 ? ", " : "").append("*a").append(i - 1);
            }
            text.append("]\n");
        }
        return text.toString();
    }

    @Test
    void aliasesAreLimited() throws DocumentException, IOException {
        tree(bomb(1));
        for (int levels : List.of(4, 8)) {
            JsonProcessingException streamed = assertThrows(JsonProcessingException.class, () -> stream(bomb(levels)));
            assertTrue(streamed.getOriginalMessage().contains("document contains excessive aliasing"));
            DocumentException parsed = assertThrows(DocumentException.class, () -> SourceDocument.parse(bomb(levels)));
            assertTrue(parsed.plainText().contains("document contains excessive aliasing"));
        }
    }

    /** A large document without aliases, and one with an alias in each of many objects, are not rejected as alias bombs. */
    @Test
    void largeDocumentsAreRead() throws DocumentException, IOException {
        StringBuilder text = new StringBuilder("labels: &l {app: web}\nitems:\n");
        for (int i = 0; i < 30_000; i++) {
            text.append("- {name: p").append(i).append(", labels: *l, a: [1, 2, 3, 4, 5], b: {c: d, e: f}}\n");
        }
        assertEquals(30_000, stream(text.toString()).path("items").size());
        assertEquals(2, SourceDocument.parse(text.toString()).root().members().size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: *x | unknown anchor",
                "a: &x [*x] | value contains itself",
                "? {a: b}\\n: c | Unsupported map key of type",
                "a: {<<: 5} | map merge requires map or sequence of maps as the value",
                "a: [1, 2 | did not find expected ',' or ']'",
                "a: .inf | unsupported value",
            })
    void errorsHaveAPlace(String yaml, String message) {
        JsonProcessingException streamed =
                assertThrows(JsonProcessingException.class, () -> stream(yaml.replace("\\n", "\n")));
        assertTrue(streamed.getOriginalMessage().contains(message), streamed.getOriginalMessage());
        assertTrue(streamed.getLocation().getLineNr() > 0);
    }

    /** As go-yaml, with the place; both readers stop at the same byte. */
    @ParameterizedTest
    @CsvSource({
        "a: b # gr\u00fc\u00dfe, 1:10, invalid leading UTF-8 octet",
        "a: b\\nb: \u00fcber, 2:4, invalid leading UTF-8 octet",
        "\u00dfa: b, 1:1, invalid trailing UTF-8 octet",
        "a: b\u00e9, 1:5, incomplete UTF-8 octet sequence",
        "a: b\u0001c, 1:5, control characters are not allowed",
    })
    void otherEncodingsAreRejected(String text, String place, String message) {
        byte[] bytes = text.replace("\\n", "\n").getBytes(StandardCharsets.ISO_8859_1);
        DocumentException parsed =
                assertThrows(DocumentException.class, () -> SourceDocument.parse(TextInput.decode(bytes)));
        assertEquals("yaml: " + message, parsed.text());
        assertEquals(place, parsed.position().line() + ":" + parsed.position().column());
        JsonProcessingException streamed = assertThrows(
                JsonProcessingException.class,
                () -> new ObjectMapper(new YamlJsonFactory()).readTree(new ByteArrayInputStream(bytes)));
        assertEquals("invalid YAML: " + message, streamed.getOriginalMessage());
        assertEquals(
                place,
                streamed.getLocation().getLineNr() + ":"
                        + streamed.getLocation().getColumnNr());
    }

    /** Go replaces bytes of JSON that are not UTF-8. */
    @Test
    void otherEncodingsOfJsonAreReplaced() throws DocumentException {
        byte[] bytes = "{\"a\": \"\u00fc\ud83d\ude00\"}".getBytes(StandardCharsets.UTF_8);
        assertEquals("{\"a\": \"\u00fc\ud83d\ude00\"}", TextInput.decode(bytes));
        byte[] latin = "{\"a\": \"\u00fc\"}".getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(
                "\ufffd",
                SourceDocument.parse(TextInput.decode(latin))
                        .root()
                        .members()
                        .get(0)
                        .value()
                        .text());
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"})
    void encodingsAreRecognized(String name) throws IOException {
        for (String text : List.of("{\"kind\": \"Policy\"}\n", "kind: Policy # \u00fcber\n", "k", "")) {
            for (String mark : List.of("", "\ufeff")) {
                byte[] bytes = (mark + text).getBytes(Charset.forName(name));
                assertEquals(text, TextInput.decode(bytes), name);
                byte[] read = TextInput.utf8(new ByteArrayInputStream(bytes)).readAllBytes();
                byte[] expected = (name.equals("UTF-8") ? mark + text : text).getBytes(StandardCharsets.UTF_8);
                assertArrayEquals(expected, read);
            }
        }
    }
}
