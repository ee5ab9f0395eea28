package io.policyscheduler.tests.refusals;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.EmbeddedControlPlane;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.tests.refusals.RefusedObjects.Asking;
import java.io.IOException;
import java.io.StringWriter;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded API server and the readers of manifests reject what a real server has rejected, with the same messages. */
class RefusalsTest {
    private static final Pattern RECORDED =
            Pattern.compile("(Pod|PersistentVolumeClaim) (\\S+): 4\\d\\d .*? is (\\w+): (.*)");
    private static final Pattern WARNING = Pattern.compile(".*W152 an API server would reject (\\w+ \\S+): (.*)");

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.20", "1.34", "1.36"})
    void theEmbeddedServerAnswersAsARealOne(String release) throws IOException, InterruptedException {
        try (EmbeddedControlPlane cluster =
                EmbeddedControlPlane.builder().release(Release.parse(release)).start()) {
            Asking server = Asking.embedded(cluster);
            assertEquals(lines(RefusedObjects.recorded(release)), lines(RefusedObjects.created(release, server)));
            assertEquals(
                    String.join("\n", RefusedChanges.recorded(release)),
                    String.join("\n", RefusedChanges.answers(release, server)));
        }
    }

    /**
     * Requests of all kinds have the recorded responses, except for those that {@code different-1.N.txt} lists with the response of
     * the embedded server. A request that has the recorded response again must leave that list.
     */
    @ParameterizedTest
    @ValueSource(strings = {"1.20", "1.34", "1.36"})
    void requestsHaveTheResponsesOfARealServer(String release) throws IOException, InterruptedException {
        boolean hasSteps = release.equals("1.20");
        List<String> recorded = new ArrayList<>(KindRequests.recorded(release));
        if (hasSteps) {
            recorded.addAll(StepRequests.recorded(release));
        }
        List<String> answers = new ArrayList<>();
        try (EmbeddedControlPlane cluster = EmbeddedControlPlane.builder()
                .release(Release.parse(release))
                .controllers(true)
                .start()) {
            // The recorded server has the objects of the earlier requests, for example the default PriorityClass.
            Asking server = Asking.embedded(cluster);
            RefusedObjects.created(release, server);
            RefusedChanges.answers(release, server);
            answers.addAll(KindRequests.answers(release, server));
            if (hasSteps) {
                answers.addAll(new StepRequests(cluster.url(), HttpClient.newHttpClient(), "any").answers());
            }
        }
        Set<String> known = Set.copyOf(recorded);
        List<String> different =
                answers.stream().filter(answer -> !known.contains(answer)).toList();
        Path list = RefusedObjects.FOLDER.resolve("different-" + release + ".txt");
        if (Boolean.getBoolean("renew")) {
            Files.write(list, different);
        }
        assertEquals(String.join("\n", Files.readAllLines(list)), String.join("\n", different));
    }

    private static String lines(List<String> lines) {
        return String.join("\n", RefusedObjects.ordered(lines));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.17", "1.20", "1.34", "1.36"})
    void manifestsAreLeftOutForTheSameReasons(String release, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("objects.json");
        Files.write(file, new ObjectMapper().writeValueAsBytes(RefusedObjects.all(release)));
        StringWriter err = new StringWriter();
        String decider = release.equals("1.17") ? "provider:DefaultProvider" : "modern";
        Main.run(
                new String[] {"simulate", "--cluster", file.toString(), "--decider", decider, "--release", release},
                new StringWriter(),
                err);
        List<String> actual = new ArrayList<>();
        for (String line : err.toString().split("\n", -1)) {
            Matcher matcher = WARNING.matcher(line);
            if (matcher.matches()) {
                actual.add(matcher.group(1) + ": " + matcher.group(2));
            }
        }
        List<String> recorded = new ArrayList<>();
        for (String line : RefusedObjects.recorded(release)) {
            Matcher matcher = RECORDED.matcher(line);
            // Manifests keep the priority of a pod that contradicts its class, or names a class that no file contains.
            if (matcher.matches()
                    && !matcher.group(4).matches(".*(PriorityClass|PreemptionPolicy|RuntimeClass|runtimeClass).*")) {
                recorded.add(matcher.group(1) + " " + matcher.group(2) + ": " + matcher.group(4));
            }
        }
        actual.sort(null);
        recorded.sort(null);
        assertEquals(lines(recorded), lines(actual));
    }
}
