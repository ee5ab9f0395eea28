package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.kube.connection.KubeConnection.ResponseTooLongException;
import io.policyscheduler.cmd.kube.watch.ReflectorWatch.Lines;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchLinesTest {
    private static final int LONGEST = 200_000;

    /** Delivers at most that many bytes per read. */
    private static InputStream trickle(String text, int chunk) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, chunk));
            }
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000, 32 * 1024, 1 << 20})
    void splitsLinesWhateverTheChunks(int chunk) throws IOException {
        List<String> expected =
                List.of("a", "b".repeat(100_000), "ä", "c".repeat(32 * 1024), "d".repeat(32 * 1024 - 1), "e");
        Lines lines = new Lines(trickle("\n" + String.join("\n\n", expected) + "\nunfinished", chunk), LONGEST);
        List<String> found = new ArrayList<>();
        while (lines.next()) {
            found.add(new String(lines.buffer(), lines.offset(), lines.length(), StandardCharsets.UTF_8));
        }
        assertEquals(expected, found);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 32 * 1024, 1 << 20})
    void cutsALineThatIsTooLong(int chunk) throws IOException {
        Lines lines = new Lines(
                trickle(
                        "a\n" + "b".repeat(LONGEST) + "\n" + "c".repeat(3 * LONGEST) + "\nd\n" + "e".repeat(LONGEST + 1)
                                + "\nf\n",
                        chunk),
                LONGEST);
        List<String> found = new ArrayList<>();
        while (lines.next()) {
            String line = new String(lines.buffer(), lines.offset(), lines.length(), StandardCharsets.UTF_8);
            found.add((lines.isTruncated() ? "cut " : "")
                    + line.substring(0, 1)
                    + (line.length() >= LONGEST / 2 ? " long" : ""));
        }
        assertEquals(List.of("a", "cut b long", "cut c long", "d", "cut e long", "f"), found);
    }

    /** A response that ends within a line ends without it, however long the line is. */
    @Test
    void dropsALongLineWithoutAnEnd() throws IOException {
        Lines lines = new Lines(trickle("a\n" + "b".repeat(2 * LONGEST), 32 * 1024), LONGEST);
        assertTrue(lines.next());
        assertFalse(lines.next());
    }

    @Test
    void failsAtALineWithoutAnEnd() {
        Lines lines = new Lines(
                new InputStream() {
                    @Override
                    public int read() {
                        return 'x';
                    }

                    @Override
                    public int read(byte[] target, int offset, int length) {
                        Arrays.fill(target, offset, offset + length, (byte) 'x');
                        return length;
                    }
                },
                LONGEST);
        assertEquals(
                "a watch event is longer than 67108864 bytes",
                assertThrows(ResponseTooLongException.class, lines::next).getMessage());
    }
}
