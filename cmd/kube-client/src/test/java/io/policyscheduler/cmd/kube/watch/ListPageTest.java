package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import io.policyscheduler.cmd.kube.watch.ObjectBytes.Unreadable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ListPageTest {
    private static final int LONGEST_OBJECT = 1 << 20;

    private final JsonFactory json = new JsonFactory();
    private final List<String> items = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();

    private static InputStream trickle(String text, int chunk) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, chunk));
            }
        };
    }

    /** Returns all values of an object, so that nothing remains unread. */
    private static String all(JsonParser parser) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int depth = 1; depth > 0; ) {
            JsonToken token = parser.nextToken();
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            text.append(parser.getText());
        }
        return text.toString();
    }

    private ListPage<String> read(String response, int chunk) throws IOException {
        ListPage<String> page = new ListPage<>(json, ListPageTest::all, unreadable::add, LONGEST_OBJECT);
        page.read(trickle(response, chunk), items);
        return page;
    }

    private static String pod(String name, String spec) {
        return "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" + name + "\",\"uid\":\"u-" + name + "\"},\"spec\":"
                + spec + "}";
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000, 1 << 20})
    void itemsThatCannotBeReadAreFoundOutAboutAndPassed(int chunk) throws IOException {
        String deep = "[".repeat(5000) + "]".repeat(5000);
        ListPage<String> page = read(
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\"more\",\"remainingItemCount\":"
                        + " 12},\"items\": [ "
                        + pod("a", "{}") + " , "
                        + pod("deep", "{\"x\":" + deep + ",\"nodeName\":\"n1\",\"schedulerName\":\"s\"}") + ","
                        + pod("long", "{\"" + "k".repeat(60_000) + "\":1,\"nodeName\":\"n2\"}") + ","
                        + pod("word", "{\"x\":tru}") + ",5,null,"
                        + pod("z", "{\"b\":\"\\\"]}\"}") + "]}",
                chunk);
        assertEquals("7 more 12", page.resourceVersion() + " " + page.continueToken() + " " + page.remaining());
        assertEquals(2, items.size());
        assertEquals(
                List.of("ns/deep u-deep n1 s", "ns/long u-long n2 ", "ns/word u-word  ", "   ", "   "),
                unreadable.stream()
                        .map(o -> o.key() + " " + o.uid() + " " + o.nodeName() + " " + o.schedulerName())
                        .toList());
    }

    @Test
    void managedFieldsAreNotRead() throws IOException {
        String managed = "[{\"f:x\":{\"" + "k".repeat(60_000) + "\":" + "[".repeat(2000) + "]".repeat(2000) + "}}]";
        read(
                "{\"items\":[{\"metadata\":{\"managedFields\":" + managed + ",\"name\":\"a\"},\"spec\":{"
                        + "\"managedFields\":[7]}},{\"metadata\":{\"managedFields\":[],\"x\":1}}],"
                        + "\"metadata\":{\"resourceVersion\":\"1\"}}",
                4096);
        assertEquals(List.of(), unreadable);
        assertEquals(
                List.of("metadata{managedFields[]namea}spec{managedFields[7]}}", "metadata{managedFields[]x1}}"),
                items);
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 1 << 20})
    void anObjectThatIsTooLongIsUnreadable(int chunk) throws IOException {
        String fits = pod("fits", "{\"x\":\"" + "y".repeat(LONGEST_OBJECT - 80) + "\"}");
        ListPage<String> page = read(
                "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[" + fits + ","
                        + pod("long", "{\"nodeName\":\"n1\",\"x\":\"" + "y".repeat(LONGEST_OBJECT) + "\"}") + ","
                        + pod("next", "{}") + "]}",
                chunk);
        assertEquals(3, page.objects());
        assertEquals(2, items.size());
        assertEquals(
                List.of(new Unreadable("ns", "long", "u-long", "n1", "", "longer than 1048576 bytes")), unreadable);
    }

    /** The limit of a value does not depend on the size of the heap. */
    @Test
    void aValueWithoutAnEndFailsTheList() {
        InputStream endless = new SequenceInputStream(trickle("{\"items\":[{\"a\":\"", 10), new InputStream() {
            @Override
            public int read() {
                return 'x';
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                Arrays.fill(target, offset, offset + length, (byte) 'x');
                return length;
            }
        });
        ListPage<String> page = new ListPage<>(json, ListPageTest::all, unreadable::add, LONGEST_OBJECT);
        assertEquals(
                "the list response has a value of more than 67108864 bytes",
                assertThrows(ResponseTooLongException.class, () -> page.read(endless, items))
                        .getMessage());
        assertEquals(List.of(), items);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<html>                                        | the list response is not a JSON object",
                "``                                            | the list response is not a JSON object",
                "{\"items\":[{\"a\":1},                        | the list response ends early",
                "{\"items\":[{\"a\":\"1                        | the list response ends early",
                "{\"items\":[]                                 | the list response ends early",
                "{\"items\":[]}                                | the list response has no metadata.resourceVersion",
                "{items:[]}                                    | the list response is not JSON",
                "{\"items\"}                                   | the list response is not JSON",
            })
    void responsesThatAreNoList(String response, String problem) {
        assertEquals(
                problem,
                assertThrows(IOException.class, () -> read(response, 10)).getMessage());
    }

    /** Any bytes end in a list or an exception, never in a loop. */
    @Test
    void anyResponse() {
        Random random = new Random(11);
        String alphabet = "{}[]\",:\\ a1";
        int lists = 0;
        for (int i = 0; i < 50_000; i++) {
            StringBuilder text = new StringBuilder("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[");
            for (int j = random.nextInt(12); j > 0; j--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                read(text.append("]}").toString(), 5);
                lists++;
            } catch (IOException expected) {
                // Not a list.
            }
        }
        assertEquals(true, lists > 1000, lists + " lists");
    }
}
