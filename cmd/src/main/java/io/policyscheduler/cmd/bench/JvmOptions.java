package io.policyscheduler.cmd.bench;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.regex.Pattern;

/** The JVM options of this process that affect measurements. */
final class JvmOptions {
    /** Options of the launcher for class data sharing, logging, and errors. They do not affect a warm process. */
    private static final Pattern WITHOUT_EFFECT = Pattern.compile("-Xshare:.*|-Xlog:.*|-XX:SharedArchiveFile=.*"
            + "|-XX:AOTCache=.*|-XX:ArchiveRelocationMode=.*|-XX:\\+UnlockDiagnosticVMOptions|-XX:-DisplayVMOutput"
            + "|-XX:\\+ExitOnOutOfMemoryError|-XX:OnOutOfMemoryError=.*");

    private JvmOptions() {}

    /** Returns the line that {@code bench} prints about them. */
    static String note() {
        return note(ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    static String note(List<String> arguments) {
        List<String> shown = arguments.stream()
                .filter(option -> option.startsWith("-X"))
                .filter(option -> !WITHOUT_EFFECT.matcher(option).matches())
                .toList();
        return shown.isEmpty()
                ? "note: measured with the default JVM options"
                : "note: measured with the JVM options " + String.join(" ", shown);
    }
}
