package io.policyscheduler.tests.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.tests.RealPrograms;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A real kube-apiserver with RBAC, if its programs are installed. Requests are read from its audit log. Each test starts its own, beside the one
 * that other tests share.
 */
final class RealRoleServer implements RoleServer {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String RELEASE = "1.34";
    private static final String PORT = "24300";
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [RequestReceived]
            rules: [{level: Metadata}]
            """;
    /** Kind, plural and singular. */
    private static final String MONITORING = """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata:
              name: %2$s.monitoring.coreos.com
            spec:
              group: monitoring.coreos.com
              scope: Namespaced
              names: {kind: %1$s, plural: %2$s, singular: %3$s}
              versions:
                - name: v1
                  served: true
                  storage: true
                  schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
            ---
            """;

    private final String release;
    private final Path folder;
    private final Path auditLog;
    private final Map<String, String> environment = new TreeMap<>();
    private final Path kubeconfig;

    /** One of 1.34. */
    RealRoleServer(Path folder) {
        this(folder, RELEASE);
    }

    RealRoleServer(Path folder, String release) {
        this.release = release;
        this.folder = folder;
        this.auditLog = folder.resolve("audit.log");
        try {
            Path policy = Files.writeString(folder.resolve("audit-policy.yaml"), POLICY);
            Path home = RepositoryFiles.root().resolve("tests/target/real-with-roles");
            environment.put("CLUSTER_HOME", home.toString());
            environment.put("CLUSTER_PORT", PORT);
            environment.put("AUTHZ", "RBAC");
            environment.put("API_ARGS", "--audit-policy-file=" + policy + " --audit-log-path=" + auditLog);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        RealPrograms.down(release, environment);
        kubeconfig = RealPrograms.up(release, environment);
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public List<ReceivedRequest> asked(String user) {
        List<ReceivedRequest> asked = new ArrayList<>();
        try {
            String log = Files.readString(auditLog);
            // The last line may be incomplete.
            for (String line : log.substring(0, log.lastIndexOf('\n') + 1).split("\n", -1)) {
                JsonNode entry = JSON.readTree(line);
                JsonNode object = entry.path("objectRef");
                String actor = entry.at(entry.has("impersonatedUser") ? "/impersonatedUser" : "/user")
                        .path("username")
                        .asText();
                if (object.has("resource") && actor.equals(user)) {
                    String subresource = object.path("subresource").asText();
                    JsonNode notes = entry.path("annotations");
                    asked.add(ReceivedRequest.of(
                            entry.path("verb").asText(),
                            object.path("apiGroup").asText(),
                            object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
                            notes.path("authorization.k8s.io/decision").asText().equals("allow"),
                            notes.path("authorization.k8s.io/reason").asText()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return asked;
    }

    @Override
    public void serveMonitoring() {
        Admin admin = new Admin(kubeconfig);
        try {
            Path definition = Files.writeString(
                    folder.resolve("definition.yaml"),
                    MONITORING.formatted("ServiceMonitor", "servicemonitors", "servicemonitor")
                            + MONITORING.formatted("PrometheusRule", "prometheusrules", "prometheusrule"));
            admin.kubectl("apply", "-f", definition.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        admin.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", folder + "/definition.yaml");
    }

    @Override
    public void close() {
        RealPrograms.down(release, environment);
    }
}
