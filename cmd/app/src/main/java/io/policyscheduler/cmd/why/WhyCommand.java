package io.policyscheduler.cmd.why;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.options.CommonOptions;
import io.policyscheduler.cmd.options.ExitCode;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PodNames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code why}: shows the recorded decisions of a running scheduler about a pod. */
@Command(
        name = "why",
        description = "Shows what a running scheduler decided about a pod, and why.",
        sortOptions = false,
        customSynopsis = "policy-scheduler why POD [-n NAMESPACE] [--url=URL] [OPTION...]",
        footer = {
            "",
            "why reports recorded decisions. explain makes a new one. The scheduler keeps its last decisions",
            "in memory (run --decision-history). The exit code is 0 if there is a decision, else 1.",
            "",
            "-o json prints the response of /debug/decisions?pod=NAMESPACE/NAME on the status port, as",
            "docs/schemas/why.schema.json describes. The last decision comes first. If \"found\" is 0,",
            "\"similar\" lists pods whose names start with POD."
        })
public final class WhyCommand implements Callable<Integer> {
    private static final int EARLIER = 20;

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "POD",
            description = "NAME, NAMESPACE/NAME, or pod/NAME. A unique prefix of the name is enough.")
    private String podName = "";

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAMESPACE",
            description = "Namespace of the pod (default: default, then all others).")
    private @Nullable String namespace;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of decisions to show, the last first, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int limit = 1;

    @Mixin
    private SchedulerAddress scheduler = new SchedulerAddress();

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Override
    public Integer call() {
        String name = podName.replaceFirst("^(?:pods?|po)/", "");
        boolean whole = name.contains("/");
        String pod = whole ? name : (namespace == null ? PodNames.DEFAULT_NAMESPACE : namespace) + "/" + name;
        if (!pod.matches("[^/]+/[^/]+")) {
            throw new ParameterException(spec.commandLine(), "POD: \"" + pod + "\" is not NAMESPACE/NAME");
        }
        if (limit < 1 || limit > 1000) {
            throw new ParameterException(spec.commandLine(), "--limit: " + limit + " is not from 1 to 1000");
        }
        try {
            scheduler.require();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        JsonNode answer = scheduler.decisions(pod, limit);
        List<String> similar = similar(answer, whole || namespace != null ? pod : "");
        if (similar.size() == 1) {
            answer = scheduler.decisions(similar.get(0), limit);
        } else if (!similar.isEmpty()) {
            throw new InputException(pod + " is ambiguous: " + String.join(", ", similar) + "; use the full name");
        }
        return print(pod, answer);
    }

    /** Pods that may be meant by one of which nothing is known. */
    private static List<String> similar(JsonNode answer, String begin) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : answer.path("similar")) {
            if (name.asText().startsWith(begin)) {
                names.add(name.asText());
            }
        }
        return names;
    }

    private int print(String pod, JsonNode answer) {
        boolean known = !answer.path("decisions").isEmpty();
        if (!known) {
            common.err().println("no decision about " + pod + " is recorded: " + recorded(answer));
            common.err().flush();
        }
        common.output().write(() -> print(answer), () -> answer);
        return known ? ExitCode.OK : ExitCode.NEGATIVE;
    }

    private void print(JsonNode answer) {
        DecisionText text = new DecisionText(common.out());
        JsonNode decisions = answer.path("decisions");
        decisions.forEach(text::print);
        JsonNode last = decisions.path(decisions.size() - 1);
        if (!last.hasNonNull("nominatedNode")) {
            return;
        }
        // The attempt that evicted pods is older than the one that used their room.
        for (JsonNode earlier :
                scheduler.decisions(last.path("pod").asText(), EARLIER).path("decisions")) {
            boolean isOlder =
                    earlier.path("number").asLong() < last.path("number").asLong();
            if (isOlder && earlier.path("preemption").isObject()) {
                text.earlierPreemption(earlier);
                return;
            }
        }
    }

    private static String recorded(JsonNode answer) {
        int kept = answer.path("kept").asInt();
        String decisions = kept == 0
                ? "the scheduler has recorded no decision yet"
                : "the scheduler has recorded " + kept + " decisions since "
                        + answer.path("since").asText();
        return decisions + " (run --decision-history keeps "
                + answer.path("capacity").asInt() + "); check the name, and spec.schedulerName of the pod";
    }
}
