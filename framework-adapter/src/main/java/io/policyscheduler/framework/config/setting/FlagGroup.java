package io.policyscheduler.framework.config.setting;

/** Flags that belong together, in the order of the help. */
public enum FlagGroup {
    CONFIGURATION("Configuration"),
    POLICY("Policy"),
    PROFILES("Profiles and plugins"),
    CLUSTER("Cluster"),
    SCHEDULING("Scheduling"),
    LEADER_ELECTION("Leader election"),
    PLAIN_STATUS("Status port (HTTP)"),
    SECURE_STATUS("Status port (HTTPS)"),
    STATUS_READERS("Authentication and authorization of the HTTPS port"),
    LOG("Log"),
    IGNORED_LOG("kube-scheduler log flags without effect"),
    IGNORED("Other kube-scheduler flags without effect");

    private final String heading;

    FlagGroup(String heading) {
        this.heading = heading;
    }

    /** What stands over them. */
    public String heading() {
        return heading;
    }
}
