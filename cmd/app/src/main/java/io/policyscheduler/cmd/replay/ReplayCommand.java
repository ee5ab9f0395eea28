package io.policyscheduler.cmd.replay;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableList;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.replay.ReplayRun.ReplayResult;
import io.policyscheduler.cmd.replay.Replayer.ReplayRules;
import io.policyscheduler.cmd.report.Progress;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code replay}: works recorded decisions of kube-scheduler out again and compares. */
@Command(
        name = "replay",
        description = "Repeats recorded decisions of kube-scheduler and reports each difference. By default, these are"
                + " decisions of v1.17.",
        sortOptions = false,
        footer = {
            "",
            "The exit code is 0 if scenarios are compared and none differs, else 1.",
            "",
            "-o json prints a list with one element for each file and mode, as",
            "docs/schemas/replay.schema.json describes.",
            "",
            "--emit writes a JSON line {\"name\": \"taints/7\", \"outcome\": {...}} for each scenario. \"outcome\"",
            "has the format of expected.legacy, expected.framework, expected.modern, or expected.release in a",
            "recording. The scenarios then need no expected outcome."
        },
        customSynopsis = {
            "policy-scheduler replay FILE... [--mode=MODE] [--release=RELEASE]",
            "           [--only=NAME] [OPTION...]"
        })
public final class ReplayCommand implements Callable<Integer> {
    private static final int FEW = 3;

    /** The values of the option. */
    enum Mode {
        LEGACY(ImmutableList.of(ReplayMode.FUNCTIONS)),
        FRAMEWORK(ImmutableList.of(ReplayMode.FRAMEWORK)),
        MODERN(ImmutableList.of(ReplayMode.MODERN)),
        RELEASE(ImmutableList.of(ReplayMode.RELEASE)),
        BOTH(ImmutableList.of(ReplayMode.FUNCTIONS, ReplayMode.FRAMEWORK));

        private final ImmutableList<ReplayMode> modes;

        Mode(ImmutableList<ReplayMode> modes) {
            this.modes = modes;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Recordings, one scenario per line, plain or gzipped.")
    private List<Path> files = List.of();

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description =
                    "legacy: an implementation of 1.17 without plugins. framework: the plugins of 1.17. modern: the"
                            + " default plugins of --release (without it, of 1.34). release: for each scenario, the plugins of"
                            + " the release in its field \"release\" (default: legacy and framework, with --emit only framework).")
    private @Nullable Mode mode;

    @Option(
            names = "--emit",
            paramLabel = "OUT",
            description = "Write the outcomes to OUT instead of comparing them. - is stdout.")
    private @Nullable Path emit;

    @Option(names = "--provider", paramLabel = "NAME", description = "Use this algorithm provider for all scenarios.")
    private @Nullable String provider;

    @Option(
            names = "--release",
            paramLabel = "RELEASE",
            description =
                    "Release of the cluster, such as 1.34. Policies then honor newer fields, and replay places each"
                            + " pod on its node in the recording before it schedules the next pod. By default, policies follow 1.17"
                            + " (as with --strict-v1.17), and replay places each pod on the node of its own decision.")
    private @Nullable String release;

    @Option(names = "--only", paramLabel = "NAME", description = "Run only the scenario with this name. Repeatable.")
    private List<String> only = List.of();

    @Option(names = "--all", description = "Print all differences (default: the first " + FEW + " of each scenario).")
    private boolean all;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        if (emit != null && mode == Mode.BOTH) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--emit writes one mode: --mode legacy, --mode framework, --mode modern, or --mode release");
        }
        if (release != null && mode == Mode.RELEASE) {
            throw new ParameterException(
                    spec.commandLine(), "--release: --mode release takes the release from each scenario");
        }
        files.forEach(InputFiles::requireFile);
        try (Progress progress = common.progress(SteadyClock.system())) {
            ReplayRun run = new ReplayRun(rules(), Set.copyOf(only), progress::update);
            List<ReplayResult> results = new ArrayList<>();
            if (emit != null) {
                emit(run, emit, mode == null ? ReplayMode.FRAMEWORK : mode.modes.get(0));
            } else {
                for (Path file : files) {
                    results.addAll(compare(run, file));
                }
            }
            if (run.done() == 0) {
                throw new InputException(only.isEmpty() ? "no scenario in the files" : "no scenario named " + names());
            }
            progress.clear();
            return emit == null ? report(results) : ExitCode.OK;
        }
    }

    private ReplayRules rules() {
        if (release == null) {
            return ReplayRules.strict(provider);
        }
        try {
            return ReplayRules.inClusterOf(Release.parse(release), provider);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--release: " + e.getMessage(), e);
        }
    }

    private String names() {
        return String.join(" or ", only);
    }

    private List<ReplayResult> compare(ReplayRun run, Path file) {
        try {
            return run.compare(file, (mode == null ? Mode.BOTH : mode).modes);
        } catch (IOException e) {
            throw InputFiles.unreadable(file, e);
        }
    }

    private void emit(ReplayRun run, Path target, ReplayMode emitted) {
        if (target.toString().equals("-")) {
            emit(run, emitted, common.out());
            common.out().flush();
            return;
        }
        try (BufferedWriter out = Files.newBufferedWriter(target)) {
            emit(run, emitted, out);
        } catch (NoSuchFileException e) {
            throw new InputException("cannot write " + target + ": no such folder", e);
        } catch (IOException e) {
            throw new InputException("cannot write " + target + ": " + e.getMessage(), e);
        }
        common.err().println(run.done() + " outcomes written to " + target);
    }

    private void emit(ReplayRun run, ReplayMode emitted, Writer out) {
        for (Path file : files) {
            try {
                run.emit(file, emitted, out);
            } catch (IOException e) {
                throw InputFiles.unreadable(file, e);
            }
        }
    }

    private int report(List<ReplayResult> results) {
        common.output().write(() -> print(results), () -> json(results));
        if (results.stream().allMatch(result -> result.compared() == 0)) {
            common.err()
                    .println("error: no outcome compared: the recordings contain none of the compared modes; --mode"
                            + " release compares each scenario with the release that it names");
            return ExitCode.NEGATIVE;
        }
        boolean equal = results.stream().allMatch(result -> result.differences().isEmpty());
        return equal ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private void print(List<ReplayResult> results) {
        PrintWriter out = common.out();
        TextTable table = new TextTable()
                .text("FILE")
                .text("MODE")
                .number("SCENARIOS")
                .number("EQUAL")
                .number("DIFFERENT")
                .number("EXCEPTED")
                .number("SKIPPED");
        SortedMap<String, Integer> excepted = new TreeMap<>();
        SortedMap<String, Integer> skipped = new TreeMap<>();
        int compared = 0;
        int different = 0;
        for (ReplayResult result : results) {
            result.differences().forEach(difference -> print(out, result.mode(), difference));
            table.row(
                    result.file(),
                    result.mode().key(),
                    result.scenarios(),
                    result.equal(),
                    result.differences().size(),
                    sum(result.excepted()),
                    sum(result.skipped()));
            result.excepted().forEach((reason, count) -> excepted.merge(reason, count, Integer::sum));
            result.skipped().forEach((name, count) -> skipped.merge(name, count, Integer::sum));
            compared += result.compared();
            different += result.differences().size();
        }
        table.print(out);
        excepted.forEach((reason, count) -> out.println("excepted: " + count + ": " + reason));
        skipped.forEach((name, count) -> out.println("skipped: " + count + ": not built in: " + name));
        out.println(compared + " outcomes compared, " + different + " different");
    }

    private void print(PrintWriter out, ReplayMode shownMode, ReplayResult.Difference difference) {
        List<String> lines = difference.lines();
        out.println(difference.scenario() + " " + shownMode.key() + ": " + lines.size()
                + (lines.size() == 1 ? " difference" : " differences"));
        int shown = all ? lines.size() : Math.min(FEW, lines.size());
        lines.subList(0, shown).forEach(line -> out.println("    " + line));
        if (shown < lines.size()) {
            out.println("    ... " + (lines.size() - shown) + " more; --all shows them");
        }
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static ArrayNode json(List<ReplayResult> results) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (ReplayResult result : results) {
            ObjectNode node = list.addObject()
                    .put("file", result.file())
                    .put("mode", result.mode().key())
                    .put("scenarios", result.scenarios())
                    .put("equal", result.equal());
            result.excepted().forEach(node.putObject("excepted")::put);
            result.skipped().forEach(node.putObject("skipped")::put);
            ArrayNode differences = node.putArray("differences");
            for (ReplayResult.Difference difference : result.differences()) {
                ArrayNode lines = differences
                        .addObject()
                        .put("scenario", difference.scenario())
                        .putArray("lines");
                difference.lines().forEach(lines::add);
            }
        }
        return list;
    }
}
