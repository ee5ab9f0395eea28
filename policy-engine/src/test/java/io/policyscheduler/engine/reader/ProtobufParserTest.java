package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import io.policyscheduler.engine.testing.WireBytes;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ProtobufParserTest {
    private static final MessageType INNER =
            MessageType.builder().string(1, "x").bool(2, "yes").build();
    private static final MessageType TYPE = MessageType.builder()
            .reportingUnknown()
            .string(1, "text")
            .integer(2, "number")
            .bool(3, "flag")
            .time(4, "at")
            .strings(5, "words")
            .message(6, "inner", INNER)
            .messages(7, "many", INNER)
            .stringMap(8, "labels")
            .quantities(9, "amounts")
            .inline(10, MessageType.builder().string(1, "inlined").build())
            .named("11=heard 12=loud")
            .skipped("13=boring")
            .build();

    /** Returns the tokens as JSON, with {@code ?} for values whose name alone is read. */
    private static String tokens(byte[] bytes) throws IOException {
        ProtobufParser parser = new ProtobufParser(TYPE);
        parser.start(bytes, 0, bytes.length);
        StringBuilder text = new StringBuilder();
        JsonToken before = null;
        for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
            boolean first = before == null || before.isStructStart() || before == JsonToken.FIELD_NAME;
            text.append(first || token.isStructEnd() ? "" : ",");
            text.append(
                    switch (token) {
                        case FIELD_NAME -> parser.currentName() + ":";
                        case VALUE_STRING -> "'" + parser.getText() + "'";
                        case VALUE_EMBEDDED_OBJECT -> "?";
                        default -> parser.getText();
                    });
            before = token;
        }
        return text.toString();
    }

    static Stream<Arguments> messages() {
        WireBytes quantity = new WireBytes().text(1, "cpu").message(2, new WireBytes().text(1, "100m"));
        return Stream.of(
                arguments(new WireBytes(), "{}"),
                arguments(
                        new WireBytes().text(1, "a\u00e9").number(2, -7).number(3, 1),
                        "{text:'a\u00e9',number:-7,flag:true}"),
                arguments(new WireBytes().text(1, "").number(2, 0).number(3, 0), "{text:'',number:0,flag:false}"),
                arguments(new WireBytes().number(2, Long.MAX_VALUE), "{number:9223372036854775807}"),
                arguments(new WireBytes().message(4, new WireBytes()), "{at:null}"),
                arguments(
                        new WireBytes()
                                .message(
                                        4, new WireBytes().number(1, 1577836800).number(2, 5)),
                        "{at:'2020-01-01T00:00:00Z'}"),
                arguments(new WireBytes().text(5, "a").text(5, "b").text(1, "c"), "{words:['a','b'],text:'c'}"),
                arguments(
                        new WireBytes().message(6, new WireBytes().text(1, "v").number(2, 1)),
                        "{inner:{x:'v',yes:true}}"),
                arguments(
                        new WireBytes()
                                .message(7, new WireBytes())
                                .message(7, new WireBytes().text(1, "v").text(99, "z")),
                        "{many:[{},{x:'v'}]}"),
                arguments(
                        new WireBytes().entry(8, "k", "v").entry(8, "", "").message(8, new WireBytes()),
                        "{labels:{k:'v',:'',:''}}"),
                arguments(
                        new WireBytes().message(9, quantity).message(9, new WireBytes().text(1, "memory")),
                        "{amounts:{cpu:'100m',memory:'0'}}"),
                arguments(
                        new WireBytes()
                                .message(10, new WireBytes().text(1, "in"))
                                .text(1, "out"),
                        "{inlined:'in',text:'out'}"),
                arguments(
                        new WireBytes()
                                .text(11, "h")
                                .number(12, 4)
                                .text(13, "b")
                                .number(13, 1)
                                .text(70, "new"),
                        "{heard:?,loud:?,(field 70):?}"),
                arguments(
                        new WireBytes().raw(99 << 3 & 0x7f | 0x80 | 1, 99 >> 4, 1, 2, 3, 4, 5, 6, 7, 8),
                        "{(field 99):?}"),
                arguments(new WireBytes().raw(13 << 3 | 5, 1, 2, 3, 4).number(2, 1), "{number:1}"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageReadsAsItsJson(WireBytes message, String json) throws IOException {
        assertEquals(json, tokens(message.toBytes()));
    }

    /** What is skipped leaves what follows where it was. */
    @Test
    void anyValueCanBeSkipped() throws IOException {
        byte[] bytes = new WireBytes()
                .message(6, new WireBytes().text(1, "v"))
                .message(7, new WireBytes().text(1, "v"))
                .message(7, new WireBytes())
                .entry(8, "k", "v")
                .entry(8, "l", "w")
                .text(5, "a")
                .text(5, "b")
                .text(1, "last")
                .toBytes();
        ProtobufParser parser = new ProtobufParser(TYPE);
        parser.start(bytes, 0, bytes.length);
        parser.nextToken();
        StringBuilder names = new StringBuilder();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            names.append(parser.currentName()).append(' ');
            parser.nextToken();
            parser.skipChildren();
        }
        assertEquals("inner many labels words text ", names.toString());
        assertEquals(JsonToken.END_OBJECT, parser.currentToken());
        assertTrue(parser.getParsingContext().inRoot());
    }

    /** Truncated at any byte, it is either rejected or gives what came before. */
    @Test
    void aMessageThatIsCutIsRefusedOrWhole() throws IOException {
        byte[] bytes = new WireBytes()
                .text(1, "text")
                .message(6, new WireBytes().text(1, "v").number(2, 300))
                .entry(8, "key", "value")
                .message(4, new WireBytes().number(1, 1577836800))
                .text(13, "boring")
                .toBytes();
        String whole = tokens(bytes);
        int refused = 0;
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            try {
                String beginning = tokens(cut);
                assertEquals(
                        whole.substring(0, beginning.length() - 1), beginning.substring(0, beginning.length() - 1));
            } catch (MalformedProtobufException e) {
                String problem = String.valueOf(e.getMessage());
                assertTrue(problem.startsWith("malformed protobuf at byte "), problem);
                refused++;
            }
        }
        // All but where a field begins.
        assertEquals(bytes.length - 5, refused);
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                arguments(new WireBytes().raw(0, 0), "no field has the number 0"),
                arguments(new WireBytes().number(1, 5), "field 1, text, has the wire type 0"),
                arguments(new WireBytes().text(2, "x"), "field 2, number, has the wire type 2"),
                arguments(new WireBytes().raw(13 << 3 | 3), "field 13 has the wire type 3"),
                arguments(
                        new WireBytes().raw(2 << 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255),
                        "a number does not end"),
                arguments(
                        new WireBytes()
                                .message(6, new WireBytes().raw(1 << 3 | 2, 9))
                                .text(1, "123456789"),
                        "something of 9 bytes ends after what it is in"),
                arguments(
                        new WireBytes().message(6, new WireBytes().raw(2 << 3)).number(2, 1),
                        "a message ends in the middle of a field"),
                arguments(
                        new WireBytes().message(8, new WireBytes().raw(3 << 3)).number(2, 1),
                        "a field ends after what it is in"),
                arguments(
                        new WireBytes().message(4, new WireBytes().raw(1 << 3)).number(2, 1),
                        "a time ends in the middle of a field"),
                arguments(
                        new WireBytes().message(4, new WireBytes().number(1, Long.MAX_VALUE)),
                        "no time is 9223372036854775807 s away from 1970"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void whatIsNoSuchMessageIsRefused(WireBytes message, String problem) {
        MalformedProtobufException refused =
                assertThrows(MalformedProtobufException.class, () -> tokens(message.toBytes()));
        assertEquals(
                problem, String.valueOf(refused.getMessage()).replaceFirst("malformed protobuf at byte \\d+: ", ""));
    }
}
