package io.policyscheduler.framework.config.setting;

/** Flags that belong together, in the order of the help. */
public enum FlagGroup {
    CONFIGURATION("Configuration"),
    POLICY("Policy"),
    PROFILES("Profiles and plugins"),
    CLUSTER("Cluster"),
    SCHEDULING("Scheduling"),
    LEADER_ELECTION("Leader election"),
    PLAIN_STATUS("Status over plain HTTP"),
    SECURE_STATUS("Status over HTTPS"),
    STATUS_READERS("Who may read the status over HTTPS"),
    LOG("Log"),
    IGNORED_LOG("Log flags of kube-scheduler without effect"),
    IGNORED("Other flags of kube-scheduler without effect");

    private final String heading;

    FlagGroup(String heading) {
        this.heading = heading;
    }

    /** What stands over them. */
    public String heading() {
        return heading;
    }
}
