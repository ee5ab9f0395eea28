package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.report.Progress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** What is probably not meant: told on stderr at once, and kept for the report. Not thread-safe. */
public final class Warnings implements Consumer<String> {
    /** For a first look, which a second one repeats. */
    public static final Consumer<String> UNHEARD = warning -> {};

    private final List<String> warnings = new ArrayList<>();
    private final Progress progress;

    public Warnings(Progress progress) {
        this.progress = progress;
    }

    /** Adds a line. A repeated one, such as for two schedulers of one release, is ignored. */
    @Override
    public void accept(String warning) {
        if (warnings.contains(warning)) {
            return;
        }
        warnings.add(warning);
        progress.note(warning.contains(": warning ") ? warning : "warning: " + warning);
    }

    /** What has been told, in order; grows. */
    public List<String> all() {
        return Collections.unmodifiableList(warnings);
    }
}
