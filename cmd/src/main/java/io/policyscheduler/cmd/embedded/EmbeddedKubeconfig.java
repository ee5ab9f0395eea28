package io.policyscheduler.cmd.embedded;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The text of a kubeconfig file that reaches a server. */
final class EmbeddedKubeconfig {
    private EmbeddedKubeconfig() {}

    /** Over plain HTTP. */
    static String text(String url) {
        return configuration(url, "", " {}");
    }

    /**
     * Over HTTPS.
     *
     * @param authority certificate in PEM by which the server is known
     */
    static String text(String url, String authority, String token) {
        return configuration(
                url,
                "\n    certificate-authority-data: "
                        + Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.US_ASCII)),
                "\n    token: " + token);
    }

    private static String configuration(String url, String ofCluster, String ofUser) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: embedded
                  cluster:
                    server: %s%s
                users:
                - name: embedded
                  user:%s
                contexts:
                - name: embedded
                  context:
                    cluster: embedded
                    user: embedded
                current-context: embedded
                """.formatted(url, ofCluster, ofUser);
    }
}
