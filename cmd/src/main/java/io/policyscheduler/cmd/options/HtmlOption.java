package io.policyscheduler.cmd.options;

import io.policyscheduler.cmd.report.html.HtmlReport;
import io.policyscheduler.cmd.report.html.PageContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Picocli mixin: {@code --html}. */
public final class HtmlOption {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Also write an HTML report to FILE. The file is self-contained.")
    private @Nullable Path file;

    /** Returns whether a report is requested. */
    public boolean isGiven() {
        return file != null;
    }

    /**
     * Checks that the directory of the report exists.
     *
     * @throws InputException if it does not
     */
    public void check() {
        Path folder = file == null ? null : file.toAbsolutePath().getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            throw new InputException("--html " + file + ": no such folder: " + folder);
        }
    }

    /**
     * Writes the report, if it is requested.
     *
     * @param clock for the time of the report
     * @throws InputException if it cannot be written
     */
    public void write(InstantSource clock, Supplier<PageContent> content) {
        if (file == null) {
            return;
        }
        try {
            HtmlReport.write(file, content.get(), Origins.of(spec, clock.instant()));
        } catch (IOException e) {
            throw new InputException("cannot write " + file + ": " + e, e);
        }
    }
}
