package io.policyscheduler.cmd.embedded.access;

/** Who may do what, as kube-apiserver's {@code --authorization-mode}. */
public enum AuthorizationMode {
    /** Everybody everything; over plain HTTP, and nobody is asked for credentials. */
    ALWAYS_ALLOW("AlwaysAllow"),
    /** What the roles in the cluster grant; over HTTPS, with tokens. */
    RBAC("RBAC");

    private final String text;

    AuthorizationMode(String text) {
        this.text = text;
    }

    /** As on the command line. */
    public String text() {
        return text;
    }
}
