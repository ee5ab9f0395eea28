package io.policyscheduler.framework.config;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.framework.config.SchedulerConfiguration.BindAddress;
import io.policyscheduler.framework.config.Setting.FlagGroup;
import java.util.List;
import java.util.Optional;

/**
 * Every setting of a scheduler that a KubeSchedulerConfiguration file has. Validation, defaults, ranges, flags, variables and
 * {@code config show} are derived from these rows. Mirrors {@code pkg/scheduler/apis/config} and, for flags,
 * {@code cmd/kube-scheduler/app/options} of 1.17.
 */
public final class Settings {
    /** The message of Kubernetes about a maximum backoff that is shorter than the initial one. */
    public static final String LESS_THAN_INITIAL = "must be greater than or equal to PodInitialBackoffSeconds";

    private static final int MAX_PERCENTAGE = 100;
    private static final long ANY = Long.MAX_VALUE;

    public static final Setting LEADER_ELECT = Setting.of("leaderElection.leaderElect", Shape.BOOL)
            .byDefault("true")
            .flag("--leader-elect", "true")
            .in117("true")
            .text("Schedule pods only while this process is the leader. Required if you run several" + " replicas.")
            .in(FlagGroup.LEADER_ELECTION)
            .row();
    public static final Setting LEASE_DURATION = Setting.of("leaderElection.leaseDuration", Shape.DURATION)
            .zeroIsDefault("15s", "15s")
            .flag("--leader-elect-lease-duration", "15s")
            .text("Time after which other replicas acquire a lease that is not renewed.")
            .in(FlagGroup.LEADER_ELECTION)
            .row();
    public static final Setting RENEW_DEADLINE = Setting.of("leaderElection.renewDeadline", Shape.DURATION)
            .zeroIsDefault("10s", "10s")
            .flag("--leader-elect-renew-deadline", "10s")
            .text("Time after which a leader that cannot renew its lease stops leading.")
            .in(FlagGroup.LEADER_ELECTION)
            .row();
    public static final Setting RETRY_PERIOD = Setting.of("leaderElection.retryPeriod", Shape.DURATION)
            .zeroIsDefault("2s", "2s")
            .flag("--leader-elect-retry-period", "2s")
            .text("Time between attempts to acquire or renew the lease.")
            .in(FlagGroup.LEADER_ELECTION)
            .row();
    public static final Setting RESOURCE_LOCK = Setting.of("leaderElection.resourceLock", Shape.STRING)
            .zeroIsDefault("leases", "endpointsleases")
            .flag("--leader-elect-resource-lock", "leases")
            .in117("endpointsleases")
            .label("KIND")
            .text("Kind of the lock object: leases, endpoints, configmaps, endpointsleases (endpoints and"
                    + " leases), or configmapsleases (configmaps and leases). If a kube-scheduler up to 1.19 holds the"
                    + " same lock, use its kind.")
            .in(FlagGroup.LEADER_ELECTION)
            .row();
    /** The default in files is the name of the lock object in versions that have one. */
    public static final Setting RESOURCE_NAME = Setting.of("leaderElection.resourceName", Shape.STRING)
            .zeroIsDefault("kube-scheduler", "kube-scheduler")
            .flag("--leader-elect-resource-name", "")
            .in117("kube-scheduler")
            .also("--lock-object-name")
            .label("NAME")
            .text("Name of the lock object.")
            .displayedDefault("the scheduler name")
            .in(FlagGroup.LEADER_ELECTION)
            .row();
    /** The default in files is the namespace of the lock object in versions that have one. */
    public static final Setting RESOURCE_NAMESPACE = Setting.of("leaderElection.resourceNamespace", Shape.STRING)
            .zeroIsDefault("kube-system", "kube-system")
            .flag("--leader-elect-resource-namespace", "kube-system")
            .also("--lock-object-namespace")
            .label("NAMESPACE")
            .text("Namespace of the lock object.")
            .in(FlagGroup.LEADER_ELECTION)
            .row();

    public static final Setting LOCK_OBJECT_NAME = Setting.of("leaderElection.lockObjectName", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .text("Older name of leaderElection.resourceName.")
            .row();
    public static final Setting LOCK_OBJECT_NAMESPACE = Setting.of("leaderElection.lockObjectNamespace", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .text("Older name of leaderElection.resourceNamespace.")
            .row();

    public static final Setting KUBECONFIG = Setting.of("clientConnection.kubeconfig", Shape.STRING)
            .flag("--kubeconfig", "")
            .label("FILE")
            .text("Path to a kubeconfig. Not needed in a pod.")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting ACCEPT_CONTENT_TYPES =
            Setting.of("clientConnection.acceptContentTypes", Shape.STRING).row();
    public static final Setting CONTENT_TYPE = Setting.of("clientConnection.contentType", Shape.STRING)
            .zeroIsDefault("application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf")
            .flag("--kube-api-content-type", "")
            .label("TYPE")
            .text("Content type of requests to the API server.")
            .noEffect("W141", "the scheduler always sends JSON; remove the flag")
            .harmless("", "application/json")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting QPS = Setting.of("clientConnection.qps", Shape.FLOAT)
            .zeroIsDefault("50", "50")
            .flag("--kube-api-qps", "")
            .text("Maximum number of requests to the API server per second.")
            .noEffect("W141", "the scheduler does not limit its requests; use a FlowSchema on the API server")
            .in(FlagGroup.CLUSTER)
            .row();
    public static final Setting BURST = Setting.of("clientConnection.burst", Shape.INT32)
            .zeroIsDefault("100", "100")
            .flag("--kube-api-burst", "")
            .text("Maximum burst of requests to the API server.")
            .noEffect("W141", "the scheduler does not limit its requests; use a FlowSchema on the API server")
            .range(0, ANY, "must be non-negative")
            .in(FlagGroup.CLUSTER)
            .row();

    public static final Setting PROFILING = Setting.of("enableProfiling", Shape.BOOL)
            .byDefault("true")
            .flag("--profiling", "")
            .text("Go profiles of kube-scheduler. Accepted without effect.")
            .noEffect("W142", "policy-scheduler is not a Go program; use jcmd or Java Flight Recorder")
            .harmless("false")
            .in(FlagGroup.PLAIN_STATUS)
            .row();
    /** The default is the value of {@link #PROFILING}. */
    public static final Setting CONTENTION_PROFILING = Setting.of("enableContentionProfiling", Shape.BOOL)
            .flag("--contention-profiling", "")
            .text("Go profiles of lock contention. Accepted without effect.")
            .noEffect("W142", "policy-scheduler is not a Go program; use jcmd or Java Flight Recorder")
            .harmless("false")
            .in(FlagGroup.PLAIN_STATUS)
            .row();

    public static final Setting PERCENTAGE = Setting.of("percentageOfNodesToScore", Shape.INT32)
            .range(0, MAX_PERCENTAGE, "not in valid range [0-100]")
            .flag("--percentage-of-nodes-to-score", "0")
            .unit("percent")
            .text("Stop the search after this percentage of the nodes is feasible. 0 adapts to the cluster"
                    + " size, 100 evaluates all nodes.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting INITIAL_BACKOFF = Setting.of("podInitialBackoffSeconds", Shape.INT64)
            .byDefault("1")
            .range(1, ANY, "must be greater than 0")
            .flag("--pod-initial-backoff-seconds", "1")
            .unit("seconds")
            .text("Backoff of a pod after its first failed attempt. Doubles with each failure.")
            .in(FlagGroup.SCHEDULING)
            .row();
    /** At least {@link #INITIAL_BACKOFF}. */
    public static final Setting MAX_BACKOFF = Setting.of("podMaxBackoffSeconds", Shape.INT64)
            .byDefault("10")
            .flag("--pod-max-backoff-seconds", "10")
            .unit("seconds")
            .text("Maximum backoff of a pod.")
            .in(FlagGroup.SCHEDULING)
            .row();

    public static final Setting SCHEDULER_NAME = Setting.of("schedulerName", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .byDefault("default-scheduler")
            .flag("--scheduler-name", "policy-scheduler")
            .in117("default-scheduler")
            .label("NAME")
            .text("Schedule pods with this spec.schedulerName according to the policy.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting PROVIDER = Setting.of("algorithmSource.provider", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .flag("--algorithm-provider", "")
            .label("NAME")
            .text("DefaultProvider or ClusterAutoscalerProvider. Used if there is no policy.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting POLICY_FILE = Setting.of("algorithmSource.policy.file.path", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .flag("--policy-config-file", "")
            .label("FILE")
            .text("Policy file, JSON or YAML.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting POLICY_CONFIG_MAP = Setting.of("algorithmSource.policy.configMap.name", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .flag("--policy-configmap", "")
            .label("NAME")
            .text("ConfigMap with a policy in the key policy.cfg. Overrides --policy-config-file.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting POLICY_CONFIG_MAP_NAMESPACE = Setting.of(
                    "algorithmSource.policy.configMap.namespace", Shape.STRING)
            .until(ConfigVersion.V1ALPHA1)
            .zeroIsDefault("kube-system", "kube-system")
            .flag("--policy-configmap-namespace", "kube-system")
            .label("NAMESPACE")
            .text("Namespace of the policy ConfigMap.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting HARD_WEIGHT = Setting.of("hardPodAffinitySymmetricWeight", Shape.INT32)
            .until(ConfigVersion.V1ALPHA1)
            .byDefault("1")
            .range(0, MAX_PERCENTAGE, "not in valid range [0-100]")
            .flag("--hard-pod-affinity-symmetric-weight", "1")
            .text("Weight of required pod affinity terms of existing pods, 1 to 100.")
            .in(FlagGroup.POLICY)
            .row();
    public static final Setting DISABLE_PREEMPTION = Setting.of("disablePreemption", Shape.BOOL)
            .until(ConfigVersion.V1ALPHA2)
            .byDefault("false")
            .flag("--disable-preemption", "false")
            .text("Do not evict pods to make room for others.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting BIND_TIMEOUT = Setting.of("bindTimeoutSeconds", Shape.INT64)
            .until(ConfigVersion.V1ALPHA2)
            .byDefault("600")
            .flag("--bind-timeout-seconds", "600")
            .unit("seconds")
            .text("Maximum time to bind the volumes of a pod. 0 disables the limit.")
            .in(FlagGroup.SCHEDULING)
            .row();
    public static final Setting HEALTHZ_ADDRESS = Setting.of("healthzBindAddress", Shape.STRING)
            .until(ConfigVersion.V1BETA2)
            .byDefault(BindAddress.DEFAULT)
            .flag("--status-address", "")
            .label("HOST:PORT")
            .text("Address for the web page, /debug/decisions, /healthz, /livez, /readyz, /metrics, and /configz over"
                    + " plain HTTP, without authentication. Write :PORT to listen on all addresses, or only PORT to"
                    + " listen on loopback. Port 0 selects a free port.")
            .displayedDefault("off")
            .in(FlagGroup.PLAIN_STATUS)
            .row();
    public static final Setting METRICS_ADDRESS = Setting.of("metricsBindAddress", Shape.STRING)
            .until(ConfigVersion.V1BETA2)
            .byDefault(BindAddress.DEFAULT)
            .row();
    public static final Setting PARALLELISM = Setting.of("parallelism", Shape.INT32)
            .since(ConfigVersion.V1BETA1)
            .byDefault("16")
            .range(1, ANY, "should be an integer value greater than zero")
            .row();
    public static final Setting DELAY_CACHE = Setting.of("delayCacheUntilActive", Shape.BOOL)
            .since(ConfigVersion.V1)
            .byDefault("false")
            .row();

    private static final ImmutableList<Setting> ALL = ImmutableList.of(
            LEADER_ELECT,
            LEASE_DURATION,
            RENEW_DEADLINE,
            RETRY_PERIOD,
            RESOURCE_LOCK,
            RESOURCE_NAME,
            RESOURCE_NAMESPACE,
            LOCK_OBJECT_NAME,
            LOCK_OBJECT_NAMESPACE,
            KUBECONFIG,
            ACCEPT_CONTENT_TYPES,
            CONTENT_TYPE,
            QPS,
            BURST,
            PROFILING,
            CONTENTION_PROFILING,
            PERCENTAGE,
            INITIAL_BACKOFF,
            MAX_BACKOFF,
            SCHEDULER_NAME,
            PROVIDER,
            POLICY_FILE,
            POLICY_CONFIG_MAP,
            POLICY_CONFIG_MAP_NAMESPACE,
            HARD_WEIGHT,
            DISABLE_PREEMPTION,
            BIND_TIMEOUT,
            HEALTHZ_ADDRESS,
            METRICS_ADDRESS,
            PARALLELISM,
            DELAY_CACHE);

    private Settings() {}

    /** Every setting, in the order of the file. */
    public static List<Setting> all() {
        return ALL;
    }

    /** The setting of a flag, empty if configuration files do not have it. */
    public static Optional<Setting> ofFlag(String flag) {
        return ALL.stream()
                .filter(setting -> !flag.isEmpty() && setting.flag().equals(flag))
                .findFirst();
    }
}
