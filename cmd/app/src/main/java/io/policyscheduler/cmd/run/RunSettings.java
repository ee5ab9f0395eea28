package io.policyscheduler.cmd.run;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.Setting;
import io.policyscheduler.framework.config.Setting.Compat;
import io.policyscheduler.framework.config.Setting.FlagGroup;

/** The settings of {@code run} that KubeSchedulerConfiguration does not have. */
public final class RunSettings {
    public static final Setting CONFIG = Setting.ofFlag("--config", Shape.STRING)
            .label("FILE")
            .text("KubeSchedulerConfiguration v1alpha1 to v1, JSON or YAML. Flags and POLICY_SCHEDULER_..."
                    + " environment variables override it.")
            .in(FlagGroup.CONFIGURATION)
            .row();
    public static final Setting COMPAT = Setting.ofFlag("--compat", Shape.STRING)
            .label("RELEASE")
            .choices(Compat.V1_17.text())
            .text("Use the defaults of kube-scheduler 1.17 for the scheduler name, leader election, and"
                    + " ports. The only value is 1.17.")
            .in(FlagGroup.CONFIGURATION)
            .row();

    public static final Setting USE_LEGACY_POLICY = Setting.ofFlag("--use-legacy-policy-config", Shape.BOOL)
            .standard("false")
            .text("Use the policy file even if a ConfigMap is set.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting STRICT = Setting.ofFlag("--strict-v1.17", Shape.BOOL)
            .standard("false")
            .text("Ignore the fields that v1.17 ignores, such as topologySpreadConstraints, and let 64-bit sums of"
                    + " requests overflow, as v1.17 does. Otherwise, policies honor newer fields.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting POLICY_RELEASE = Setting.ofFlag("--policy-release", Shape.STRING)
            .label("1.N")
            .standard("1.17")
            .text("Run the policy as kube-scheduler of this release did, 1.17 to 1.22. From 1.18 on, policies were"
                    + " translated into plugins.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting FEATURE_GATES = Setting.ofFlag("--feature-gates", Shape.list(Shape.STRING))
            .label("GATE=BOOL[,...]")
            .text("Feature gates of v1.17, such as EvenPodsSpread=true.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting RULES = Setting.ofFlag("--rules", Shape.STRING)
            .repeatable()
            .label("FILE")
            .text("Library of rules that policies can refer to by name, JSON or YAML. Repeatable.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting RULE_EXECUTOR = Setting.ofFlag("--rule-executor", Shape.STRING)
            .label("NAME")
            .choices("direct", "mvel")
            .standard("direct")
            .text(
                    "Evaluator of rules: direct (built in), or mvel (the MVEL interpreter with its thread-safe optimizer). Both return"
                            + " the same results. mvel is 10 to 40 times slower.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting VERIFY_RULES = Setting.ofFlag("--verify-rules", Shape.STRING)
            .label("SHARE")
            .standard("0")
            .text("Repeat this share of the rule evaluations, such as 0.1% or 0.001, with the other evaluator, and"
                    + " count the differences. Decisions use the result of --rule-executor.")
            .displayedDefault("0, none")
            .in(FlagGroup.POLICY)
            .row();

    public static final Setting POLICY_CANARY = Setting.ofFlag("--policy-canary", Shape.STRING)
            .label("FILE")
            .text(
                    "Schedule the pods of --canary-share with the policy or configuration in FILE. The scheduler returns to"
                            + " the current policy if too many of these pods wait or fail.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting CANARY_SHARE = Setting.ofFlag("--canary-share", Shape.STRING)
            .label("SHARE")
            .standard("5%")
            .text(
                    "Share of the controllers (ReplicaSets and others) whose pods --policy-canary schedules, such as 5% or"
                            + " 0.05. A pod without a controller counts as one controller.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting CANARY_MAX_WAITING = Setting.ofFlag("--canary-max-waiting", Shape.INT32)
            .label("N")
            .standard("5")
            .range(0, Integer.MAX_VALUE, "must be greater than or equal to 0")
            .text("Maximum number of canary pods for which only the current policy finds a node. If there are more,"
                    + " run rolls the canary back.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting CANARY_MAX_FAILING = Setting.ofFlag("--canary-max-failing", Shape.INT32)
            .label("N")
            .standard("5")
            .range(0, Integer.MAX_VALUE, "must be greater than or equal to 0")
            .text("Maximum number of canary pods whose last attempt ended with an error or a rejected bind. If there"
                    + " are more, run rolls the canary back.")
            .in(FlagGroup.POLICY)
            .row();

    public static final Setting PROFILE = Setting.ofFlag("--profile", Shape.STRING)
            .repeatable()
            .label("[NAME=]SOURCE")
            .text("Add a scheduler name with its own profile. SOURCE is policy:FILE, configmap:NAMESPACE/NAME,"
                    + " provider:NAME, config:FILE[#PROFILE], or modern. In run, modern is the default profile of"
                    + " kube-scheduler in the release of the cluster. NAME= is required, except with modern. Without NAME=,"
                    + " modern schedules the pods of --scheduler-name. Repeatable.")
            .in(FlagGroup.PROFILES)
            .row();
    public static final Setting PLUGIN_PATH = Setting.ofFlag("--plugin-path", Shape.STRING)
            .repeatable()
            .label("DIR")
            .text("Directory with plugin JAR files. Repeatable.")
            .in(FlagGroup.PROFILES)
            .row();
    public static final Setting PLUGIN_SHA256 = Setting.ofFlag("--plugin-sha256", Shape.STRING)
            .repeatable()
            .label("FILE.jar=SHA256")
            .text("Load FILE.jar only if it has this SHA-256 digest. If you set the digest of one JAR file, set"
                    + " those of all. Repeatable.")
            .in(FlagGroup.PROFILES)
            .row();

    public static final Setting MASTER = Setting.ofFlag("--master", Shape.STRING)
            .label("URL")
            .text("Address of the API server. Overrides the kubeconfig.")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting WAIT_FOR_API_SERVER = Setting.ofFlag("--wait-for-api-server", Shape.DURATION)
            .standard("0s")
            .text("Maximum time to wait for the API server at start. After it, run exits with code 4. A static pod can"
                    + " start before the API server.")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting RELEASE = Setting.ofFlag("--release", Shape.STRING)
            .label("1.N")
            .text("Kubernetes release of the cluster.")
            .displayedDefault("the release of the API server")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting IGNORE_NEWER_FIELDS = Setting.ofFlag("--ignore-newer-fields", Shape.list(Shape.STRING))
            .label("NAME[,NAME...]")
            .text("Ignore these pod and volume fields, which were added after 1.17. validate --explain"
                    + " lists their names.")
            .in(FlagGroup.CLUSTER)
            .row();

    public static final Setting TIE_BREAK = Setting.ofFlag("--tie-break", Shape.STRING)
            .label("HOW")
            .choices("round-robin", "random", "first")
            .standard("round-robin")
            .text("Selection among the nodes with the highest score: round-robin, random, or first.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting REQUEUE_HINTS = Setting.ofFlag("--requeue-hints", Shape.BOOL)
            .standard("false")
            .text("If a policy finds a pod unschedulable, wait until an event can make the pod schedulable. If"
                    + " false, retry the pod after every event, as 1.17 does.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_BUDGET = Setting.ofFlag("--decision-budget-millis", Shape.INT32)
            .standard("200")
            .unit("milliseconds")
            .range(0, Integer.MAX_VALUE, "must be greater than or equal to 0")
            .text("Report an attempt whose CPU time exceeds this and 4 times the 25th percentile of the last 128"
                    + " attempts. The pod gets an event. If the pod is unschedulable, it gets a longer backoff."
                    + " No attempt is aborted. 0 reports none.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting VERIFY_DECISIONS = Setting.ofFlag("--verify-decisions", Shape.STRING)
            .label("SHARE")
            .standard("0.1%")
            .text("Repeat this share of the decisions, such as 0.1% or 0.001, without cached results of plugins, and"
                    + " count the differences. The scheduler uses the repeated decision. 0 disables the check.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_HISTORY = Setting.ofFlag("--decision-history", Shape.INT32)
            .label("N")
            .standard("1000")
            .range(0, 100_000, "must be from 0 to 100000")
            .text("Number of decisions to keep in memory for the command why and /debug/decisions, a few"
                    + " kilobytes each. 0 keeps none.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_LOG = Setting.ofFlag("--decision-log", Shape.STRING)
            .label("DIR|FILE.jsonl.gz")
            .text("Write each decision and its result to files in this directory, or to files whose names begin with"
                    + " FILE. The command why reads them with its option --log.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_LOG_SIZE = Setting.ofFlag("--decision-log-size", Shape.INT32)
            .label("MIB")
            .standard("1024")
            .unit("mebibytes")
            .range(1, 1 << 20, "must be from 1 to 1048576")
            .text("Maximum size of all files of --decision-log. The oldest files are deleted.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_LOG_KEY = Setting.ofFlag("--decision-log-key", Shape.STRING)
            .label("FILE")
            .text("Replace names in the decision log by pseudonyms. FILE contains the secret key, at least 16 bytes."
                    + " To find a pod, pass the same file to why --log-key.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting RECORD = Setting.ofFlag("--record", Shape.STRING)
            .label("DIR")
            .text("Write all inputs of the decisions to files in this directory. The command lab replay makes"
                    + " the same decisions again.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting RECORD_SIZE = Setting.ofFlag("--record-size", Shape.INT32)
            .label("MIB")
            .standard("4096")
            .unit("mebibytes")
            .range(1, 1 << 20, "must be from 1 to 1048576")
            .text("Maximum size of all files of --record. The recording ends at this size. Old files are not deleted,"
                    + " because lab replay needs the beginning of the recording.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting IGNORE_UNREADABLE_PODS = Setting.ofFlag("--ignore-unreadable-pods", Shape.BOOL)
            .standard("false")
            .text(
                    "Schedule pods to a node even if one of the pods on it cannot be parsed. The requests of that pod"
                            + " are then unknown. If false, no pod is scheduled to the node until the pod is readable or deleted.")
            .in(FlagGroup.SCHEDULING)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            CONFIG,
            COMPAT,
            USE_LEGACY_POLICY,
            STRICT,
            POLICY_RELEASE,
            FEATURE_GATES,
            RULES,
            RULE_EXECUTOR,
            VERIFY_RULES,
            POLICY_CANARY,
            CANARY_SHARE,
            CANARY_MAX_WAITING,
            CANARY_MAX_FAILING,
            PROFILE,
            PLUGIN_PATH,
            PLUGIN_SHA256,
            MASTER,
            WAIT_FOR_API_SERVER,
            RELEASE,
            IGNORE_NEWER_FIELDS,
            TIE_BREAK,
            REQUEUE_HINTS,
            DECISION_BUDGET,
            VERIFY_DECISIONS,
            DECISION_HISTORY,
            DECISION_LOG,
            DECISION_LOG_SIZE,
            DECISION_LOG_KEY,
            RECORD,
            RECORD_SIZE,
            IGNORE_UNREADABLE_PODS);

    private RunSettings() {}

    /** Other flags of kube-scheduler 1.17 to 1.34 that KubeSchedulerConfiguration does not have. */
    public static final class Kube {
        private static final String METRICS =
                "the scheduler serves all metrics of 1.17 and 1.34, with all labels; filter them in the scrape configuration";
        private static final String CLOUD = "the scheduler does not read images or credentials of a cloud provider";
        private static final String VERSIONS =
                "policy-scheduler is not part of a Kubernetes release; --release sets the release of the cluster";

        public static final Setting WRITE_CONFIG_TO = Setting.ofFlag("--write-config-to", Shape.STRING)
                .withoutVariable()
                .label("FILE")
                .text("Write the effective KubeSchedulerConfiguration, including the policy flags, to FILE and"
                        + " exit.")
                .in(FlagGroup.CONFIGURATION)
                .row();
        public static final Setting VERSION = Setting.ofFlag("--version", Shape.BOOL)
                .withoutVariable()
                .choices("raw")
                .text("Print the version and exit.")
                .in(FlagGroup.CONFIGURATION)
                .row();
        public static final Setting UNSCHEDULABLE_DURATION = Setting.ofFlag(
                        "--pod-max-in-unschedulable-pods-duration", Shape.DURATION)
                .standard("1m0s")
                .text("Maximum time until an unschedulable pod is retried without an event.")
                .displayedDefault("1m0s for a policy or provider without --requeue-hints, else 5m0s")
                .in(FlagGroup.SCHEDULING)
                .row();

        static final ImmutableList<Setting> ALL = ImmutableList.of(
                WRITE_CONFIG_TO,
                VERSION,
                UNSCHEDULABLE_DURATION,
                ignored(
                        "--show-hidden-metrics-for-version",
                        "1.N",
                        "Serve the hidden metrics of a release.",
                        "W144",
                        METRICS),
                list(
                        "--allow-metric-labels",
                        "METRIC,LABEL=VALUES",
                        "Allowed values of metric labels.",
                        "W144",
                        METRICS),
                ignored(
                        "--allow-metric-labels-manifest",
                        "FILE",
                        "File with allowed values of metric labels.",
                        "W144",
                        METRICS),
                list("--disabled-metrics", "METRIC,...", "Metrics to disable.", "W144", METRICS),
                list("--emulated-version", "[COMPONENT=]1.N", "Emulate another release.", "W145", VERSIONS),
                list(
                        "--min-compatibility-version",
                        "[COMPONENT=]1.N",
                        "Minimum release to be compatible with.",
                        "W145",
                        VERSIONS),
                Setting.ofFlag("--emulation-forward-compatible", Shape.BOOL)
                        .text("Allow newer features in an emulated release.")
                        .noEffect("W145", VERSIONS)
                        .harmless("false")
                        .in(FlagGroup.IGNORED)
                        .row(),
                list(
                        "--failure-domains",
                        "LABEL,...",
                        "Topology keys of pod affinity in releases before 1.8.",
                        "W147",
                        "pods name their topology keys, as in 1.8 and later"),
                ignored(
                        "--bind-pods-qps",
                        "N",
                        "Maximum number of binds per second in releases before 1.4.",
                        "W141",
                        "the scheduler does not limit its requests; use a FlowSchema on the API server"),
                ignored(
                        "--bind-pods-burst",
                        "N",
                        "Maximum burst of binds in releases before 1.4.",
                        "W141",
                        "the scheduler does not limit its requests; use a FlowSchema on the API server"),
                ignored("--google-json-key", "FILE", "Key of a Google service account, 1.1 to 1.9.", "W146", CLOUD),
                ignored(
                        "--azure-container-registry-config",
                        "FILE",
                        "Configuration of an Azure container registry, from 1.7 on.",
                        "W146",
                        CLOUD));

        private Kube() {}

        private static Setting ignored(String flag, String label, String text, String code, String why) {
            return Setting.ofFlag(flag, Shape.STRING)
                    .label(label)
                    .text(text)
                    .noEffect(code, why)
                    .in(FlagGroup.IGNORED)
                    .row();
        }

        private static Setting list(String flag, String label, String text, String code, String why) {
            return Setting.ofFlag(flag, Shape.STRING)
                    .repeatable()
                    .label(label)
                    .text(text)
                    .noEffect(code, why)
                    .in(FlagGroup.IGNORED)
                    .row();
        }
    }
}
