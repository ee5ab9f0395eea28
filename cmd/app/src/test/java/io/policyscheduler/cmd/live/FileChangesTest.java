package io.policyscheduler.cmd.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.cmd.kube.connection.SteadyClock.Sleeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
        files.poll();
        assertEquals(List.of(), take());
        Files.writeString(a, "2");
        files.poll();
        assertEquals(List.of("a"), take());
        Files.writeString(a, "2");
        files.poll();
        assertEquals(List.of(), take());
        Files.delete(b);
        files.poll();
        assertEquals(List.of("b"), take());
        files.poll();
        assertEquals(List.of(), take());
        Files.writeString(b, "1");
        files.poll();
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
        files.poll();
        assertEquals(List.of("policy"), take());
    }

    /** As editors and {@code mv} replace a file: the name has another inode afterwards. */
    @Test
    void aRenamedFileCounts() throws IOException {
        Path policy = Files.writeString(folder.resolve("policy"), "1");
        FileChanges files = changes(policy);
        Files.move(
                Files.writeString(folder.resolve("new"), "2"),
                policy,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        files.poll();
        assertEquals(List.of("policy"), take());
    }

    /** A link to the file itself, as in {@code policy.json -> ..data/policy.json}. */
    @Test
    void aSwappedLinkCounts() throws IOException {
        Path link = folder.resolve("policy");
        Files.createSymbolicLink(link, Files.writeString(folder.resolve("one"), "1"));
        FileChanges files = changes(link);
        Path next = folder.resolve("next");
        Files.createSymbolicLink(next, Files.writeString(folder.resolve("two"), "2"));
        Files.move(next, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        files.poll();
        assertEquals(List.of("policy"), take());
        Files.delete(folder.resolve("two"));
        files.poll();
        assertEquals(List.of("policy"), take());
    }

    /**
     * A container that mounts a single file keeps its inode, as a hard link does: a write into the file counts, a file that
     * replaces it on the host does not reach the container. The manifests mount the folder for this reason.
     */
    @Test
    void aMountedFileCountsIfItIsWrittenInPlace() throws IOException {
        Path host = Files.writeString(folder.resolve("host"), "1");
        Path mount = Files.createLink(folder.resolve("mount"), host);
        FileChanges files = changes(mount);
        Files.writeString(host, "2");
        files.poll();
        assertEquals(List.of("mount"), take());
        Files.move(
                Files.writeString(folder.resolve("new"), "3"),
                host,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        files.poll();
        assertEquals(List.of(), take());
    }

    private FileChanges changes(Path file) {
        return new FileChanges(
                List.of(file),
                Duration.ofHours(1),
                Sleeper.REAL,
                changedFile -> changed.add(changedFile.getFileName().toString()),
                Thread::new);
    }
}
