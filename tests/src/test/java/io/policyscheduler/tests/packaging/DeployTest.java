package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests are complete: every file is used, and every reference to another object resolves. */
class DeployTest {
    private static final Path DEPLOY = Kustomizations.folder();
    /** Read by a kubelet, not by kustomize. */
    private static final Path STATIC_POD = DEPLOY.resolve("overlays/static-pod/kube-scheduler.yaml");

    private static final Path MANIFEST = RepositoryFiles.root().resolve("policy-files/manifests/policy-scheduler.yaml");

    static List<String> overlays() throws IOException {
        try (Stream<Path> folders = Files.list(DEPLOY.resolve("overlays"))) {
            return folders.map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    private static List<JsonNode> pods(List<JsonNode> objects) {
        List<JsonNode> pods = new ArrayList<>();
        for (JsonNode object : objects) {
            for (String place : List.of("/spec/template", "/spec/jobTemplate/spec/template")) {
                if (!object.at(place).isMissingNode()) {
                    pods.add(object.at(place));
                }
            }
        }
        return pods;
    }

    @Test
    void everyFileBelongsToAnOverlayOrComponent() throws IOException {
        Set<Path> listed = new TreeSet<>(Set.of(STATIC_POD));
        for (String overlay : overlays()) {
            listed.addAll(Kustomizations.files(DEPLOY.resolve("overlays").resolve(overlay)));
        }
        try (Stream<Path> components = Files.list(DEPLOY.resolve("components"))) {
            components.forEach(component -> listed.addAll(Kustomizations.files(component)));
        }
        listed.addAll(Kustomizations.files(DEPLOY.resolve("dump")));
        listed.addAll(Kustomizations.files(DEPLOY.resolve("lab")));
        Set<Path> there = new TreeSet<>();
        try (Stream<Path> files = Files.walk(DEPLOY)) {
            files.filter(Files::isRegularFile)
                    .filter(file ->
                            !file.startsWith(DEPLOY.resolve("helm")) && !file.startsWith(DEPLOY.resolve("krew")))
                    .forEach(there::add);
        }
        assertEquals(listed, there);
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void everyNameLeadsToAnObject(String overlay) {
        List<JsonNode> objects = Kustomizations.overlay(overlay);
        Map<String, JsonNode> named = Kustomizations.byName(objects);
        List<String> required = new ArrayList<>();
        for (JsonNode object : objects) {
            if (object.has("roleRef")) {
                String namespace = object.at("/roleRef/kind").asText().equals("Role")
                        ? object.at("/metadata/namespace").asText()
                        : "";
                required.add(object.at("/roleRef/kind").asText() + " " + namespace + "/"
                        + object.at("/roleRef/name").asText());
                for (JsonNode subject : object.path("subjects")) {
                    if (subject.path("kind").asText().equals("ServiceAccount")) {
                        required.add(
                                "ServiceAccount " + subject.path("namespace").asText() + "/"
                                        + subject.path("name").asText());
                    }
                }
            }
        }
        for (JsonNode pod : pods(objects)) {
            required.add("ServiceAccount kube-system/"
                    + pod.at("/spec/serviceAccountName").asText());
            for (JsonNode volume : pod.at("/spec/volumes")) {
                if (volume.has("configMap")) {
                    required.add("ConfigMap kube-system/"
                            + volume.at("/configMap/name").asText());
                }
            }
        }
        assertFalse(required.isEmpty());
        required.removeAll(named.keySet());
        if (!overlay.startsWith("second-scheduler")) {
            // These overlays use the policy that is there. Applying or deleting them must not replace or delete it.
            required.remove("ConfigMap kube-system/policy-scheduler-policy");
            assertFalse(named.containsKey("ConfigMap kube-system/policy-scheduler-policy"));
        }
        assertEquals(List.of(), required);
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void selectorsAndPortsFindThePods(String overlay) {
        List<JsonNode> objects = Kustomizations.overlay(overlay);
        List<JsonNode> pods = pods(objects);
        for (JsonNode object : objects) {
            String kind = object.path("kind").asText();
            String place = Map.of(
                            "Service", "/spec/selector",
                            "PodDisruptionBudget", "/spec/selector/matchLabels",
                            "Deployment", "/spec/selector/matchLabels",
                            "NetworkPolicy", "/spec/podSelector/matchLabels")
                    .getOrDefault(kind, "");
            if (!place.isEmpty()) {
                assertTrue(
                        pods.stream().anyMatch(pod -> pod.at("/metadata/labels").equals(object.at(place))),
                        () -> Kustomizations.key(object) + " selects " + object.at(place));
            }
            if (kind.equals("Service")) {
                for (JsonNode port : object.at("/spec/ports")) {
                    assertTrue(
                            pods.stream().anyMatch(pod -> hasPort(pod, port)), () -> Kustomizations.key(object) + port);
                }
            }
        }
    }

    private static boolean hasPort(JsonNode pod, JsonNode servicePort) {
        for (JsonNode port : pod.at("/spec/containers/0/ports")) {
            if (port.path("name").equals(servicePort.path("targetPort"))
                    && port.path("containerPort").equals(servicePort.path("port"))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void theStaticPodIsProbedWhereItServes() {
        JsonNode container = Kustomizations.documents(STATIC_POD).get(0).at("/spec/containers/0");
        JsonNode port = container.at("/livenessProbe/httpGet/port");
        assertEquals(port, container.at("/readinessProbe/httpGet/port"));
        assertTrue(container.path("args").toString().contains("\"--status-address=127.0.0.1:" + port + "\""));
    }

    @Test
    void podsAreRestrictedAndOfOneImage() throws IOException {
        Set<String> images = new TreeSet<>();
        List<JsonNode> specs = new ArrayList<>();
        for (String overlay : overlays()) {
            pods(Kustomizations.overlay(overlay)).forEach(pod -> specs.add(pod.path("spec")));
        }
        for (JsonNode spec : specs) {
            JsonNode user = spec.path("securityContext");
            assertEquals(
                    "{\"runAsNonRoot\":true,\"runAsUser\":65532,\"runAsGroup\":65532,"
                            + "\"seccompProfile\":{\"type\":\"RuntimeDefault\"}}",
                    user.toString());
        }
        specs.add(Kustomizations.documents(STATIC_POD).get(0).path("spec"));
        for (JsonNode spec : specs) {
            assertEquals(1, spec.path("containers").size());
            JsonNode container = spec.at("/containers/0");
            images.add(container.path("image").asText());
            assertEquals("1Gi", container.at("/resources/limits/memory").asText());
            JsonNode security = container.path("securityContext");
            assertEquals(
                    "false true [\"ALL\"]",
                    security.path("allowPrivilegeEscalation") + " " + security.path("readOnlyRootFilesystem") + " "
                            + security.at("/capabilities/drop"));
        }
        assertEquals(1, images.size(), images::toString);
        assertEquals(8, specs.size());
    }

    /** {@code .ci/release} replaces this version in all files. */
    @Test
    void allImagesHaveTheVersionOfTheProject() throws IOException {
        Matcher version = Pattern.compile("(?m)^  <version>(.*)-SNAPSHOT</version>|^  <version>(.*)</version>")
                .matcher(Files.readString(RepositoryFiles.root().resolve("pom.xml")));
        assertTrue(version.find());
        String image = "policy-scheduler:" + Objects.requireNonNullElse(version.group(1), version.group(2));
        Set<Path> files = new TreeSet<>(Set.of(MANIFEST));
        try (Stream<Path> manifests = Files.walk(DEPLOY)) {
            manifests.filter(file -> file.toString().endsWith(".yaml")).forEach(files::add);
        }
        int images = 0;
        for (Path file : files) {
            Matcher matcher =
                    Pattern.compile("(?<!/)policy-scheduler:\\d[\\w.-]*").matcher(Files.readString(file));
            for (; matcher.find(); images++) {
                assertEquals(image, matcher.group(), file::toString);
            }
        }
        assertEquals(7, images);
    }

    /** Patches of overlays and components apply to objects that exist. */
    @Test
    void patchesHitObjects() throws IOException {
        Map<String, JsonNode> second = Kustomizations.byName(Kustomizations.overlay("second-scheduler"));
        int patches = 0;
        try (Stream<Path> components = Files.list(DEPLOY.resolve("components"))) {
            for (Path component : components.toList()) {
                for (JsonNode patch : Kustomizations.kustomization(component).path("patches")) {
                    patches++;
                    JsonNode content =
                            new YAMLMapper().readTree(patch.path("patch").asText());
                    if (patch.has("target")) {
                        assertTrue(
                                second.containsKey(patch.at("/target/kind").asText() + " kube-system/"
                                        + patch.at("/target/name").asText()),
                                patch::toString);
                        continue;
                    }
                    JsonNode target = Objects.requireNonNull(
                            second.get(Kustomizations.key(content)), () -> "no object for " + content);
                    assertEquals(content.path("apiVersion"), target.path("apiVersion"));
                }
            }
        }
        assertTrue(patches > 0);
    }

    @Test
    void theManifestIsTheSecondScheduler() {
        assertEquals(
                Kustomizations.byName(Kustomizations.overlay("second-scheduler")),
                Kustomizations.byName(Kustomizations.documents(MANIFEST)));
    }

    /** The ClusterRole of kustomize is the source of all others; {@code -Drenew=true} writes the chart and the manifest. */
    @Test
    void theChartHasTheClusterRoleOfKustomize() throws IOException {
        String role = Files.readString(DEPLOY.resolve("rights/cluster-role.yaml"));
        Path chart = HelmChart.FOLDER.resolve("templates/cluster-role.yaml");
        if (Boolean.getBoolean("renew")) {
            Files.writeString(chart, role);
        }
        assertEquals(role, Files.readString(chart));
    }

    @Test
    void kustomizeMakesTheManifest() throws IOException {
        Command rendered = kustomize("second-scheduler");
        String text = Files.readString(MANIFEST);
        String comment = text.substring(0, text.indexOf("apiVersion:"));
        if (Boolean.getBoolean("renew")) {
            Files.writeString(MANIFEST, comment + rendered.out());
        }
        assertEquals(comment + rendered.out(), Files.readString(MANIFEST));
    }

    @ParameterizedTest
    @MethodSource("overlays")
    void kustomizeTakesEveryOverlay(String overlay) throws IOException {
        Map<String, JsonNode> rendered = new TreeMap<>();
        try (MappingIterator<JsonNode> documents = new YAMLMapper()
                .readerFor(JsonNode.class)
                .readValues(kustomize(overlay).out())) {
            rendered.putAll(Kustomizations.byName(documents.readAll()));
        }
        Map<String, JsonNode> listed = Kustomizations.byName(Kustomizations.overlay(overlay));
        assertTrue(rendered.keySet().containsAll(listed.keySet()), rendered::toString);
    }

    private static Command kustomize(String overlay) {
        Command run = Command.run(
                DEPLOY, System.getenv(), List.of(Built.tool("kubectl"), "kustomize", "overlays/" + overlay));
        assertEquals(new Command(0, run.out(), ""), run);
        return run;
    }
}
