package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.snapshot.Dump;
import io.policyscheduler.cmd.sources.DumpFiles.DumpObjects;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DumpFilesTest {
    private static final String NODE = "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n\"}}";

    private final List<String> warnings = new ArrayList<>();
    private final Dump dump = new Dump(FeatureGates.defaults(), warnings::add, objects -> {});
    private final Path folder;

    DumpFilesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private Path pipe(String text) throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        Process mkfifo;
        try {
            mkfifo = new ProcessBuilder("mkfifo", pipe.toString()).start();
        } catch (IOException e) {
            assumeTrue(false, "no mkfifo: " + e.getMessage());
            throw e;
        }
        assumeTrue(mkfifo.waitFor() == 0, "mkfifo failed");
        Thread writer = new Thread(() -> {
            try {
                Files.write(pipe, text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        writer.setDaemon(true);
        writer.start();
        return pipe;
    }

    /** As in {@code --cluster <(kubectl get nodes -o json)}. */
    @Test
    @Timeout(60)
    void aPipeIsReadOnce() throws IOException, InterruptedException {
        new DumpFiles().read(List.of(pipe(NODE)), dump);
        assertEquals(1, dump.objects());
        assertEquals(List.of(), warnings);
    }

    @Test
    @Timeout(60)
    void anEmptyPipeIsAnError() throws IOException, InterruptedException {
        Path pipe = pipe("");
        InputException refused = assertThrows(InputException.class, () -> new DumpFiles().read(List.of(pipe), dump));
        assertEquals(
                pipe + ": no objects that scheduling reads; the command that wrote the file may have failed"
                        + "; to use it anyway, pass --allow-empty",
                refused.getMessage());
    }

    /** What is read twice cannot come from a pipe, whose second reader would wait without an end. */
    @Test
    @Timeout(60)
    void aPipeThatWouldHaveToBeReadTwice() throws IOException, InterruptedException {
        Path pipe = pipe(NODE);
        new DumpFiles().read(List.of(pipe), dump);
        InputException refused = assertThrows(
                InputException.class,
                () -> DumpObjects.ofKind(List.of(pipe), "ConfigMap").get());
        assertEquals(pipe + " can be read only once; write it to a file first", refused.getMessage());
    }

    private static String pod(int number, String cpu) {
        return "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p" + number
                + "\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"" + cpu
                + "\"}}}]}}";
    }

    @Test
    void skippedObjectsAreCountedByReasonAfterTheFirstOnes() throws IOException {
        Path file = Files.writeString(
                folder.resolve("dump.json"),
                IntStream.range(0, 20_000)
                        .mapToObj(n -> n % 2 == 0 ? pod(n, "zz") : n % 4 == 1 ? "7" : pod(n, "x" + n))
                        .collect(Collectors.joining(",", "{\"items\":[" + NODE + ",", "]}")));
        DumpFiles files = new DumpFiles();
        files.read(List.of(file), dump);
        String reason = "spec.containers[].resources.requests.cpu: ";
        assertEquals(
                List.of(
                        file + ": skipped: " + reason + "\"zz\" is not a quantity (9995 more objects)",
                        file + ": skipped: list item that is no object (4995 more objects)",
                        file + ": skipped: for other reasons (4947 more objects)"),
                warnings.stream().filter(line -> line.endsWith("more objects)")).toList());
        assertEquals(
                file + ": skipped: Pod p0: items[1]." + reason.replace("[]", "[0]") + "\"zz\" is not a quantity",
                warnings.get(0));
        assertEquals(5 + 5 + 48 + 5 + 3, warnings.size());
        assertEquals(List.of("20000 objects were skipped; --strict rejects such dumps"), files.notes());
    }
}
