package io.policyscheduler.framework.config;

import static io.policyscheduler.framework.config.Shape.field;
import static io.policyscheduler.framework.config.Shape.list;
import static io.policyscheduler.framework.config.Shape.object;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which keys each version of the configuration has. Mirrors {@code staging/src/k8s.io/kube-scheduler/config}. */
final class ConfigurationShapes {
    /** Where the value of a key belongs in versions that do not have the key at the top level any more. */
    static final Map<String, String> MOVED = ImmutableMap.<String, String>builder()
            .put("algorithmSource", "profiles[].plugins")
            .put("schedulerName", "profiles[].schedulerName")
            .put("plugins", "profiles[].plugins")
            .put("pluginConfig", "profiles[].pluginConfig")
            .put("disablePreemption", "profiles[].plugins.postFilter.disabled: [{name: DefaultPreemption}]")
            .put("bindTimeoutSeconds", "bindTimeoutSeconds in the args of VolumeBinding")
            .put("hardPodAffinitySymmetricWeight", "hardPodAffinityWeight in the args of InterPodAffinity")
            .put("healthzBindAddress", "the flags --bind-address and --secure-port")
            .put("metricsBindAddress", "the flags --bind-address and --secure-port")
            .buildOrThrow();

    private final ConfigVersion version;

    private ConfigurationShapes(ConfigVersion version) {
        this.version = version;
    }

    static Shape of(ConfigVersion version) {
        return new ConfigurationShapes(version).configuration();
    }

    private Shape configuration() {
        boolean profiles = version.atLeast(ConfigVersion.V1ALPHA2);
        List<Shape.Field> fields = new ArrayList<>();
        fields.add(field("kind", Shape.STRING));
        fields.add(field("apiVersion", Shape.STRING));
        fields.add(field("leaderElection", leaderElection()));
        fields.add(field("clientConnection", clientConnection()));
        fields.add(field("enableProfiling", Shape.BOOL));
        fields.add(field("enableContentionProfiling", Shape.BOOL));
        fields.add(field("percentageOfNodesToScore", Shape.INT32));
        fields.add(field("podInitialBackoffSeconds", Shape.INT64));
        fields.add(field("podMaxBackoffSeconds", Shape.INT64));
        if (!profiles) {
            fields.add(field("schedulerName", Shape.STRING));
            fields.add(field("algorithmSource", algorithmSource()));
            fields.add(field("hardPodAffinitySymmetricWeight", Shape.INT32));
            fields.add(field("plugins", plugins()));
            fields.add(field("pluginConfig", pluginConfig()));
        }
        if (!version.atLeast(ConfigVersion.V1BETA1)) {
            fields.add(field("disablePreemption", Shape.BOOL));
            fields.add(field("bindTimeoutSeconds", Shape.INT64));
        }
        if (!version.atLeast(ConfigVersion.V1BETA3)) {
            fields.add(field("healthzBindAddress", Shape.STRING));
            fields.add(field("metricsBindAddress", Shape.STRING));
        }
        if (profiles) {
            fields.add(field("profiles", list(profile())));
            fields.add(field("extenders", list(extender())));
        }
        if (version.atLeast(ConfigVersion.V1BETA1)) {
            fields.add(field("parallelism", Shape.INT32));
        }
        if (version.atLeast(ConfigVersion.V1)) {
            fields.add(field("delayCacheUntilActive", Shape.BOOL));
        }
        return new Shape(Shape.Kind.OBJECT, version.version() + "." + ConfigVersion.KIND, fields, null, false);
    }

    private Shape leaderElection() {
        List<Shape.Field> fields = new ArrayList<>(List.of(
                field("leaderElect", Shape.BOOL),
                field("leaseDuration", Shape.DURATION),
                field("renewDeadline", Shape.DURATION),
                field("retryPeriod", Shape.DURATION),
                field("resourceLock", Shape.STRING),
                field("resourceName", Shape.STRING),
                field("resourceNamespace", Shape.STRING)));
        if (version == ConfigVersion.V1ALPHA1) {
            fields.add(field("lockObjectName", Shape.STRING));
            fields.add(field("lockObjectNamespace", Shape.STRING));
        }
        return new Shape(Shape.Kind.OBJECT, "LeaderElectionConfiguration", fields, null, false);
    }

    private static Shape clientConnection() {
        return object(
                "ClientConnectionConfiguration",
                field("kubeconfig", Shape.STRING),
                field("acceptContentTypes", Shape.STRING),
                field("contentType", Shape.STRING),
                field("qps", Shape.FLOAT),
                field("burst", Shape.INT32));
    }

    private static Shape algorithmSource() {
        Shape file = object("SchedulerPolicyFileSource", field("path", Shape.STRING));
        Shape configMap =
                object("SchedulerPolicyConfigMapSource", field("namespace", Shape.STRING), field("name", Shape.STRING));
        return object(
                "SchedulerAlgorithmSource",
                field("policy", object("SchedulerPolicySource", field("file", file), field("configMap", configMap))),
                field("provider", Shape.STRING));
    }

    private Shape profile() {
        List<Shape.Field> fields = new ArrayList<>(List.of(
                field("schedulerName", Shape.STRING),
                field("plugins", plugins()),
                field("pluginConfig", pluginConfig())));
        if (version.atLeast(ConfigVersion.V1)) {
            fields.add(field("percentageOfNodesToScore", Shape.INT32));
        }
        return new Shape(Shape.Kind.OBJECT, "KubeSchedulerProfile", fields, null, false);
    }

    private Shape plugins() {
        Shape plugin = object("Plugin", field("name", Shape.STRING), field("weight", Shape.INT32));
        Shape set = object("PluginSet", field("enabled", list(plugin)), field("disabled", list(plugin)));
        List<String> keys = new ArrayList<>(List.of("queueSort", "preFilter", "filter"));
        if (version != ConfigVersion.V1ALPHA2) {
            keys.add("postFilter");
        }
        keys.addAll(List.of("score", "reserve", "permit", "preBind", "bind", "postBind"));
        if (version.atLeast(ConfigVersion.V1ALPHA2)) {
            keys.add("preScore");
        }
        if (!version.atLeast(ConfigVersion.V1BETA1)) {
            keys.add("unreserve");
        }
        if (version.atLeast(ConfigVersion.V1BETA2)) {
            keys.add("preEnqueue");
            keys.add("multiPoint");
        }
        List<Shape.Field> fields = keys.stream().map(key -> field(key, set)).toList();
        return new Shape(Shape.Kind.OBJECT, "Plugins", fields, null, false);
    }

    private static Shape pluginConfig() {
        return list(object("PluginConfig", field("name", Shape.STRING), field("args", Shape.ARGUMENTS)));
    }

    /** Up to v1alpha2 an extender is that of a Policy: keys in any case, the timeout in nanoseconds. */
    private Shape extender() {
        boolean old = !version.atLeast(ConfigVersion.V1BETA1);
        Shape tls = object(
                "ExtenderTLSConfig",
                field("insecure", Shape.BOOL),
                field("serverName", Shape.STRING),
                field("certFile", Shape.STRING),
                field("keyFile", Shape.STRING),
                field("caFile", Shape.STRING),
                field("certData", Shape.BYTES),
                field("keyData", Shape.BYTES),
                field("caData", Shape.BYTES));
        Shape managed =
                object("ExtenderManagedResource", field("name", Shape.STRING), field("ignoredByScheduler", Shape.BOOL));
        Shape extender = object(
                "Extender",
                field("urlPrefix", Shape.STRING),
                field("filterVerb", Shape.STRING),
                field("preemptVerb", Shape.STRING),
                field("prioritizeVerb", Shape.STRING),
                field("weight", Shape.INT64),
                field("bindVerb", Shape.STRING),
                field(old ? "enableHttps" : "enableHTTPS", Shape.BOOL),
                field("tlsConfig", old ? tls.loosely() : tls),
                field("httpTimeout", old ? Shape.INT64 : Shape.DURATION),
                field("nodeCacheCapable", Shape.BOOL),
                field("managedResources", list(old ? managed.loosely() : managed)),
                field("ignorable", Shape.BOOL));
        return old ? extender.loosely() : extender;
    }
}
