package io.policyscheduler.cmd.embedded;

/** The text of a kubeconfig file that reaches a server over plain HTTP. */
final class EmbeddedKubeconfig {
    private EmbeddedKubeconfig() {}

    static String text(String url) {
        return """
                apiVersion: v1
                kind: Config
                clusters:
                - name: embedded
                  cluster:
                    server: %s
                users:
                - name: embedded
                  user: {}
                contexts:
                - name: embedded
                  context:
                    cluster: embedded
                    user: embedded
                current-context: embedded
                """.formatted(url);
    }
}
