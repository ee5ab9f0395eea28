package io.policyscheduler.cmd.report.html;

import java.time.Instant;
import java.util.List;

/**
 * Where a report comes from, so that a reader can make it again.
 *
 * @param when when it was made
 * @param version program and version
 * @param command the command line
 * @param files what was read, in the order of the command line
 */
public record Origin(Instant when, String version, String command, List<Source> files) {
    public Origin {
        files = List.copyOf(files);
    }

    /**
     * A file that was read.
     *
     * @param name as on the command line
     * @param sha256 of its content, in hexadecimal digits
     */
    public record Source(String name, String sha256) {}
}
