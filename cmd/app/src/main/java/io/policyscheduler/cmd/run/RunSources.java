package io.policyscheduler.cmd.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.history.RunReplay;
import io.policyscheduler.cmd.kube.connection.KubeConnection;
import io.policyscheduler.cmd.live.PolicyReloader;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.live.SchedulerSettings;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.cmd.sources.ProfilePlan;
import io.policyscheduler.engine.document.InputDocument;
import io.policyscheduler.framework.config.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/**
 * The flags of a recorded scheduler, and the texts of the files and ConfigMaps of its profiles. {@link Recorded} creates the same scheduler
 * from them.
 */
final class RunSources {
    private static final String SETTINGS = "settings";
    private static final String SEED = "seed";
    private static final String RELEASE = "release";
    private static final String TEXTS = "texts";
    private static final String CANARY = "canary";
    private static final String FILE = "file ";
    private static final String CONFIG_MAP = "configmap ";
    /** The maximum number of loads whose profiles are not in effect yet. */
    private static final int REMEMBERED = 4;

    private final SchedulerArguments run;
    private final ProfilePlan plan;
    private final long seed;
    /** The sources of the last loads, by the text that identifies a load. */
    private final Map<String, ObjectNode> loaded = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ObjectNode> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** @param seed the seed of the tie break */
    RunSources(SchedulerArguments run, ProfilePlan plan, long seed) {
        this.run = run;
        this.plan = plan;
        this.seed = seed;
    }

    /** Returns the settings of flags and environment variables, as flags. */
    ObjectNode start() {
        ObjectNode start = JsonNodeFactory.instance.objectNode().put(SEED, seed);
        ArrayNode given = start.putArray(SETTINGS);
        SettingTree settings = run.settings();
        for (Setting setting : SettingCatalog.withFlags()) {
            if (!settings.isGivenAtStart(setting)) {
                continue;
            }
            List<String> values = setting.isList()
                    ? settings.texts(setting)
                    : List.of(settings.find(setting).orElseThrow().text());
            values.forEach(value -> given.add(setting.flag() + "=" + value));
        }
        return start;
    }

    /** Returns the sources of loaded profiles. */
    ObjectNode of(ProfilePlan.Loaded profiles) {
        ObjectNode policy = JsonNodeFactory.instance
                .objectNode()
                .put(RELEASE, profiles.gates().release().toString());
        ObjectNode texts = policy.putObject(TEXTS);
        profiles.texts().texts().forEach(texts::put);
        for (String rules : run.settings().texts(RunSettings.RULES)) {
            texts.put(FILE + rules, InputFiles.text(Path.of(rules)));
        }
        String canary = run.settings().text(RunSettings.POLICY_CANARY);
        if (!canary.isEmpty()) {
            texts.put(FILE + canary, plan.canaryText());
        }
        return policy.put(CANARY, profiles.profiles().stream().anyMatch(ProfileSettings::isCanary));
    }

    /** Remembers the sources of loaded profiles, which may take effect later. */
    synchronized void loaded(ProfilePlan.Loaded profiles) {
        loaded.put(profiles.forReloading().text(), of(profiles));
    }

    /** Returns the sources of profiles that took effect; the last sources if these are not known. */
    synchronized ObjectNode of(PolicyReloader.Loaded profiles) {
        ObjectNode known = null;
        for (Map.Entry<String, ObjectNode> entry : loaded.entrySet()) {
            if (known == null || profiles.text().startsWith(entry.getKey())) {
                known = entry.getValue();
            }
        }
        ObjectNode policy = known == null ? JsonNodeFactory.instance.objectNode() : known.deepCopy();
        return policy.put(CANARY, profiles.profiles().stream().anyMatch(ProfileSettings::isCanary));
    }

    /** Creates the schedulers of a recording, with the recorded contents of the files that the command line names. */
    static final class Recorded implements RunReplay.Schedulers {
        private final Path folder;
        private int loads;

        /** @param folder an empty folder, for the recorded files */
        Recorded(Path folder) {
            this.folder = folder;
        }

        @Override
        public SchedulerSettings create(ObjectNode start, ObjectNode policy) throws IOException {
            Map<String, String> files = files(policy.path(TEXTS));
            List<String> arguments = new ArrayList<>();
            start.path(SETTINGS).forEach(setting -> arguments.add(replaced(setting.asText(), files)));
            RunCommand run = new RunCommand(Map.of());
            new CommandLine(run).parseArgs(arguments.toArray(String[]::new));
            ProfilePlan plan = new ProfilePlan(run.profileRequest())
                    .withCanary(policy.path(CANARY).asBoolean() ? run.canary() : null);
            try (KubeConnection connection = KubeConnection.ofAnswers(answers(policy))) {
                SchedulerSettings settings =
                        run.settings(plan.load(connection), start.path(SEED).asLong());
                // A recorded change enables it.
                return settings.withOptions(settings.options().withEnabled(false));
            }
        }

        /** Writes the recorded files, and returns their paths by the recorded ones. */
        private Map<String, String> files(JsonNode texts) throws IOException {
            Map<String, String> files = new LinkedHashMap<>();
            Path target = Files.createDirectory(folder.resolve(String.valueOf(++loads)));
            for (Map.Entry<String, JsonNode> text : texts.properties()) {
                if (text.getKey().startsWith(FILE)) {
                    Path recorded = Path.of(text.getKey().substring(FILE.length()));
                    files.put(
                            recorded.toString(),
                            target.resolve(files.size() + "-" + recorded.getFileName())
                                    .toString());
                }
            }
            for (Map.Entry<String, JsonNode> text : texts.properties()) {
                if (text.getKey().startsWith(FILE)) {
                    String path = Objects.requireNonNull(files.get(
                            Path.of(text.getKey().substring(FILE.length())).toString()));
                    String content = text.getValue().asText();
                    Files.writeString(
                            Path.of(path), InputDocument.isConfiguration(content) ? replaced(content, files) : content);
                }
            }
            return files;
        }

        private static String replaced(String text, Map<String, String> files) {
            String result = text;
            for (Map.Entry<String, String> file : files.entrySet()) {
                result = Pattern.compile("(?<=[\\s\"'=:,])" + Pattern.quote(file.getKey()) + "(?=[\\s\"',#@]|$)")
                        .matcher(result)
                        .replaceAll(Matcher.quoteReplacement(file.getValue()));
            }
            return result;
        }

        /** The responses of the API server: its release, and the ConfigMaps that were read. */
        private static Map<String, String> answers(ObjectNode policy) {
            Map<String, ObjectNode> maps = new HashMap<>();
            for (Map.Entry<String, JsonNode> text : policy.path(TEXTS).properties()) {
                if (text.getKey().startsWith(CONFIG_MAP)) {
                    String[] names =
                            text.getKey().substring(CONFIG_MAP.length()).split("[/ ]", 3);
                    maps.computeIfAbsent(
                                    "/api/v1/namespaces/" + names[0] + "/configmaps/" + names[1],
                                    path -> JsonNodeFactory.instance.objectNode())
                            .withObject("/data")
                            .set(names.length == 3 ? names[2] : "policy.cfg", text.getValue());
                }
            }
            Map<String, String> answers = new HashMap<>();
            maps.forEach((path, map) -> answers.put(path, map.toString()));
            answers.put(
                    "/version",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("gitVersion", "v" + policy.path(RELEASE).asText() + ".0")
                            .toString());
            return answers;
        }
    }
}
