package io.policyscheduler.cmd.run;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.policyscheduler.cmd.history.RunReplay;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.CommonOptions.WithoutFormat;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.report.Progress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code lab replay}: makes the decisions of a recording of {@code run} again. */
@Command(
        name = "replay",
        modelTransformer = WithoutFormat.class,
        description = "Replays a recording of run --record on a virtual clock, and compares each decision with the"
                + " recorded one.",
        sortOptions = false,
        customSynopsis = "policy-scheduler lab replay DIR [OPTION...]",
        footer = {
            "",
            "The replay uses the policies and the flags that the recording contains. It sends no request. It",
            "compares pods, their order, nodes, scores, messages, and victims, and prints the first 20 differences.",
            "The last line contains the number of decisions and of differences. Exit code 1: there are differences."
        })
public final class LabReplayCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", description = "Directory that run --record has written.")
    private Path folder = Path.of("");

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        common.requireNoFormat("its last line contains the result");
        RunReplay.Result result;
        try (Progress progress = common.progress(SteadyClock.system())) {
            Path files = Files.createTempDirectory("policy-scheduler-replay");
            try {
                result = new RunReplay(
                                folder,
                                new RunSources.Recorded(files),
                                count -> progress.count("decisions", (int) Math.min(Integer.MAX_VALUE, count), 0))
                        .run();
            } finally {
                MoreFiles.deleteRecursively(files, RecursiveDeleteOption.ALLOW_INSECURE);
            }
        } catch (IOException | UncheckedIOException e) {
            throw new InputException(String.valueOf(e.getMessage()), e);
        }
        print(result, common.out());
        return result.different() == 0 ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private static void print(RunReplay.Result result, PrintWriter out) {
        for (RunReplay.Difference difference : result.differences()) {
            out.println(difference.time() + " iteration " + difference.iteration());
            out.println("  recorded: " + shown(difference.recorded()));
            out.println("  replayed: " + shown(difference.replayed()));
        }
        result.notes().forEach(note -> out.println("note: " + note));
        out.println("compared " + result.decisions() + " decisions in "
                + (result.parts() == 1 ? "1 part" : result.parts() + " parts") + ": " + result.different()
                + " differ");
        out.flush();
    }

    private static String shown(String decision) {
        return decision.isEmpty() ? "no decision" : decision;
    }
}
