package io.policyscheduler.engine.document;

import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A document in a file that a user passes as a policy or as a configuration: the file itself, one of several YAML documents, an
 * item of a List, or a value of a ConfigMap or Secret.
 *
 * @param content the kind of content
 * @param root the document, a null value if the content is {@link Content#EMPTY} or {@link Content#MALFORMED}
 * @param text the text that contains the document
 * @param origin the name for messages: the file, and for a value of a ConfigMap {@code FILE[KEY]}
 * @param key the key in the ConfigMap or Secret, empty elsewhere
 * @param error why the value of a ConfigMap is malformed, else null
 */
public record InputDocument(
        Content content,
        SourceNode root,
        String text,
        String origin,
        String key,
        @Nullable DocumentException error) {
    /** The key under which kube-scheduler reads a policy from a ConfigMap. */
    public static final String POLICY_KEY = "policy.cfg";
    /** The kind of a configuration of kube-scheduler. */
    public static final String CONFIGURATION_KIND = "KubeSchedulerConfiguration";
    /** The end of the kinds of plugin arguments. */
    private static final String ARGS = "Args";

    private static final String POLICY_KIND = "Policy";
    private static final Set<String> POLICY_KEYS = Set.of(
            "predicates",
            "priorities",
            "extenders",
            "extenderconfigs",
            "hardpodaffinitysymmetricweight",
            "alwayscheckallpredicates");
    private static final Set<String> CONFIG_MAPS = Set.of("ConfigMap", "Secret");
    private static final String FLAG_FIX = ": pass the file or ConfigMap that the flag names";
    private static final int MAX_KEYS = 4;
    private static final int MAX_DEPTH = 12;
    private static final SourceNode NOTHING = SourceNode.scalar(SourceNode.Kind.NULL, "null", new SourcePosition(1, 1));

    /** The kinds of content. */
    public enum Content {
        POLICY,
        CONFIGURATION,
        /** Only comments and white space, or {@code {}}. */
        EMPTY,
        /** Neither JSON nor YAML. */
        MALFORMED,
        OTHER
    }

    /** The documents of a file, in file order; at least one. Empty YAML documents are omitted if there are others. */
    public static List<InputDocument> in(SourceDocument document, String text, String file) {
        List<InputDocument> found = new ArrayList<>();
        document.documents().forEach(root -> add(root, text, file, found));
        List<InputDocument> used = found.stream()
                .filter(input -> input.content != Content.EMPTY || !input.key.isEmpty())
                .toList();
        if (!used.isEmpty()) {
            return used;
        }
        return List.of(found.isEmpty() ? of(document.root(), text, file) : found.get(0));
    }

    private static void add(SourceNode root, String text, String file, List<InputDocument> found) {
        add(root, string(root, "kind"), text, file, found);
    }

    /** @param kind of the object; the items of a list of one kind can omit it */
    private static void add(SourceNode root, String kind, String text, String file, List<InputDocument> found) {
        Optional<SourceNode> items = member(root, kind.equals("Template") ? "objects" : "items");
        if (items.isPresent() && (kind.endsWith("List") || kind.equals("Template"))) {
            String itemKind = kind.substring(0, kind.length() - (kind.endsWith("List") ? "List".length() : 0));
            items.get().items().forEach(item -> {
                String own = string(item, "kind");
                add(item, own.isEmpty() && CONFIG_MAPS.contains(itemKind) ? itemKind : own, text, file, found);
            });
        } else if (CONFIG_MAPS.contains(kind)) {
            addValues(root, kind.equals("Secret"), text, file, found);
        } else {
            found.add(of(root, text, file));
        }
    }

    private static void addValues(SourceNode map, boolean secret, String text, String file, List<InputDocument> found) {
        int before = found.size();
        for (String field : List.of("data", "stringData", "binaryData")) {
            boolean base64 = field.equals("binaryData") || (secret && field.equals("data"));
            for (SourceNode.Member entry :
                    member(map, field).map(SourceNode::members).orElse(List.of())) {
                if (entry.value().kind() == SourceNode.Kind.STRING) {
                    String value = entry.value().text();
                    found.add(value(entry.key(), base64 ? decoded(value) : value, file));
                }
            }
        }
        if (found.size() == before) {
            found.add(of(map, text, file));
        }
    }

    private static String decoded(String base64) {
        try {
            return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return base64;
        }
    }

    private static InputDocument value(String key, String text, String file) {
        String origin = file + "[" + key + "]";
        try {
            SourceNode root = SourceDocument.parse(text).root();
            return new InputDocument(content(root), root, text, origin, key, null);
        } catch (DocumentException e) {
            return new InputDocument(Content.MALFORMED, NOTHING, text, origin, key, e);
        }
    }

    private static InputDocument of(SourceNode root, String text, String file) {
        return new InputDocument(content(root), root, text, file, "", null);
    }

    /** The kind of content of a document; never {@link Content#MALFORMED}. */
    public static Content content(SourceNode root) {
        if (root.kind() == SourceNode.Kind.NULL
                || (root.kind() == SourceNode.Kind.OBJECT && root.members().isEmpty())) {
            return Content.EMPTY;
        }
        String kind = string(root, "kind");
        if (kind.equals(CONFIGURATION_KIND)) {
            return Content.CONFIGURATION;
        }
        String apiVersion = string(root, "apiVersion");
        boolean ourGroup = !apiVersion.contains("/") || apiVersion.startsWith("kubescheduler.config.k8s.io/");
        boolean policy = (kind.equals(POLICY_KIND) && ourGroup) || (kind.isEmpty() && hasPolicyKey(root));
        return policy ? Content.POLICY : Content.OTHER;
    }

    /** Whether a document has a field that only policies have. */
    public static boolean hasPolicyKey(SourceNode root) {
        return root.members().stream()
                .anyMatch(member -> POLICY_KEYS.contains(member.key().toLowerCase(Locale.ROOT)));
    }

    /**
     * The document to use if the file is passed as a policy or as a configuration: the first one if it has the content, else the
     * only one that has it.
     *
     * @param documents those of a file
     * @return empty if none or several documents have the content
     */
    public static Optional<InputDocument> find(List<InputDocument> documents, Content content) {
        InputDocument first = documents.get(0);
        if (first.content == content && first.key.isEmpty()) {
            return Optional.of(first);
        }
        if (content == Content.POLICY) {
            List<InputDocument> named = documents.stream()
                    .filter(document -> document.key.equals(POLICY_KEY) && document.content != Content.CONFIGURATION)
                    .toList();
            if (named.size() == 1) {
                return Optional.of(named.get(0));
            }
        }
        List<InputDocument> found = documents.stream()
                .filter(document -> document.content == content)
                .toList();
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    /** Whether a text is a configuration, or contains one and no policy. */
    public static boolean isConfiguration(String text) {
        try {
            List<InputDocument> documents = in(SourceDocument.parse(text), text, "");
            return find(documents, Content.POLICY).isEmpty()
                    && documents.stream().anyMatch(document -> document.content == Content.CONFIGURATION);
        } catch (DocumentException e) {
            return false;
        }
    }

    /** Whether exactly one document of a text has a content. */
    public static boolean contains(String text, Content content) {
        try {
            return find(in(SourceDocument.parse(text), text, ""), content).isPresent();
        } catch (DocumentException e) {
            return false;
        }
    }

    /**
     * The reason why a file with several documents has no single document with a content, for users.
     *
     * @param documents those of the file
     * @param content a policy or a configuration
     */
    public static String whyNone(List<InputDocument> documents, Content content) {
        String name = content == Content.POLICY ? "policy" : CONFIGURATION_KIND;
        List<InputDocument> found = documents.stream()
                .filter(document -> document.content == content)
                .toList();
        if (found.size() > 1) {
            return "the file contains " + found.size() + " documents of kind "
                    + (content == Content.POLICY ? POLICY_KIND : CONFIGURATION_KIND) + places(found)
                    + "; pass a file with one of them";
        }
        List<String> keys = documents.stream()
                .map(InputDocument::key)
                .filter(key -> !key.isEmpty())
                .toList();
        String described = documents.stream()
                .map(InputDocument::description)
                .distinct()
                .limit(3)
                .collect(Collectors.joining("; "));
        if (!keys.isEmpty() && content == Content.POLICY) {
            return "missing policy config map value at key " + GoText.quote(POLICY_KEY) + "; the keys are "
                    + String.join(", ", keys) + ": " + described;
        }
        return "the file contains no " + name + ": " + described;
    }

    private static String places(List<InputDocument> found) {
        String keys = found.stream()
                .map(document -> document.key.isEmpty()
                        ? "line " + document.root.position().line()
                        : document.key)
                .collect(Collectors.joining(", "));
        return " (" + keys + ")";
    }

    /** What the document seems to be and where it belongs, as part of a sentence; for example {@code a kubeconfig: pass it with --kubeconfig}. */
    public String description() {
        String name = key.isEmpty() ? "" : key + " is ";
        return error == null ? name + describe(root) : name + "neither JSON nor YAML (" + error.plainText() + ")";
    }

    /** The fields of a document without a field of a policy, and what it probably is. */
    public static String describeFields(SourceNode root) {
        List<String> keys =
                root.members().stream().map(SourceNode.Member::key).distinct().toList();
        String list = String.join(", ", keys.subList(0, Math.min(keys.size(), MAX_KEYS)))
                + (keys.size() > MAX_KEYS ? ", ..." : "");
        return "the document has " + list + "; it is "
                + schedulerFlags(root)
                        .map(flags -> "a file that starts kube-scheduler with " + flags + FLAG_FIX)
                        .orElseGet(() -> withoutKind(root));
    }

    /** What a document seems to be and where it belongs, as part of a sentence. */
    public static String describe(SourceNode root) {
        return switch (content(root)) {
            case EMPTY -> "empty";
            case POLICY -> "a policy: pass it with --policy-config-file (run) or --policy";
            case CONFIGURATION -> "a KubeSchedulerConfiguration: pass it with --config (run) or as config:FILE";
            case MALFORMED, OTHER -> describeOther(root);
        };
    }

    private static String describeOther(SourceNode root) {
        if (root.kind() == SourceNode.Kind.ARRAY) {
            return "a list"
                    + (root.items().isEmpty()
                            ? ""
                            : " whose first item is " + describe(root.items().get(0)));
        }
        if (root.kind() != SourceNode.Kind.OBJECT) {
            return "a value of type " + root.kind().goName();
        }
        String kind = string(root, "kind");
        String apiVersion = string(root, "apiVersion");
        String group = apiVersion.contains("/") ? apiVersion.substring(0, apiVersion.indexOf('/')) : "";
        Optional<String> flags = schedulerFlags(root);
        if (flags.isPresent()) {
            return (kind.isEmpty() ? "a file" : "an object of kind " + kind) + " that starts kube-scheduler with "
                    + flags.get() + FLAG_FIX;
        }
        return switch (kind) {
            case "" -> withoutKind(root);
            case "Config" -> "a kubeconfig: pass it with --kubeconfig";
            case "Scheduler" -> openShift(root);
            case "KubeScheduler" ->
                "the operator's object of OpenShift: the policy is in a ConfigMap that"
                        + " Scheduler/cluster names in spec.policy.name";
            case "ConfigMap", "Secret" -> withoutText(root, kind);
            case "Cluster" ->
                !group.equals("kops.k8s.io")
                        ? nested(root, "", 0).orElse("an object of kind Cluster")
                        : nested(root, "", 0)
                                .orElse(
                                        "a cluster of kops: with spec.kubeScheduler.usePolicyConfigMap, kops reads the policy from the"
                                                + " ConfigMap scheduler-policy in kube-system");
            case "ClusterConfiguration", "MasterConfiguration", "InitConfiguration" ->
                "a configuration of kubeadm" + " without a policy: scheduler.extraArgs names the file";
            case "MasterConfig" ->
                "a master configuration of OpenShift 3: pass the file that"
                        + " kubernetesMasterConfig.schedulerConfigFile names"
                        + path(root, "kubernetesMasterConfig", "schedulerConfigFile")
                                .map(node -> ", " + node.text())
                                .orElse("");
            case "Kustomization" -> "a file of Kustomize: pass the output of kubectl kustomize";
            case "DeschedulerPolicy" -> "a policy of the descheduler, which does not schedule pods";
            case "Policy" ->
                group.equals("audit.k8s.io")
                        ? "an audit policy of the API server"
                        : group.isEmpty() ? withoutKind(root) : "a policy of " + apiVersion + ", not of the scheduler";
            case "kubeSchedulerConfiguration", "KubeschedulerConfiguration", "SchedulerConfiguration" ->
                "a KubeSchedulerConfiguration with another kind: write kind: " + CONFIGURATION_KIND;
            case "Node", "Pod" -> "an object of kind " + kind + ": pass dumps and manifests with --cluster or --pods";
            default ->
                group.equals("kubescheduler.config.k8s.io") && kind.endsWith(ARGS)
                        ? "the arguments of the plugin " + kind.substring(0, kind.length() - ARGS.length())
                                + ": put them into pluginConfig[].args of a profile"
                        : hasPolicyKey(root)
                                ? "a policy with another kind: write kind: Policy and apiVersion: v1"
                                : nested(root, "", 0).orElse("an object of kind " + kind);
        };
    }

    private static String withoutText(SourceNode map, String kind) {
        for (SourceNode.Member entry :
                member(map, "data").map(SourceNode::members).orElse(List.of())) {
            if (entry.value().kind() == SourceNode.Kind.OBJECT) {
                return "a " + kind + " whose key " + entry.key() + " has an object instead of a text: write \""
                        + entry.key() + ": |\"";
            }
        }
        return "a " + kind + " without data: put the policy under the key " + POLICY_KEY;
    }

    private static String openShift(SourceNode scheduler) {
        Optional<SourceNode> name = path(scheduler, "spec", "policy", "name");
        Optional<SourceNode> profile = path(scheduler, "spec", "profile");
        String start = "OpenShift's object Scheduler";
        if (name.isPresent() && !name.get().text().isEmpty()) {
            String map = "openshift-config/" + name.get().text();
            return start + ": the policy is in the ConfigMap " + map + ", which configmap:" + map + " reads from the"
                    + " cluster";
        }
        return profile.map(node -> start + " with the profile " + node.text() + " and without spec.policy")
                .orElse(start + " without spec.policy: the scheduler uses DefaultProvider");
    }

    private static String withoutKind(SourceNode root) {
        Set<String> keys = root.members().stream()
                .map(member -> member.key().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        Predicate<String> has = keys::contains;
        if (Stream.of("urlprefix", "filterverb", "prioritizeverb", "bindverb", "preemptverb")
                .anyMatch(has)) {
            return "an extender: put it into the list extenders of a policy, as in"
                    + " {\"kind\": \"Policy\", \"apiVersion\": \"v1\", \"extenders\": [{...}]}";
        }
        if (Stream.of("clusters", "contexts", "users").allMatch(has) || has.test("current-context")) {
            return "a kubeconfig without kind: pass it with --kubeconfig";
        }
        if (Stream.of("profiles", "leaderelection", "algorithmsource", "clientconnection")
                .anyMatch(has)) {
            return "a KubeSchedulerConfiguration without kind: write kind: " + CONFIGURATION_KIND
                    + " and apiVersion: kubescheduler.config.k8s.io/v1, and pass it with --config";
        }
        if (Stream.of("plugins", "pluginconfig").anyMatch(has)) {
            return "a profile: put it into the list profiles of a KubeSchedulerConfiguration";
        }
        if (has.test("name") && Set.of("name", "weight", "argument").containsAll(keys)) {
            return "an entry of a policy: put it into the list " + (has.test("weight") ? "priorities" : "predicates");
        }
        if (Stream.of("rules", "tables").anyMatch(has)) {
            return "a library of rules: pass it with --rules";
        }
        if (has.test("data")) {
            return "a ConfigMap without kind: write kind: ConfigMap and apiVersion: v1";
        }
        if (path(root, "spec").filter(InputDocument::hasPolicyKey).isPresent()) {
            return "a policy below spec: move its fields to the top level";
        }
        if (has.test("metadata") || has.test("spec")) {
            return "an object without " + (string(root, "kind").isEmpty() ? "kind" : "a field of a policy");
        }
        return nested(root, "", 0).orElse("an object without any field of a policy");
    }

    /** A policy, an extender, or a configuration below a key of another document, such as the values of a chart. */
    private static Optional<String> nested(SourceNode node, String path, int depth) {
        if (depth > MAX_DEPTH) {
            return Optional.empty();
        }
        for (SourceNode.Member member : node.members()) {
            String place = path.isEmpty() ? member.key() : path + "." + member.key();
            Optional<String> inside = nestedAt(member.value(), place, depth);
            if (inside.isPresent()) {
                return inside;
            }
        }
        for (int i = 0; i < node.items().size(); i++) {
            Optional<String> inside = nestedAt(node.items().get(i), path + "[" + i + "]", depth);
            if (inside.isPresent()) {
                return inside;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> nestedAt(SourceNode value, String place, int depth) {
        if (value.kind() == SourceNode.Kind.STRING) {
            return value.text().indexOf('\n') < 0 && !SourceDocument.isJson(value.text())
                    ? Optional.empty()
                    : inText(value.text(), place);
        }
        Content content = value.kind() == SourceNode.Kind.OBJECT ? content(value) : Content.OTHER;
        if (content == Content.POLICY || content == Content.CONFIGURATION) {
            return Optional.of(
                    "an object that contains a " + name(content) + " at " + place + ": pass it in a file of its own");
        }
        return nested(value, place, depth + 1);
    }

    /** A policy, a configuration, or flags in a text field, as in cloud-init files and patches of kind. */
    private static Optional<String> inText(String text, String place) {
        try {
            SourceNode root = SourceDocument.parse(text).root();
            Content content = content(root);
            if (content == Content.POLICY || content == Content.CONFIGURATION) {
                return Optional.of("an object that contains a " + name(content) + " in the text at " + place
                        + ": pass it in a file of its own");
            }
            return schedulerFlags(root)
                    .map(flags -> "an object that starts kube-scheduler with " + flags + " by the text at " + place
                            + FLAG_FIX);
        } catch (DocumentException e) {
            return Optional.empty();
        }
    }

    private static String name(Content content) {
        return content == Content.POLICY ? "policy" : CONFIGURATION_KIND;
    }

    /** The flags of kube-scheduler that refer to a policy or a configuration, in a pod, a workload, or a file of an installer. */
    private static Optional<String> schedulerFlags(SourceNode root) {
        List<String> words = new ArrayList<>();
        collectWords(root, false, words, 0);
        boolean scheduler = words.stream().anyMatch(word -> word.contains("scheduler"));
        for (String flag : List.of("policy-config-file", "policy-configmap", "config", "algorithm-provider")) {
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i).replaceFirst("^--?", "");
                boolean installer = i > 0 && words.get(i - 1).isEmpty();
                boolean dashed = words.get(i).startsWith("-") && (scheduler || !flag.equals("config"));
                if (word.startsWith(flag + "=") && (dashed || installer)) {
                    return Optional.of("--" + word);
                }
                boolean last = i + 1 >= words.size();
                if (word.equals(flag) && (dashed || installer) && !last) {
                    return Optional.of("--" + flag + "=" + words.get(i + 1));
                }
            }
        }
        return Optional.empty();
    }

    /** Collects words of command lines, and keys of installers with an empty word before them. */
    private static void collectWords(SourceNode node, boolean ofScheduler, List<String> words, int depth) {
        if (depth > MAX_DEPTH) {
            return;
        }
        for (SourceNode.Member member : node.members()) {
            String key = member.key();
            boolean commands = Set.of("command", "args").contains(key);
            boolean scheduler = ofScheduler || key.toLowerCase(Locale.ROOT).contains("scheduler");
            boolean arguments = scheduler && key.toLowerCase(Locale.ROOT).contains("arg") && !commands;
            if (commands || arguments) {
                member.value().items().forEach(item -> {
                    if (item.kind() == SourceNode.Kind.STRING) {
                        if (arguments) {
                            words.add("");
                        }
                        // A shell command is one word with spaces.
                        words.addAll(List.of(item.text().strip().split("\\s+")));
                    } else if (arguments) {
                        words.add("");
                        words.add(string(item, "name"));
                        words.add(string(item, "value"));
                    }
                });
                if (arguments && member.value().kind() == SourceNode.Kind.STRING) {
                    words.add("");
                    words.addAll(List.of(member.value().text().strip().split("\\s+")));
                }
                for (SourceNode.Member argument : member.value().members()) {
                    SourceNode value = argument.value();
                    words.add("");
                    words.add(argument.key());
                    words.add(
                            value.items().isEmpty()
                                    ? value.text()
                                    : value.items().get(0).text());
                }
            } else {
                collectWords(member.value(), scheduler, words, depth + 1);
            }
        }
        node.items().forEach(item -> collectWords(item, ofScheduler, words, depth + 1));
    }

    private static Optional<SourceNode> path(SourceNode node, String... keys) {
        Optional<SourceNode> found = Optional.of(node);
        for (String key : keys) {
            found = found.flatMap(at -> member(at, key));
        }
        return found;
    }

    private static Optional<SourceNode> member(SourceNode node, String key) {
        return node.members().stream()
                .filter(member -> member.key().equals(key))
                .map(SourceNode.Member::value)
                .reduce((first, last) -> last);
    }

    private static String string(SourceNode node, String key) {
        return node.members().stream()
                .filter(member -> member.key().equalsIgnoreCase(key))
                .map(SourceNode.Member::value)
                .filter(value -> value.kind() == SourceNode.Kind.STRING)
                .map(SourceNode::text)
                .reduce("", (first, last) -> last);
    }
}
