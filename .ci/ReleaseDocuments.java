import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes the documents of a release: a CycloneDX SBOM for the archive, for the image (which adds the Java runtime and the packages
 * of its C library), for the chart, and for the kustomizations, and the provenance of all files in the form of SLSA 1.0. {@code .ci/release} runs it as a source file.
 */
final class ReleaseDocuments {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ReleaseDocuments() {}

    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "sbom" ->
                sboms(
                        Path.of(arguments[1]),
                        arguments[2],
                        Path.of(arguments[3]),
                        arguments[4],
                        arguments[5],
                        Path.of(arguments[6]));
            case "provenance" ->
                provenance(Path.of(arguments[1]), arguments[2], arguments[3], arguments[4], arguments[5]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /**
     * @param libraries the SBOM that the build makes of the program and its dependencies
     * @param digest of the image, sha256:HEX
     * @param root the files of the image; for each package of the machine, its status is in var/lib/dpkg/status.d
     */
    private static void sboms(Path libraries, String version, Path folder, String arch, String digest, Path root)
            throws IOException {
        String name = "policy-scheduler-" + version;
        write(folder.resolve(name + "-sbom.json"), (ObjectNode) JSON.readTree(libraries.toFile()));

        String image = "pkg:oci/policy-scheduler@" + digest.replace(":", "%3A") + "?arch=" + arch + "&tag=" + version;
        ObjectNode contents = (ObjectNode) JSON.readTree(libraries.toFile());
        ArrayNode components = contents.withArray("components");
        ObjectNode program = (ObjectNode) contents.at("/metadata/component");
        components.insert(0, program);
        ArrayNode parts =
                subject(contents, "container", image, version, folder.resolve(name + "-image-" + arch + ".tar"));
        parts.add(program.path("bom-ref").asText());
        ObjectNode runtime = component(
                components,
                "platform",
                "java-runtime",
                System.getProperty("java.vm.name"),
                Runtime.version().toString());
        runtime.put("publisher", System.getProperty("java.vm.vendor"));
        runtime.putArray("licenses").addObject().put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
        parts.add("java-runtime");
        for (Path status : packages(root)) {
            String text = Files.readString(status);
            String ref = "pkg:deb/" + osRelease(root, "ID") + "/" + field(text, "Package") + "@"
                    + URLEncoder.encode(field(text, "Version"), StandardCharsets.UTF_8)
                            .replace("%7E", "~") + "?arch=" + field(text, "Architecture")
                    + "&distro=" + osRelease(root, "ID") + "-" + osRelease(root, "VERSION_ID");
            component(components, "library", ref, field(text, "Package"), field(text, "Version"))
                    .put("purl", ref);
            parts.add(ref);
        }
        write(folder.resolve(name + "-image-" + arch + "-sbom.json"), contents);

        for (String type : List.of("helm", "generic")) {
            String file = name + (type.equals("helm") ? "-chart" : "-kustomize");
            ObjectNode manifests = (ObjectNode) JSON.readTree(libraries.toFile());
            manifests.putArray("dependencies");
            Path archive = folder.resolve(file + (type.equals("helm") ? ".tgz" : ".tar.gz"));
            subject(manifests, "application", "pkg:" + type + "/policy-scheduler@" + version, version, archive)
                    .add(image);
            component(manifests.putArray("components"), "container", image, "policy-scheduler", version)
                    .put("purl", image);
            write(folder.resolve(file + "-sbom.json"), manifests);
        }
    }

    /** The status files of the packages in the image; empty if its base has its own packages. */
    private static List<Path> packages(Path root) throws IOException {
        Path folder = root.resolve("var/lib/dpkg/status.d");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static String field(String status, String name) {
        return first("(?m)^" + name + ": (.*)$", status);
    }

    private static String osRelease(Path root, String name) throws IOException {
        return first("(?m)^" + name + "=\"?([^\"\n]*)", Files.readString(root.resolve("etc/os-release")));
    }

    private static String first(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new IllegalArgumentException("no " + pattern + " in " + text);
        }
        return matcher.group(1);
    }

    private static ObjectNode component(ArrayNode components, String type, String ref, String name, String version) {
        return components
                .addObject()
                .put("type", type)
                .put("bom-ref", ref)
                .put("name", name)
                .put("version", version);
    }

    /** Makes the file the subject of an SBOM with its own serial number, and returns the references to its direct parts, to be filled. */
    private static ArrayNode subject(ObjectNode bom, String type, String purl, String version, Path file)
            throws IOException {
        String own = bom.path("serialNumber").asText() + file.getFileName();
        bom.put("serialNumber", "urn:uuid:" + UUID.nameUUIDFromBytes(own.getBytes(StandardCharsets.UTF_8)));
        ObjectNode subject = ((ObjectNode) bom.get("metadata")).putObject("component");
        subject.put("type", type)
                .put("bom-ref", purl)
                .put("name", "policy-scheduler")
                .put("version", version)
                .put("purl", purl);
        subject.putArray("hashes").addObject().put("alg", "SHA-256").put("content", sha256(file));
        return bom.withArray("dependencies").addObject().put("ref", purl).putArray("dependsOn");
    }

    private static void provenance(Path folder, String version, String url, String commit, String started)
            throws IOException {
        ObjectNode statement = JSON.createObjectNode();
        statement.put("_type", "https://in-toto.io/Statement/v1");
        ArrayNode subjects = statement.putArray("subject");
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                ObjectNode subject = subjects.addObject();
                subject.put("name", file.getFileName().toString());
                subject.putObject("digest").put("sha256", sha256(file));
            }
        }
        statement.put("predicateType", "https://slsa.dev/provenance/v1");
        ObjectNode predicate = statement.putObject("predicate");
        ObjectNode definition = predicate.putObject("buildDefinition");
        definition.put("buildType", "https://maven.apache.org/");
        ObjectNode external = definition.putObject("externalParameters");
        external.put("command", ".ci/release " + version + " --url " + url);
        ObjectNode internal = definition.putObject("internalParameters");
        internal.put("java", Runtime.version().toString());
        ObjectNode source = definition.putArray("resolvedDependencies").addObject();
        source.put("name", "source");
        source.putObject("digest").put("gitCommit", commit);
        ObjectNode run = predicate.putObject("runDetails");
        String server = System.getenv("GITHUB_SERVER_URL");
        run.putObject("builder").put("id", server == null ? "local" : server + "/actions/runner");
        ObjectNode metadata = run.putObject("metadata");
        metadata.put("startedOn", started);
        metadata.put("finishedOn", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        write(folder.resolve("policy-scheduler-" + version + "-provenance.json"), statement);
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void write(Path file, ObjectNode document) throws IOException {
        Files.writeString(file, JSON.writeValueAsString(document) + "\n");
    }
}
