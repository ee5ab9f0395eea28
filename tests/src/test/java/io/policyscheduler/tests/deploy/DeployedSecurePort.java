package io.policyscheduler.tests.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.policyscheduler.cmd.cli.Main;
import io.policyscheduler.tests.TrustingClient;
import io.policyscheduler.tests.e2e.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The secure port of the second scheduler: which users it serves, and the answer to {@code why}. */
abstract class DeployedSecurePort extends Deployment {
    private static final List<String> PATHS = List.of("/metrics", "/configz", "/debug/decisions?pod=default/plain");

    private final HttpClient client = TrustingClient.create();
    private String url = "";

    DeployedSecurePort(Path folder, RoleServer server) {
        super(folder, server);
    }

    private record Answer(int code, String out, String err) {}

    private Answer why(String... options) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> command = new ArrayList<>(List.of("why", "plain", "--url=" + url));
        command.addAll(List.of(options));
        int code = Main.run(command.toArray(String[]::new), new PrintWriter(out), new PrintWriter(err));
        return new Answer(code, out.toString(), err.toString());
    }

    /** @param token empty for an anonymous request */
    private HttpResponse<String> get(String path, String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(url + path + "\n" + state(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void startTheScheduler() {
        applyOverlay("second-scheduler-secure");
        for (String account : List.of("alice", "bob")) {
            admin().kubectl("-n", "kube-system", "create", "serviceaccount", account);
        }
        admin().kubectl(
                        "create",
                        "clusterrolebinding",
                        "alice-views",
                        "--clusterrole=policy-scheduler-viewer",
                        "--serviceaccount=kube-system:alice");
        Workload workload = workload("policy-scheduler");
        workload.addNode("n0", "4");
        workload.add(workload.pod("plain", "1"));
        JsonNode spec = admin().get(DEPLOYMENTS + "policy-scheduler").at(POD_TEMPLATE);
        DeployedPod pod = DeployedPod.ofServiceAccount(admin(), folder(), spec);
        url = "https://127.0.0.1:" + pod.securePort();
        Program program = start(pod);
        program.awaitOutput("serving status at https://");
        workload.awaitBound("plain");
    }

    @Test
    void answersViewersOnly() {
        String alice = admin().tokenOf("alice");
        String bob = admin().tokenOf("bob");
        for (String path : PATHS) {
            assertEquals(200, get(path, alice).statusCode(), path);
            HttpResponse<String> refused = get(path, bob);
            assertEquals(403, refused.statusCode(), path);
            assertTrue(
                    refused.body().contains("bob\\\" cannot get path \\\"" + path.replaceAll("\\?.*", "") + "\\\""),
                    refused::body);
            assertEquals(401, get(path, "nobody").statusCode(), path);
            assertEquals(403, get(path, "").statusCode(), path);
        }
        assertEquals(200, get("/healthz", "").statusCode());
    }

    @Test
    void whyIsAskedWithATokenAndTellsTheWayOut() throws IOException {
        Path alice = Files.writeString(folder().resolve("alice.token"), admin().tokenOf("alice"));
        Path bob = Files.writeString(folder().resolve("bob.token"), admin().tokenOf("bob"));
        Path nobody = Files.writeString(folder().resolve("nobody.token"), "nobody");
        String authority = "--certificate-authority=" + Files.writeString(folder().resolve("ca.pem"), certificate());

        Answer known = why(authority, "--token-file=" + alice);
        assertEquals("", known.err());
        assertTrue(known.out().startsWith("default/plain is bound to n0: "), known::out);
        assertEquals(
                new Answer(
                        4,
                        "",
                        "error: " + url + " forbids this request (403: forbidden: User \"" + ACCOUNT
                                + "bob\" cannot get path \"/debug/decisions\"); bind the ClusterRole"
                                + " policy-scheduler-viewer to the user of --token-file\n"),
                why(authority, "--token-file=" + bob));
        assertEquals(
                new Answer(
                        4,
                        "",
                        "error: " + url + " forbids this request (403: forbidden: User \"system:anonymous\" cannot get"
                                + " path \"/debug/decisions\"); bind the ClusterRole policy-scheduler-viewer to the user of"
                                + " --token-file\n"),
                why(authority));
        assertEquals(
                new Answer(
                        4,
                        "",
                        "error: " + url
                                + " requires authentication (401: Unauthorized); use --token-file with a token of"
                                + " its cluster (kubectl create token)\n"),
                why(authority, "--token-file=" + nobody));
        Answer strange = why("--token-file=" + alice);
        assertEquals(4, strange.code());
        assertTrue(
                strange.err()
                        .matches("error: the certificate of \\S+ is not trusted: [^\n]+;"
                                + " use --certificate-authority with the certificate of its CA\n"),
                strange::err);
        assertEquals(
                0, why("--insecure-skip-tls-verify", "--token-file=" + alice).code());
    }

    /** Returns the certificates that the port presents, as {@code openssl s_client -showcerts} prints them. */
    private String certificate() {
        try {
            Certificate presented =
                    get("/healthz", "").sslSession().orElseThrow().getPeerCertificates()[0];
            return "-----BEGIN CERTIFICATE-----\n"
                    + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                            .encodeToString(presented.getEncoded())
                    + "\n-----END CERTIFICATE-----\n";
        } catch (IOException | CertificateEncodingException e) {
            throw new IllegalStateException(e);
        }
    }
}
