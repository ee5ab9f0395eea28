import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes the documents of a release: a CycloneDX SBOM for the archive, for the image (which adds the Java runtime), for the chart, and for
 * the kustomizations, and the provenance of all files in the form of SLSA 1.0. {@code .ci/release} runs it as a source file.
 */
final class ReleaseDocuments {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ReleaseDocuments() {}

    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "sbom" -> sboms(Path.of(arguments[1]), arguments[2], Path.of(arguments[3]), arguments[4]);
            case "provenance" -> provenance(Path.of(arguments[1]), arguments[2], arguments[3], arguments[4]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** {@code libraries} is the SBOM that the build makes of the dependencies. */
    private static void sboms(Path libraries, String version, Path folder, String arch) throws IOException {
        String name = "policy-scheduler-" + version;
        write(folder.resolve(name + "-sbom.json"), (ObjectNode) JSON.readTree(libraries.toFile()));

        ObjectNode image = (ObjectNode) JSON.readTree(libraries.toFile());
        subject(image, "container", "pkg:oci/policy-scheduler@" + version + "?arch=" + arch, version);
        ObjectNode runtime = image.withArray("components").addObject();
        runtime.put("type", "platform");
        runtime.put("name", System.getProperty("java.vm.vendor") + " " + System.getProperty("java.vm.name"));
        runtime.put("version", Runtime.version().toString());
        write(folder.resolve(name + "-image-" + arch + "-sbom.json"), image);

        for (String type : List.of("helm", "generic")) {
            ObjectNode manifests = (ObjectNode) JSON.readTree(libraries.toFile());
            subject(manifests, "application", "pkg:" + type + "/policy-scheduler@" + version, version);
            ObjectNode used = manifests.putArray("components").addObject();
            used.put("type", "container");
            used.put("bom-ref", "pkg:oci/policy-scheduler@" + version);
            used.put("name", "policy-scheduler");
            used.put("version", version);
            used.put("purl", "pkg:oci/policy-scheduler@" + version);
            manifests.remove("dependencies");
            write(folder.resolve(name + (type.equals("helm") ? "-chart" : "-kustomize") + "-sbom.json"), manifests);
        }
    }

    private static void subject(ObjectNode bom, String type, String purl, String version) {
        ObjectNode subject = ((ObjectNode) bom.get("metadata")).putObject("component");
        subject.put("type", type);
        subject.put("bom-ref", purl);
        subject.put("name", "policy-scheduler");
        subject.put("version", version);
        subject.put("purl", purl);
    }

    private static void provenance(Path folder, String version, String commit, String started) throws IOException {
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
        external.put("command", ".ci/release " + version);
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
