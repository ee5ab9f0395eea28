package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link RuleFuzzTest} for a few seconds; the system property {@code rules.fuzz.seconds} sets another time. Not in every build, because
 * watching MVEL takes half a minute to begin with. Jazzer
 * runs in a process of its own, where it watches MVEL, too, and does not fill the build's output.
 */
@Tag("long")
class RuleBriefFuzzTest {
    private static final int SECONDS = Integer.getInteger("rules.fuzz.seconds", 6);
    private static final String WATCHED = "io.policyscheduler.**:org.mvel2.**";
    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in \\d+ second");
    private static final int PATIENCE_SECONDS = 120;

    @Test
    void refusesOrRuns(@TempDir Path folder) throws IOException, InterruptedException {
        Path seeds = Files.createDirectory(folder.resolve("seeds"));
        Path found = Files.createDirectory(folder.resolve("found"));
        int number = 0;
        for (String seed : RuleFuzzTarget.seeds()) {
            number++;
            Files.writeString(seeds.resolve("seed" + number), wellFormed(seed));
        }
        Path log = folder.resolve("jazzer.log");
        Process jazzer = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + RuleFuzzEntry.class.getName(),
                        "--instrumentation_includes=" + WATCHED,
                        "--custom_hook_includes=" + WATCHED,
                        "--reproducer_path=" + folder,
                        "-artifact_prefix=" + folder + "/",
                        "-max_total_time=" + SECONDS,
                        found.toString(),
                        seeds.toString()))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!jazzer.waitFor(SECONDS + PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            jazzer.destroyForcibly().waitFor();
        }
        String output = Files.readString(log);
        assertEquals(0, jazzer.exitValue(), output);
        Matcher done = DONE.matcher(output);
        assertTrue(done.find() && Integer.parseInt(done.group(1)) > number, output);
        System.out.println(done.group());
    }

    /** Lone surrogates cannot be stored as UTF-8. */
    private static String wellFormed(String text) {
        return text.codePoints()
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
