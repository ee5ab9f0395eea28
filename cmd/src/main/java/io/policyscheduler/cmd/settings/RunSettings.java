package io.policyscheduler.cmd.settings;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.framework.config.setting.Compat;
import io.policyscheduler.framework.config.setting.FlagGroup;
import io.policyscheduler.framework.config.setting.Setting;

/** The settings of {@code run} that no KubeSchedulerConfiguration has. */
public final class RunSettings {
    public static final Setting CONFIG = Setting.ofFlag("--config", Shape.STRING)
            .label("FILE")
            .text(
                    "KubeSchedulerConfiguration v1alpha1 to v1, JSON or YAML; flags and POLICY_SCHEDULER_... variables",
                    "of the environment go before what it says.")
            .in(FlagGroup.CONFIGURATION)
            .row();
    public static final Setting COMPAT = Setting.ofFlag("--compat", Shape.STRING)
            .label("RELEASE")
            .choices(Compat.V1_17.text())
            .text(
                    "Take the defaults of kube-scheduler 1.17 for what is not given: scheduler name, leader election,",
                    "ports. Only 1.17.")
            .in(FlagGroup.CONFIGURATION)
            .row();

    public static final Setting USE_LEGACY_POLICY = Setting.ofFlag("--use-legacy-policy-config", Shape.BOOL)
            .standard("false")
            .text("Take the file even when a ConfigMap is named.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting STRICT = Setting.ofFlag("--strict-v1.17", Shape.BOOL)
            .standard("false")
            .text("Do exactly what v1.17 did, also where it ignored what the file says. Sums of requests wrap around at"
                    + " 64 bits, too, so that a pod that asks for 2^63 bytes can make a node useless for all"
                    + " others.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting FEATURE_GATES = Setting.ofFlag("--feature-gates", Shape.list(Shape.STRING))
            .label("GATE=BOOL[,...]")
            .text("Feature gates of v1.17, for example EvenPodsSpread=true.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting RULES = Setting.ofFlag("--rules", Shape.STRING)
            .repeatable()
            .label("FILE")
            .text("Library of rules that policies may use by name, JSON or YAML; may be given several times.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting RULE_EXECUTOR = Setting.ofFlag("--rule-executor", Shape.STRING)
            .label("NAME")
            .choices("direct", "mvel")
            .standard("direct")
            .text(
                    "What evaluates the rules of policies: direct, or mvel, the interpreter of MVEL, which gives the same and is",
                    "several times slower.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting VERIFY_RULES = Setting.ofFlag("--verify-rules", Shape.STRING)
            .label("SHARE")
            .standard("0")
            .text(
                    "Evaluate this share of them with the other one too, such as 0.1% or 0.001, and count where it differs; what",
                    "the chosen one gives decides.")
            .shownDefault("0, none")
            .in(FlagGroup.POLICY)
            .row();

    public static final Setting PROFILE = Setting.ofFlag("--profile", Shape.STRING)
            .repeatable()
            .label("[NAME=]SOURCE")
            .text(
                    "One more scheduler name with a profile of its own; SOURCE is policy:FILE, configmap:NAMESPACE/NAME,",
                    "provider:NAME, config:FILE[#PROFILE] or modern, the default profile of Kubernetes 1.34, which without",
                    "NAME= is the profile of --scheduler-name. May be given several times.")
            .in(FlagGroup.PROFILES)
            .row();
    public static final Setting PLUGIN_PATH = Setting.ofFlag("--plugin-path", Shape.STRING)
            .repeatable()
            .label("DIR")
            .text("Folder with plugin jars; may be given several times.")
            .in(FlagGroup.PROFILES)
            .row();
    public static final Setting PLUGIN_SHA256 = Setting.ofFlag("--plugin-sha256", Shape.STRING)
            .repeatable()
            .label("FILE.jar=SHA256")
            .text(
                    "Use a plugin jar only with this content; may be given several times. With one given, every jar",
                    "needs one.")
            .in(FlagGroup.PROFILES)
            .row();

    public static final Setting MASTER = Setting.ofFlag("--master", Shape.STRING)
            .label("URL")
            .text("Address of the API server; overrides the kubeconfig.")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting RELEASE = Setting.ofFlag("--release", Shape.STRING)
            .label("1.N")
            .text("Release of the cluster, by whose rules policies read pods; otherwise what the API server says,"
                    + " in a dump the newest kubelet of its nodes, and 1.34 where nothing says it.")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting IGNORE_NEWER_FIELDS = Setting.ofFlag("--ignore-newer-fields", Shape.list(Shape.STRING))
            .label("NAME")
            .text("Read pods and volumes as if they did not have these fields, which came after 1.17; validate"
                    + " --explain has their names.")
            .in(FlagGroup.CLUSTER)
            .row();

    public static final Setting TIE_BREAK = Setting.ofFlag("--tie-break", Shape.STRING)
            .label("HOW")
            .choices("round-robin", "random", "first")
            .standard("round-robin")
            .text("Among equally good nodes: round-robin, random, first.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting REQUEUE_HINTS = Setting.ofFlag("--requeue-hints", Shape.BOOL)
            .standard("false")
            .text(
                    "Wake an unschedulable pod of a policy only for changes that can help it, as pods of profiles are woken,",
                    "and not for every change of the cluster, as 1.17 did.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_BUDGET = Setting.ofFlag("--decision-budget-millis", Shape.INT32)
            .standard("200")
            .unit("milliseconds")
            .range(0, Integer.MAX_VALUE, "must be greater than or equal to 0")
            .text(
                    "CPU time above which deciding one pod is told as an event, if other pods take far less; such a pod",
                    "waits longer for its next turn; 0 for no budget.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting VERIFY_DECISIONS = Setting.ofFlag("--verify-decisions", Shape.STRING)
            .label("SHARE")
            .standard("0.1%")
            .text(
                    "Make this share of the decisions a second time by asking every plugin about every node, such as 0.1% or",
                    "0.001, and count where it differs; what that gives decides. 0 for none.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting DECISION_HISTORY = Setting.ofFlag("--decision-history", Shape.INT32)
            .label("N")
            .standard("1000")
            .range(0, 100_000, "must be from 0 to 100000")
            .text(
                    "How many decisions to remember for the command why and /debug/decisions, a few kilobytes each; 0 for",
                    "none.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting IGNORE_UNREADABLE_PODS = Setting.ofFlag("--ignore-unreadable-pods", Shape.BOOL)
            .standard("false")
            .text(
                    "Let nodes take pods although one runs there that this program cannot read, so that nobody knows what it",
                    "takes. Otherwise they take none until it can be read or is gone.")
            .in(FlagGroup.SCHEDULING)
            .row();

    static final ImmutableList<Setting> ALL = ImmutableList.of(
            CONFIG,
            COMPAT,
            USE_LEGACY_POLICY,
            STRICT,
            FEATURE_GATES,
            RULES,
            RULE_EXECUTOR,
            VERIFY_RULES,
            PROFILE,
            PLUGIN_PATH,
            PLUGIN_SHA256,
            MASTER,
            RELEASE,
            IGNORE_NEWER_FIELDS,
            TIE_BREAK,
            REQUEUE_HINTS,
            DECISION_BUDGET,
            VERIFY_DECISIONS,
            DECISION_HISTORY,
            IGNORE_UNREADABLE_PODS);

    private RunSettings() {}
}
