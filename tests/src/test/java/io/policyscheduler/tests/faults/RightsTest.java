package io.policyscheduler.tests.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.kube.election.LeaderElectionConfig;
import io.policyscheduler.framework.scheduler.api.SchedulerOptions;
import io.policyscheduler.tests.e2e.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The roles of the manifest allow every call of a scheduler that binds, rejects, evicts, and leads. */
@Tag("faults")
@Timeout(120)
class RightsTest {
    private static final Path MANIFEST = Path.of("../policy-files/manifests/policy-scheduler.yaml");
    private static final Pattern RESOURCE =
            Pattern.compile("/(?:api|apis/([^/]+))/v[^/]+(?:/namespaces/[^/]+)?/([a-z]+)(?:/([^/]+))?(?:/([a-z]+))?");

    @Test
    void everyCallIsGranted() throws IOException {
        try (FaultFixture fixture = new FaultFixture()) {
            fixture.addNodes(1, "1");
            fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "low", 10));
            fixture.server().load(Manifest.priorityClass("scheduling.k8s.io/v1", "high", 1000));
            fixture.start(
                    FaultFixture.modern(),
                    SchedulerOptions.defaults(),
                    LeaderElectionConfig.defaults("kube-system", "policy-scheduler", "rights"));
            fixture.proxy().order(1, FaultFixture.binds(), new Fault.LostAnswer());
            fixture.server().load(Manifest.podWithPriority("low", "1", "low"));
            fixture.awaitBound("low");
            fixture.server().load(Manifest.podWithPriority("high", "1", "high"));
            fixture.awaitBound("high");
            Set<String> used = new TreeSet<>();
            fixture.proxy().calls().forEach(call -> {
                String right = right(call);
                if (!right.isEmpty()) {
                    used.add(right);
                }
            });
            assertTrue(
                    used.containsAll(Set.of(
                            "pods/binding create", "pods/status patch", "pods delete", "pods get", "events create")),
                    used::toString);
            used.removeAll(granted());
            assertEquals(Set.of(), used, "used, but not granted");
        }
    }

    private static String right(Call call) {
        Matcher path = RESOURCE.matcher(call.path());
        if (!path.matches()) {
            return "";
        }
        String group = path.group(1) == null ? "" : path.group(1) + "/";
        String resource = path.group(2) + (path.group(4) == null ? "" : "/" + path.group(4));
        String verb = switch (call.method()) {
            case "GET" -> call.isWatch() ? "watch" : path.group(3) == null ? "list" : "get";
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            default -> "delete";
        };
        return group + resource + " " + verb;
    }

    private static Set<String> granted() throws IOException {
        Set<String> granted = new TreeSet<>();
        YAMLFactory yaml = new YAMLFactory();
        new ObjectMapper(yaml)
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(Files.readString(MANIFEST))
                .forEachRemaining(document -> document.path("rules")
                        .forEach(rule -> rule.path("apiGroups")
                                .forEach(group -> rule.path("resources")
                                        .forEach(resource -> rule.path("verbs")
                                                .forEach(verb -> granted.add(
                                                        (group.asText().isEmpty() ? "" : group.asText() + "/")
                                                                + resource.asText() + " " + verb.asText()))))));
        return granted;
    }
}
