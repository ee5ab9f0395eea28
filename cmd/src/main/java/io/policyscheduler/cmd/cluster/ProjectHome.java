package io.policyscheduler.cmd.cluster;

import io.policyscheduler.cmd.options.InputException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the program's own files are: the folder that holds {@code policy-files}. */
final class ProjectHome {
    /** Set by the launcher. */
    private static final String PROPERTY = "policyscheduler.home";

    private ProjectHome() {}

    /**
     * The folder told by the launcher, else the nearest one above the working directory.
     *
     * @throws InputException when there is none
     */
    static Path find() {
        String told = System.getProperty(PROPERTY);
        if (told != null && Files.isDirectory(Path.of(told, "policy-files"))) {
            return Path.of(told);
        }
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve("policy-files/demo"))) {
                return dir;
            }
        }
        throw new InputException(
                "no directory policy-files in the current directory or above it; start the program with cmd/policy-scheduler");
    }
}
