package io.policyscheduler.framework.config;

import static io.policyscheduler.engine.document.Shape.field;
import static io.policyscheduler.engine.document.Shape.list;
import static io.policyscheduler.engine.document.Shape.object;

import com.google.common.collect.ImmutableMap;
import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.engine.extender.ExtenderReader;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.Settings;
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
        List<Shape.Field> fields = new ArrayList<>();
        fields.add(field("kind", Shape.STRING));
        fields.add(field("apiVersion", Shape.STRING));
        fields.add(field("leaderElection", object("LeaderElectionConfiguration", settings("leaderElection."))));
        fields.add(field("clientConnection", object("ClientConnectionConfiguration", settings("clientConnection."))));
        fields.addAll(settings(""));
        if (version.atLeast(ConfigVersion.V1ALPHA2)) {
            fields.add(field("profiles", list(profile())));
            boolean old = !version.atLeast(ConfigVersion.V1BETA1);
            fields.add(field("extenders", list(old ? ExtenderReader.OF_POLICY : ExtenderReader.OF_CONFIGURATION)));
        } else {
            fields.add(field("algorithmSource", algorithmSource()));
            fields.add(field("plugins", plugins()));
            fields.add(field("pluginConfig", pluginConfig()));
        }
        return object(ConfigVersion.KIND, fields);
    }

    /** The settings directly under a path. */
    private List<Shape.Field> settings(String prefix) {
        List<Shape.Field> fields = new ArrayList<>();
        for (Setting setting : Settings.all()) {
            boolean here = setting.field().startsWith(prefix) && setting.field().indexOf('.', prefix.length()) < 0;
            if (here && setting.isIn(version)) {
                fields.add(field(setting.field().substring(prefix.length()), setting.shape()));
            }
        }
        return fields;
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
            fields.add(field(Settings.PERCENTAGE.field(), Settings.PERCENTAGE.shape()));
        }
        return object("KubeSchedulerProfile", fields);
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
        return object("Plugins", fields);
    }

    private static Shape pluginConfig() {
        return list(object("PluginConfig", field("name", Shape.STRING), field("args", Shape.ARGUMENTS)));
    }
}
