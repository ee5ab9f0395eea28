package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The chart, rendered by Helm with its default values, equals the second scheduler of kustomize. */
class HelmChartTest {
    @BeforeAll
    static void findHelm() {
        HelmChart.assumeHelm();
    }

    private static Map<String, JsonNode> render(Map<String, String> values) throws IOException {
        try (MappingIterator<JsonNode> documents =
                new YAMLMapper().readerFor(JsonNode.class).readValues(HelmChart.render(values))) {
            List<JsonNode> objects = documents.readAll();
            objects.removeIf(JsonNode::isNull);
            return Kustomizations.byName(objects);
        }
    }

    @Test
    void isTheSecondSchedulerOfKustomize() throws IOException {
        assertEquals(Kustomizations.byName(Kustomizations.overlay("second-scheduler")), render(Map.of()));
    }

    @Test
    void withAServiceMonitorItIsTheMonitoredOne() throws IOException {
        Path monitoring = Kustomizations.folder().resolve("components/monitoring");
        Map<String, JsonNode> rendered = render(Map.of("serviceMonitor.enabled", "true"));
        assertEquals(
                Kustomizations.documents(monitoring.resolve("service-monitor.yaml"))
                        .get(0),
                rendered.get("ServiceMonitor kube-system/policy-scheduler"));
        assertEquals(
                Kustomizations.documents(monitoring.resolve("alerts.yaml")).get(0),
                rendered.get("PrometheusRule kube-system/policy-scheduler"));
    }

    @Test
    void withTheSecurePortItHasWhatTheSecureOneHas() throws IOException {
        Map<String, JsonNode> rendered = render(Map.of("securePort.enabled", "true"));
        Map<String, JsonNode> rights = Kustomizations.byName(
                Kustomizations.documents(Kustomizations.folder().resolve("components/secure-port/rights.yaml")));
        rights.putAll(Kustomizations.byName(
                Kustomizations.documents(Kustomizations.folder().resolve("viewer/viewer.yaml"))));
        assertEquals(3, rights.size());
        rights.forEach((name, object) -> assertEquals(object, rendered.get(name), name));
        JsonNode container = Objects.requireNonNull(rendered.get("Deployment kube-system/policy-scheduler"))
                .at("/spec/template/spec/containers/0");
        assertEquals("--secure-port=10259", container.at("/args/8").asText());
        assertEquals(
                "{\"name\":\"secure\",\"containerPort\":10259}",
                container.at("/ports/1").toString());
        JsonNode policy = Objects.requireNonNull(rendered.get("NetworkPolicy kube-system/policy-scheduler"));
        assertEquals(
                "{\"ports\":[{\"protocol\":\"TCP\",\"port\":10259}]}",
                policy.at("/spec/ingress/1").toString());
    }

    @Test
    void takesItsValues() throws IOException {
        Map<String, JsonNode> rendered = render(Map.of(
                "image.repository", "registry.example/ps",
                "image.tag", "7",
                "image.pullPolicy", "Always",
                "schedulerName", "other",
                "replicas", "3",
                "extraArgs[0]", "--requeue-hints=true",
                "networkPolicy.enabled", "false"));
        JsonNode deployment =
                Objects.requireNonNull(rendered.get("Deployment kube-system/policy-scheduler"), rendered::toString);
        JsonNode container = deployment.at("/spec/template/spec/containers/0");
        assertEquals(
                "registry.example/ps:7 Always 3",
                container.path("image").asText() + " "
                        + container.path("imagePullPolicy").asText() + " " + deployment.at("/spec/replicas"));
        assertEquals("--scheduler-name=other", container.at("/args/1").asText());
        assertEquals(
                "--requeue-hints=true",
                container.path("args").get(container.path("args").size() - 1).asText());
        assertFalse(rendered.containsKey("NetworkPolicy kube-system/policy-scheduler"), rendered::toString);
    }

    /** Without volumes, flags that name files cannot be used. */
    @Test
    void mountsVolumesNextToItsOwn() throws IOException {
        JsonNode pod = Objects.requireNonNull(render(Map.of(
                                "volumes[0].name", "canary",
                                "volumes[0].configMap.name", "policy-canary",
                                "volumeMounts[0].name", "canary",
                                "volumeMounts[0].mountPath", "/etc/canary"))
                        .get("Deployment kube-system/policy-scheduler"))
                .at("/spec/template/spec");
        assertEquals(
                "[{\"name\":\"tmp\",\"emptyDir\":{}},{\"configMap\":{\"name\":\"policy-canary\"},\"name\":\"canary\"}]",
                pod.path("volumes").toString());
        assertEquals(
                "[{\"name\":\"tmp\",\"mountPath\":\"/tmp\"},{\"mountPath\":\"/etc/canary\",\"name\":\"canary\"}]",
                pod.at("/containers/0/volumeMounts").toString());
    }

    /** A chart of a release contains the digest, and an upgrade can set another tag. */
    @Test
    void aTagHasPrecedenceOverTheDigest() throws IOException {
        String digest = "sha256:" + "0".repeat(64);
        assertEquals("policy-scheduler@" + digest, image(Map.of("image.digest", digest)));
        assertEquals("policy-scheduler:7", image(Map.of("image.digest", digest, "image.tag", "7")));
    }

    private static String image(Map<String, String> values) throws IOException {
        return Objects.requireNonNull(render(values).get("Deployment kube-system/policy-scheduler"))
                .at("/spec/template/spec/containers/0/image")
                .asText();
    }

    @Test
    void largeClusterHasTheResourcesAndCompilersOfTheComponent() throws IOException {
        JsonNode values = Kustomizations.documents(HelmChart.FOLDER.resolve("values-large-cluster.yaml"))
                .get(0);
        JsonNode patch = new YAMLMapper()
                .readTree(Kustomizations.kustomization(Kustomizations.folder().resolve("components/large-cluster"))
                        .at("/patches/0/patch")
                        .asText());
        assertEquals(values.path("resources"), patch.at("/0/value"));
        assertEquals(values.path("env"), patch.at("/1/value"));
        JsonNode container = Objects.requireNonNull(render(Map.of("env[0].name", "A", "env[0].value", "b"))
                        .get("Deployment kube-system/policy-scheduler"))
                .at("/spec/template/spec/containers/0");
        assertEquals("[{\"name\":\"A\",\"value\":\"b\"}]", container.path("env").toString());
    }

    @Test
    void passesHelmsOwnChecks() {
        LintResult lint = new Helm(HelmChart.FOLDER).lint().strict().call();
        assertFalse(lint.isFailed(), () -> lint.getMessages().toString());
    }
}
