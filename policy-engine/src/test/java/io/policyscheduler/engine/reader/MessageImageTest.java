package io.policyscheduler.engine.reader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import io.policyscheduler.engine.testing.WireBytes;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MessageImageTest {
    private static final MessageType VOLUME = MessageType.builder()
            .volumeName(1, "name")
            .inline(2, MessageType.builder().named("26=projected 6=secret").build())
            .build();
    private static final MessageType TYPE = MessageType.builder()
            .reportingUnknown()
            .string(1, "text")
            .integer(2, "number")
            .string(3, "node")
            .message(
                    4,
                    "inner",
                    MessageType.builder().string(1, "x").string(2, "y").build())
            .messages(5, "volumes", VOLUME)
            .named("6=heard")
            .skipped("7=boring")
            .build();

    private static ProtobufParser at(WireBytes message) throws IOException {
        byte[] bytes = message.toBytes();
        ProtobufParser parser = new ProtobufParser(TYPE);
        parser.start(bytes, 0, bytes.length);
        parser.nextToken();
        return parser;
    }

    private static WireBytes volume(String name, int source) {
        return new WireBytes()
                .message(
                        5,
                        new WireBytes()
                                .text(1, name)
                                .message(2, new WireBytes().message(source, new WireBytes().text(1, name))));
    }

    private static WireBytes text() {
        return new WireBytes().text(1, "a");
    }

    static Stream<Arguments> pairs() {
        String token = "kube-api-access-abcde";
        return Stream.of(
                arguments(text(), text(), true),
                arguments(text(), new WireBytes().text(1, "b"), false),
                arguments(text(), new WireBytes().text(1, "a").number(2, 0), false),
                arguments(text().number(2, 1), text().number(2, 2), false),
                // What nobody asks for, and where it stands.
                arguments(text(), new WireBytes().text(7, "x").text(1, "a"), true),
                arguments(text().message(7, text()), text().number(7, 5), true),
                // What stands apart, at the top only.
                arguments(text(), new WireBytes().text(3, "n1").text(1, "a"), true),
                // The name of a field alone.
                arguments(text().text(6, "x"), text().text(6, "yy"), true),
                arguments(text().text(6, "x"), text(), false),
                // Unknown fields are reported.
                arguments(text(), text().text(99, "x"), false),
                // Where a message ends.
                arguments(
                        new WireBytes().message(4, new WireBytes().text(1, "a").text(2, "b")),
                        new WireBytes()
                                .message(4, new WireBytes().text(1, "a"))
                                .message(4, new WireBytes().text(2, "b")),
                        false),
                arguments(new WireBytes().message(4, new WireBytes()), new WireBytes(), false),
                arguments(new WireBytes().message(4, text()).text(1, "b"), new WireBytes().message(4, text()), false),
                // Volumes for tokens are named for each pod.
                arguments(volume(token, 26), volume("kube-api-access-fghij", 26), true),
                arguments(volume(token, 6), volume("kube-api-access-fghij", 6), false),
                arguments(volume(token, 26), volume("kube-api-access-abcdef", 26), false),
                arguments(volume("kube-api-acces-abcdef", 26), volume("kube-api-acces-abcdeg", 26), false),
                arguments(volume("other", 26), volume("othes", 26), false));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void isTheSameForWhatReadsAlike(WireBytes one, WireBytes other, boolean same) throws IOException {
        MessageImage image = new MessageImage("node");
        at(one).take(image);
        byte[] copy = image.copy();
        int hash = image.hash();
        assertEquals(copy.length, image.length());
        at(other).take(image);
        assertEquals(same, image.is(copy));
        assertEquals(same, image.hash() == hash);
    }

    static Stream<Arguments> apart() {
        return Stream.of(
                arguments(text(), ""),
                arguments(text().text(3, ""), ""),
                arguments(text().text(3, "n\u00e9"), "n\u00e9"),
                arguments(text().text(3, "n1").text(3, "n2"), "n2"),
                arguments(new WireBytes().message(4, new WireBytes().text(3, "n1")), ""));
    }

    @ParameterizedTest
    @MethodSource("apart")
    void tellsWhatStandsApart(WireBytes message, String apart) throws IOException {
        MessageImage image = new MessageImage("node");
        at(message).take(image);
        assertEquals(apart, image.separateField());
    }

    @Test
    void theParserStaysWhereItIs() throws IOException {
        ProtobufParser parser = at(text().number(2, 7));
        parser.take(new MessageImage("node"));
        parser.nextToken();
        parser.nextToken();
        assertEquals("a", parser.getText());
        assertThrows(MalformedProtobufException.class, () -> parser.take(new MessageImage("node")));
    }

    static Stream<WireBytes> malformed() {
        return Stream.of(
                new WireBytes().raw(0x0a),
                new WireBytes().raw(0x0a, 5, 'a'),
                new WireBytes().raw(0x10, 0x80),
                new WireBytes().raw(0x22, 2, 0x0a, 7),
                new WireBytes().raw(0));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void refusesWhatIsNoMessage(WireBytes bytes) throws IOException {
        ProtobufParser parser = at(bytes);
        assertThrows(MalformedProtobufException.class, () -> parser.take(new MessageImage("node")));
    }
}
