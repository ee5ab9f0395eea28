package io.policyscheduler.framework.config.setting;

/** Whose defaults hold for flags that are not given. */
public enum Compat {
    /** Those of this program: nothing is served, written or waited for that nobody has asked for. */
    NONE(""),
    /** Those of kube-scheduler 1.17, so that its command line means what it meant there. */
    V1_17("1.17");

    private final String text;

    Compat(String text) {
        this.text = text;
    }

    /** As {@code --compat} has it. */
    public String text() {
        return text;
    }
}
