package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.report.Progress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** Warnings, which are printed on stderr immediately and kept for the report. Thread-safe, except for {@link #all}. */
public final class Warnings implements Consumer<String> {
    /** Discards warnings, for a first pass that a second one repeats. */
    public static final Consumer<String> NONE = warning -> {};

    private final List<String> warnings = new ArrayList<>();
    private final Progress progress;

    public Warnings(Progress progress) {
        this.progress = progress;
    }

    /** Adds a line. A repeated one, such as for two schedulers of one release, is ignored. */
    @Override
    public synchronized void accept(String warning) {
        if (warnings.contains(warning)) {
            return;
        }
        warnings.add(warning);
        progress.note(warning.contains(": warning ") ? warning : "warning: " + warning);
    }

    /** All warnings so far, in order; grows. */
    public List<String> all() {
        return Collections.unmodifiableList(warnings);
    }
}
