package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.Sleeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileChangesTest {
    private final List<String> changed = new ArrayList<>();

    private final Path folder;

    FileChangesTest(@TempDir Path folder) {
        this.folder = folder;
    }

    private List<String> take() {
        List<String> taken = List.copyOf(changed);
        changed.clear();
        return taken;
    }

    @Test
    void contentsCount() throws IOException {
        Path a = Files.writeString(folder.resolve("a"), "1");
        Path b = Files.writeString(folder.resolve("b"), "1");
        FileChanges files = new FileChanges(
                List.of(a, b),
                Duration.ofHours(1),
                Sleeper.REAL,
                file -> changed.add(file.getFileName().toString()),
                Thread::new);
        files.look();
        assertEquals(List.of(), take());
        Files.writeString(a, "2");
        files.look();
        assertEquals(List.of("a"), take());
        Files.writeString(a, "2");
        files.look();
        assertEquals(List.of(), take());
        Files.delete(b);
        files.look();
        assertEquals(List.of("b"), take());
        files.look();
        assertEquals(List.of(), take());
        Files.writeString(b, "1");
        files.look();
        assertEquals(List.of("b"), take());
    }

    /** As in a ConfigMap volume, where a link to a folder is replaced. */
    @Test
    void linksAreFollowed() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("v1")).resolve("policy"), "1");
        Files.writeString(Files.createDirectory(folder.resolve("v2")).resolve("policy"), "2");
        Path data = Files.createSymbolicLink(folder.resolve("data"), folder.resolve("v1"));
        FileChanges files = new FileChanges(
                List.of(data.resolve("policy")),
                Duration.ofHours(1),
                Sleeper.REAL,
                file -> changed.add(file.getFileName().toString()),
                Thread::new);
        Files.delete(data);
        Files.createSymbolicLink(data, folder.resolve("v2"));
        files.look();
        assertEquals(List.of("policy"), take());
    }
}
