package io.policyscheduler.cmd.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.cmd.embedded.api.ResourceType;
import io.policyscheduler.cmd.snapshot.Dump.Kind;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DumpKindTest {
    private static final Path ROOT = Path.of("../..");
    private static final String COMMAND = "kubectl get " + Kind.kubectlList() + " -A -o json > dump.json";

    /** Pages have it in one line, help in several. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/tasks/offline.md"})
    void pagesHaveTheCommandThatPrintsAllKinds(String page) throws IOException {
        String text = Files.readString(ROOT.resolve(page));
        assertTrue(text.contains(COMMAND), COMMAND);
    }

    @Test
    void helpHasTheCommandThatPrintsAllKinds() {
        StringWriter out = new StringWriter();
        Main.run(new String[] {"simulate", "-h"}, out, new StringWriter());
        String help = out.toString().replaceAll("\\\\\\s+", "");
        assertTrue(help.contains(COMMAND), help);
    }

    @Test
    void whoTakesADumpMayListEveryKindAndNothingElse() throws IOException {
        Set<String> expected = Kind.all().stream()
                .map(kind -> kind.plural() + "." + kind.group())
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(expected, listed(ROOT.resolve("policy-files/deploy/dump/rights.yaml")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rights/cluster-role.yaml", "reader/rights.yaml"})
    void whoDecidesMayListWhatDecisionsRead(String role) throws IOException {
        Set<String> expected = WatchedResource.all().stream()
                .map(kind -> kind.resource() + "." + kind.group())
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(expected, listed(ROOT.resolve("policy-files/deploy").resolve(role)));
    }

    private static Set<String> listed(Path role) throws IOException {
        Set<String> listed = new TreeSet<>();
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        try (MappingIterator<JsonNode> documents =
                yaml.readerFor(JsonNode.class).readValues(role.toFile())) {
            while (documents.hasNextValue()) {
                for (JsonNode rule : documents.nextValue().path("rules")) {
                    if (!rule.path("verbs").toString().contains("\"list\"")) {
                        continue;
                    }
                    rule.path("resources")
                            .forEach(resource -> listed.add(resource.asText() + "."
                                    + rule.path("apiGroups").path(0).asText()));
                }
            }
        }
        return listed;
    }

    @Test
    void serversOfTheNewestReleaseHaveThemUnderTheseNames() {
        List<ResourceType> served = new ResourceCatalog(Release.V1_34).types();
        for (Kind kind : Kind.all()) {
            ResourceType type = served.stream()
                    .filter(one ->
                            one.group().equals(kind.group()) && one.plural().equals(kind.plural()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("not served: " + kind));
            assertEquals(kind.objectKind(), type.kind());
            assertTrue(
                    kind.kubectlName().equals(kind.plural())
                            || type.shortNames().contains(kind.kubectlName()),
                    kind::toString);
        }
    }
}
