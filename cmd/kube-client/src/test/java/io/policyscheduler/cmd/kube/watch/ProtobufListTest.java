package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonFactory;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Decoder;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import io.policyscheduler.engine.reader.PodMessages;
import io.policyscheduler.engine.reader.ProtobufParser;
import io.policyscheduler.engine.reader.ProtobufParser.MalformedProtobufException;
import io.policyscheduler.engine.testing.WireBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProtobufListTest {
    private final List<String> items = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();

    private static WireBytes pod(String name) {
        return new WireBytes()
                .message(
                        1,
                        new WireBytes()
                                .text(1, name)
                                .text(3, "ns")
                                .text(5, "u-" + name)
                                .text(6, "3"))
                .message(2, new WireBytes().text(10, "n1").text(19, "mine").text(4, "30"));
    }

    private static WireBytes list(WireBytes... pods) {
        WireBytes list = new WireBytes()
                .message(
                        1,
                        new WireBytes()
                                .text(1, "/l")
                                .text(2, "8")
                                .text(3, "next")
                                .number(4, 9));
        for (WireBytes pod : pods) {
            list.message(2, pod);
        }
        return list;
    }

    private ListPage<String> read(byte[] answer, Decoder<String> decoder) throws IOException {
        ListPage<String> list = new ListPage<>(new JsonFactory(), decoder, unreadable::add, 1 << 20);
        list.readProtobuf(new ByteArrayInputStream(answer), new ProtobufParser(PodMessages.pod()), items);
        return list;
    }

    @Test
    void aListIsReadWithWhereItGoesOn() throws IOException {
        // Longer than the initial buffer for an object.
        WireBytes large = pod("large").text(77, "x".repeat(100_000));
        ListPage<String> list = read(list(pod("a"), large, pod("b")).toAnswer(), PodTexts::decode);
        assertEquals(List.of("a", "large", "b"), items);
        assertEquals("8", list.resourceVersion());
        assertEquals("next", list.continueToken());
        assertEquals(9, list.remaining());
        assertEquals(List.of(), unreadable);
    }

    @Test
    void anObjectThatCannotBeUnderstoodIsReportedAndPassed() throws IOException {
        read(list(pod("a"), pod("bad"), pod("b")).toAnswer(), parser -> {
            String name = PodTexts.decode(parser);
            if (String.valueOf(name).equals("bad")) {
                throw new IOException("spec.priority: expected an integer");
            }
            return name;
        });
        assertEquals(List.of("a", "b"), items);
        assertEquals(
                List.of(new Unreadable(
                        "ns", "bad", "u-bad", "n1", "mine", "IOException: spec.priority: expected an integer")),
                unreadable);
    }

    @Test
    void aListThatIsCutFails() throws IOException {
        byte[] answer = list(pod("a"), pod("b")).toAnswer();
        // The part after the items may be missing.
        int needed = answer.length - 4;
        for (int length = 0; length < needed; length++) {
            byte[] cut = Arrays.copyOf(answer, length);
            assertThrows(IOException.class, () -> read(cut, PodTexts::decode), "cut at " + length);
        }
    }

    @Test
    void whatIsNoProtobufFails() {
        for (byte[] answer : List.of(
                new byte[] {'{', '}', '}', '}'},
                new WireBytes().raw('k', '8', 's', 0).text(1, "no list").toBytes(),
                new WireBytes().raw('k', '8', 's', 0, 2 << 3 | 3).toBytes(),
                new WireBytes().raw('k', '8', 's', 0, 0).toBytes(),
                list(new WireBytes().raw(1 << 3 | 2, 100)).toAnswer())) {
            assertThrows(MalformedProtobufException.class, () -> read(answer, PodTexts::decode), new String(answer));
        }
    }
}
