package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.policyscheduler.tests.RepositoryFiles;
import io.policyscheduler.tests.packaging.Command;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A real kube-apiserver 1.34 with roles, where somebody has put it beside the repository. What it was asked stands in its audit log.
 * It is started anew each time, beside the one that other tests use.
 */
final class RealRoleServer implements RoleServer {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path SCRIPT =
            RepositoryFiles.root().resolve("../shared/real/real.sh").normalize();
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

    private final Path folder;
    private final Path auditLog;
    private final Map<String, String> environment = new TreeMap<>(System.getenv());
    private final Path kubeconfig;

    RealRoleServer(Path folder) {
        assumeTrue(Files.isExecutable(SCRIPT), () -> "no real programs beside the repository: " + SCRIPT);
        this.folder = folder;
        this.auditLog = folder.resolve("audit.log");
        try {
            Path policy = Files.writeString(folder.resolve("audit-policy.yaml"), POLICY);
            // Unpacked once for all tests.
            Path home = RepositoryFiles.root().resolve("tests/target/real-with-roles");
            environment.put("REAL_HOME", home.toString());
            environment.put("REAL_PORT", PORT);
            environment.put("AUTHZ", "RBAC");
            environment.put("API_ARGS", "--audit-policy-file=" + policy + " --audit-log-path=" + auditLog);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        script("down");
        kubeconfig = Path.of(script("up").strip());
    }

    private String script(String verb) {
        Command run = Command.run(folder, environment, List.of(SCRIPT.toString(), verb, RELEASE));
        if (run.code() != 0) {
            throw new IllegalStateException(SCRIPT + " " + verb + " " + RELEASE + ": " + run.err());
        }
        return run.out();
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public List<Asked> asked(String user) {
        List<Asked> asked = new ArrayList<>();
        try {
            String log = Files.readString(auditLog);
            // The last line may not be whole yet.
            for (String line : log.substring(0, log.lastIndexOf('\n') + 1).split("\n", -1)) {
                JsonNode entry = JSON.readTree(line);
                JsonNode object = entry.path("objectRef");
                String actor = entry.at(entry.has("impersonatedUser") ? "/impersonatedUser" : "/user")
                        .path("username")
                        .asText();
                if (object.has("resource") && actor.equals(user)) {
                    String subresource = object.path("subresource").asText();
                    JsonNode notes = entry.path("annotations");
                    asked.add(Asked.of(
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
        script("down");
    }
}
