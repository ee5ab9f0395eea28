package io.policyscheduler.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Programs of Kubernetes itself, where somebody has put them beside the repository; a test that needs them is skipped elsewhere. */
public final class RealPrograms {
    private static final Path FOLDER =
            RepositoryFiles.root().resolve("../shared/real").normalize();

    private RealPrograms() {}

    /** The program of this name, unpacked. */
    public static Path program(String name) throws IOException, InterruptedException {
        Path script = FOLDER.resolve("real.sh");
        assumeTrue(Files.isExecutable(script), "no real programs beside the repository: " + FOLDER);
        Process process = new ProcessBuilder(script.toString(), "path", name)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream out = process.getInputStream()) {
            String path = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (process.waitFor() != 0) {
                throw new IOException(script + " path " + name + " ended with " + process.exitValue());
            }
            return Path.of(path);
        }
    }
}
