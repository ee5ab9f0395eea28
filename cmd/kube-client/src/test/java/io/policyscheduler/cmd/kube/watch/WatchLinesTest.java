package io.policyscheduler.cmd.kube.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.watch.ReflectorWatch.Lines;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchLinesTest {
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
        Lines lines = new Lines(trickle("\n" + String.join("\n\n", expected) + "\nunfinished", chunk));
        List<String> found = new ArrayList<>();
        while (lines.next()) {
            found.add(new String(lines.buffer(), lines.offset(), lines.length(), StandardCharsets.UTF_8));
        }
        assertEquals(expected, found);
    }
}
