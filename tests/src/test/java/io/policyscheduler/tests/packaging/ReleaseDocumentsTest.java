package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The SBOMs and the provenance that {@code .ci/release} writes. */
class ReleaseDocumentsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> SBOMS = List.of("", "image-amd64-", "chart-", "kustomize-");
    private static final String DIGEST = "sha256:" + "0a".repeat(32);
    private static final String LIBRARIES = """
            {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
             "serialNumber": "urn:uuid:96fe3730-4cee-35b2-b7ca-847c37128d27",
             "metadata": {"component": {"type": "library", "bom-ref": "pkg:maven/a/cmd-app@1.2.3", "name": "cmd-app", "version": "1.2.3"}},
             "components": [{"type": "library", "bom-ref": "pkg:maven/b/guava@33", "name": "guava", "version": "33"}],
             "dependencies": [{"ref": "pkg:maven/a/cmd-app@1.2.3", "dependsOn": ["pkg:maven/b/guava@33"]},
                              {"ref": "pkg:maven/b/guava@33", "dependsOn": []}]}""";

    private final Path folder;
    private final Path out;

    ReleaseDocumentsTest(@TempDir Path folder) throws IOException {
        this.folder = folder;
        this.out = Files.createDirectory(folder.resolve("out"));
        for (String file : List.of("image-amd64.tar", "chart.tgz", "kustomize.tar.gz")) {
            Files.writeString(out.resolve("policy-scheduler-1.2.3-" + file), file);
        }
    }

    private static void run(String... arguments) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                RepositoryFiles.root().resolve(".ci/ReleaseDocuments.java").toString()));
        line.addAll(List.of(arguments));
        assertEquals(new Command(0, "", ""), Command.run(RepositoryFiles.root(), Map.of(), line));
    }

    private void writeSboms() throws IOException {
        Path root = folder.resolve("root");
        Path packages = Files.createDirectories(root.resolve("var/lib/dpkg/status.d"));
        Files.writeString(
                packages.resolve("libc6"),
                "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9+deb12u14~1\n");
        Files.writeString(
                Files.createDirectory(root.resolve("etc")).resolve("os-release"), "ID=debian\nVERSION_ID=\"12\"\n");
        Path libraries = Files.writeString(folder.resolve("sbom.json"), LIBRARIES);
        run("sbom", libraries.toString(), "1.2.3", out.toString(), "amd64", DIGEST, root.toString());
    }

    private JsonNode sbom(String name) throws IOException {
        return JSON.readTree(
                out.resolve("policy-scheduler-1.2.3-" + name + "sbom.json").toFile());
    }

    private static List<String> texts(JsonNode array, String field) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.path(field).asText()));
        return texts;
    }

    /** A document with a reference to nothing, or with the serial number of another one, is not valid CycloneDX. */
    @Test
    void referencesLeadToComponentsAndSerialNumbersDiffer() throws IOException {
        writeSboms();
        Set<String> serials = new TreeSet<>();
        for (String name : SBOMS) {
            JsonNode sbom = sbom(name);
            serials.add(sbom.path("serialNumber").asText());
            List<String> refs = texts(sbom.path("components"), "bom-ref");
            refs.add(sbom.at("/metadata/component/bom-ref").asText());
            assertEquals(refs.size(), new TreeSet<>(refs).size(), () -> name + " has equal references: " + refs);
            for (JsonNode dependency : sbom.path("dependencies")) {
                assertTrue(refs.contains(dependency.path("ref").asText()), () -> name + ": " + dependency);
                dependency
                        .path("dependsOn")
                        .forEach(part -> assertTrue(refs.contains(part.asText()), () -> name + ": " + part));
            }
        }
        assertEquals(SBOMS.size(), serials.size(), serials::toString);
    }

    @Test
    void imageHasTheProgramTheRuntimeAndThePackagesOfItsLibraries() throws IOException {
        writeSboms();
        JsonNode image = sbom("image-amd64-");
        assertEquals(
                List.of("cmd-app", "guava", System.getProperty("java.vm.name"), "libc6"),
                texts(image.path("components"), "name"));
        assertEquals(
                "pkg:deb/debian/libc6@2.36-9%2Bdeb12u14~1?arch=amd64&distro=debian-12",
                image.at("/components/3/purl").asText());
        assertEquals(
                "pkg:oci/policy-scheduler@sha256%3A" + "0a".repeat(32) + "?arch=amd64&tag=1.2.3",
                image.at("/metadata/component/purl").asText());
    }

    @Test
    void chartAndKustomizationConsistOfTheImage() throws IOException {
        writeSboms();
        String image = sbom("image-amd64-").at("/metadata/component/purl").asText();
        for (String name : List.of("chart-", "kustomize-")) {
            JsonNode sbom = sbom(name);
            assertEquals(List.of(image), texts(sbom.path("components"), "purl"), name);
            assertEquals(image, sbom.at("/dependencies/0/dependsOn/0").asText(), name);
            assertTrue(sbom.at("/metadata/component/hashes/0/content").asText().matches("[0-9a-f]{64}"), name);
        }
    }

    @Test
    void provenanceHasTheDigestOfEachFile() throws IOException {
        run("provenance", out.toString(), "1.2.3", "https://e.example/v1.2.3", "0".repeat(40), "2026-11-28T03:12:00Z");
        JsonNode statement = JSON.readTree(
                out.resolve("policy-scheduler-1.2.3-provenance.json").toFile());
        assertEquals(
                List.of(
                        "policy-scheduler-1.2.3-chart.tgz",
                        "policy-scheduler-1.2.3-image-amd64.tar",
                        "policy-scheduler-1.2.3-kustomize.tar.gz"),
                texts(statement.path("subject"), "name"));
        assertTrue(statement.at("/subject/0/digest/sha256").asText().matches("[0-9a-f]{64}"));
        assertEquals(
                ".ci/release 1.2.3 --url https://e.example/v1.2.3",
                statement
                        .at("/predicate/buildDefinition/externalParameters/command")
                        .asText());
    }
}
