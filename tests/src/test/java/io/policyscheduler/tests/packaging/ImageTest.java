package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The image, unpacked and run as its configuration says, in kernel namespaces without a container engine. */
@Timeout(180)
class ImageTest {
    private static final Pattern NAME = Pattern.compile("jib-image\\.tar");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path folder = Path.of("");

    private static JsonNode image = JSON.nullNode();
    private static Path root = Path.of("");

    @BeforeAll
    static void unpack() throws IOException {
        Path archive = Built.file(NAME, "image");
        Path layout = Files.createDirectory(folder.resolve("layout"));
        root = Files.createDirectory(folder.resolve("root"));
        untar("-xf", archive, layout);
        JsonNode index = JSON.readTree(layout.resolve("index.json").toFile());
        JsonNode manifest = JSON.readTree(blob(layout, index.at("/manifests/0")).toFile());
        image = JSON.readTree(blob(layout, manifest.path("config")).toFile());
        assumeTrue(
                image.at("/rootfs/diff_ids").size() == manifest.path("layers").size(),
                "the base image is not in the archive");
        for (JsonNode layer : manifest.path("layers")) {
            untar("-xzf", blob(layout, layer), root);
        }
    }

    private static void untar(String how, Path archive, Path into) {
        List<String> line = List.of(
                Built.tool("tar"), how, archive.toString(), "-C", into.toString(), "--warning=no-unknown-keyword");
        assertEquals(new Command(0, "", ""), Command.run(folder, System.getenv(), line));
    }

    private static Path blob(Path layout, JsonNode descriptor) {
        return layout.resolve("blobs")
                .resolve(descriptor.path("digest").asText().replace(':', '/'));
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    /** Starts it as a container engine would: with its user, folder, environment, /proc, and a read-only file system. */
    private static Command start(String... arguments) throws IOException {
        JsonNode config = image.path("config");
        String user = config.path("User").asText().replaceAll(":.*", "");
        Files.createDirectories(root.resolve("proc"));
        List<String> namespaces = List.of(
                Built.tool("unshare"),
                "--user",
                "--map-user=" + user,
                "--map-group=" + user,
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc=/proc",
                "--root=" + root,
                "--wd=" + config.path("WorkingDir").asText());
        List<String> probe = new ArrayList<>(List.of(Built.tool("unshare"), "--user", "--pid", "--fork", "true"));
        assumeTrue(Command.run(folder, System.getenv(), probe).code() == 0, "this machine lets nobody make namespaces");
        List<String> line = new ArrayList<>(namespaces);
        line.addAll(texts(config.path("Entrypoint")));
        line.addAll(List.of(arguments));
        return Command.run(folder, Map.of("LANG", "C.UTF-8"), line);
    }

    @Test
    void isOfAUserWithoutRightsAndTellsWhatItIs() {
        JsonNode config = image.path("config");
        assertEquals("65532:65532", config.path("User").asText());
        assertEquals(List.of("/opt/policy-scheduler/bin/policy-scheduler"), texts(config.path("Entrypoint")));
        assertEquals(List.of("run"), texts(config.path("Cmd")));
        assertEquals("1970-01-01T00:00:00Z", image.path("created").asText());
        JsonNode labels = config.path("Labels");
        assertTrue(labels.path("org.opencontainers.image.version").asText().matches("\\d.*"), labels::toString);
        assertTrue(
                labels.path("org.opencontainers.image.revision").asText().matches("[0-9a-f]{40}|unknown"),
                labels::toString);
    }

    @Test
    void startsOnAFileSystemThatItMayOnlyRead() throws IOException {
        Command run = start("--version");

        JsonNode labels = image.at("/config/Labels");
        String commit = labels.path("org.opencontainers.image.revision").asText();
        assertEquals(
                new Command(
                        0,
                        "policy-scheduler "
                                + labels.path("org.opencontainers.image.version")
                                        .asText() + " (commit " + commit + ")\n",
                        ""),
                run);
        Command demo = start("demo");
        assertEquals(0, demo.code(), demo::toString);
    }

    @Test
    void takesItsClassesFromTheArchive() throws IOException {
        Path options = root.resolve("opt/policy-scheduler/lib/app/policy-scheduler.cfg");
        String before = Files.readString(options);
        // The last of several equal options counts: without the archive, the program would not start.
        Files.writeString(options, before + "java-options=-Xshare:on\n");
        try {
            Command run = start("--version");
            assertEquals(new Command(0, run.out(), ""), run);
        } finally {
            Files.writeString(options, before);
        }
    }

    /** Scanners look up vulnerabilities in the version, and users the license. */
    @Test
    void describesThePackagesOfItsLibraries() throws IOException {
        assumeTrue(
                Files.isDirectory(root.resolve("var/lib/dpkg/status.d")),
                "built on a machine without dpkg, or on a base image");
        assertTrue(Files.readString(root.resolve("etc/os-release")).contains("VERSION_ID="));
        List<String> packages = List.of(Objects.requireNonNull(
                root.resolve("var/lib/dpkg/status.d").toFile().list()));
        assertTrue(packages.contains("libc6"), packages::toString);
        for (String name : packages) {
            assertTrue(
                    Files.readString(root.resolve("var/lib/dpkg/status.d/" + name))
                            .contains("\nVersion: "),
                    name);
            assertTrue(Files.size(root.resolve("usr/share/doc/" + name + "/copyright")) > 0, name);
        }
    }
}
