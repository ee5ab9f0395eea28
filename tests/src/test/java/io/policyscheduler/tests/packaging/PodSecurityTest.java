package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** All pods of the manifests meet the Pod Security level {@code restricted}, as of 1.36, so that a namespace may enforce it. */
class PodSecurityTest {
    private static final Set<String> VOLUMES = Set.of(
            "name",
            "configMap",
            "csi",
            "downwardAPI",
            "emptyDir",
            "ephemeral",
            "image",
            "persistentVolumeClaim",
            "projected",
            "secret");
    private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");

    /** Returns violations of the level, one line each. */
    private static List<String> violations(JsonNode spec) {
        List<String> found = new ArrayList<>();
        for (String shared : List.of("hostNetwork", "hostPID", "hostIPC")) {
            if (spec.path(shared).asBoolean()) {
                found.add(shared);
            }
        }
        if (spec.has("hostUsers") && spec.path("hostUsers").asBoolean()) {
            found.add("hostUsers");
        }
        for (JsonNode volume : spec.path("volumes")) {
            volume.fieldNames().forEachRemaining(kind -> {
                if (!VOLUMES.contains(kind)) {
                    found.add("volume " + kind);
                }
            });
        }
        if (!spec.at("/securityContext/sysctls").isMissingNode()) {
            found.add("sysctls");
        }
        for (String kind : List.of("initContainers", "containers", "ephemeralContainers")) {
            spec.path(kind).forEach(container -> container(found, spec.path("securityContext"), container));
        }
        return found;
    }

    private static void container(List<String> found, JsonNode pod, JsonNode container) {
        String name = container.path("name").asText() + ": ";
        JsonNode own = container.path("securityContext");
        if (own.path("privileged").asBoolean()) {
            found.add(name + "privileged");
        }
        if (own.path("allowPrivilegeEscalation").asBoolean(true)) {
            found.add(name + "allowPrivilegeEscalation");
        }
        if (!own.path("runAsNonRoot").asBoolean(pod.path("runAsNonRoot").asBoolean())) {
            found.add(name + "runAsNonRoot");
        }
        if (own.path("runAsUser").asInt(pod.path("runAsUser").asInt(1)) == 0) {
            found.add(name + "runAsUser");
        }
        String profile = own.at("/seccompProfile/type")
                .asText(pod.at("/seccompProfile/type").asText());
        if (!PROFILES.contains(profile)) {
            found.add(name + "seccompProfile");
        }
        Set<String> dropped = texts(own.at("/capabilities/drop"));
        Set<String> added = texts(own.at("/capabilities/add"));
        added.remove("NET_BIND_SERVICE");
        if (!dropped.contains("ALL") || !added.isEmpty()) {
            found.add(name + "capabilities");
        }
        container.path("ports").forEach(port -> {
            if (port.path("hostPort").asInt() != 0) {
                found.add(name + "hostPort");
            }
        });
        for (String option : List.of("procMount", "seLinuxOptions", "appArmorProfile", "windowsOptions")) {
            if (own.has(option) || pod.has(option)) {
                found.add(name + option);
            }
        }
    }

    private static Set<String> texts(JsonNode array) {
        Set<String> texts = new TreeSet<>();
        array.forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static List<String> ofPods(List<JsonNode> objects) {
        List<String> found = new ArrayList<>();
        int pods = 0;
        for (JsonNode object : objects) {
            for (String place : List.of("/spec/template/spec", "/spec/jobTemplate/spec/template/spec")) {
                JsonNode spec = object.at(place);
                if (!spec.isMissingNode()) {
                    pods++;
                    violations(spec).forEach(each -> found.add(Kustomizations.key(object) + " " + each));
                }
            }
        }
        assertFalse(pods == 0, "no pods");
        return found;
    }

    @Test
    void overlaysAreRestricted() throws IOException {
        for (String overlay : DeployTest.overlays()) {
            if (!overlay.equals("static-pod")) {
                assertEquals(List.of(), ofPods(Kustomizations.overlay(overlay)), overlay);
            }
        }
    }

    @Test
    void theChartIsRestricted() throws IOException {
        try (MappingIterator<JsonNode> documents =
                new YAMLMapper().readerFor(JsonNode.class).readValues(HelmChart.render(Map.of()))) {
            assertEquals(List.of(), ofPods(documents.readAll()));
        }
    }

    /** It connects to the API server through the host network, and runs as root, because the files of a control plane belong to root. */
    @Test
    void theStaticPodNeedsNoMoreThanItSays() {
        JsonNode pod = Kustomizations.documents(
                        Kustomizations.folder().resolve("overlays/static-pod/kube-scheduler.yaml"))
                .get(0);
        assertEquals(
                List.of(
                        "hostNetwork",
                        "volume hostPath",
                        "volume hostPath",
                        "kube-scheduler: runAsNonRoot",
                        "kube-scheduler: runAsUser"),
                violations(pod.path("spec")));
    }

    /** The test detects violations of the level. */
    @Test
    void aPrivilegedPodIsNot() throws IOException {
        JsonNode pod = new YAMLMapper().readTree("""
                        hostPID: true
                        volumes: [{name: v, hostPath: {path: /}}]
                        containers:
                          - name: c
                            ports: [{hostPort: 80}]
                            securityContext: {privileged: true, runAsUser: 0, capabilities: {drop: [ALL], add: [SYS_ADMIN]}}
                        """);
        assertEquals(
                List.of(
                        "hostPID",
                        "volume hostPath",
                        "c: privileged",
                        "c: allowPrivilegeEscalation",
                        "c: runAsNonRoot",
                        "c: runAsUser",
                        "c: seccompProfile",
                        "c: capabilities",
                        "c: hostPort"),
                violations(pod));
    }
}
