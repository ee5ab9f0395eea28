package io.policyscheduler.tests.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The result of a program of this machine. */
public record Command(int code, String out, String err) {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The same with a limit of 60 s. */
    public static Command run(Path folder, Map<String, String> environment, List<String> line) {
        return run(folder, environment, line, LIMIT);
    }

    /**
     * Runs a program until it ends.
     *
     * @param folder its working directory
     * @param environment its environment variables
     * @param limit the time after which it counts as hanging
     */
    public static Command run(Path folder, Map<String, String> environment, List<String> line, Duration limit) {
        try {
            Path out = Files.createTempFile("out", ".txt");
            Path err = Files.createTempFile("err", ".txt");
            try {
                ProcessBuilder builder = new ProcessBuilder(line)
                        .directory(folder.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
                builder.environment().clear();
                builder.environment().putAll(environment);
                Process process = builder.start();
                process.getOutputStream().close();
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                    throw new IllegalStateException(
                            line + " hangs; so far: " + Files.readString(out) + Files.readString(err));
                }
                return new Command(process.exitValue(), Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
