package io.policyscheduler.cmd.sources;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.cmd.sources.PolicyLoader.PolicyTexts;
import io.policyscheduler.cmd.sources.ProfileResolver.Configured;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.InputDocument;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler in the syntax of commands: {@code policy:FILE}, {@code configmap:NAMESPACE/NAME}, {@code provider:NAME},
 * {@code config:FILE[#PROFILE]} or {@code modern}. With the prefix {@code legacy:}, predicates and priorities run as functions;
 * with {@code strict:}, exactly as in v1.17. Older spellings are {@code framework:FILE}, {@code legacy:FILE}, {@code strict:FILE}
 * and {@code modern:CONFIG}.
 *
 * @param text the original text
 * @param functions whether predicates and priorities run as functions instead of plugins
 * @param strict whether it reproduces v1.17 exactly
 * @param value the text after the kind; empty for {@link Kind#MODERN}
 * @param release release of the kube-scheduler, the suffix {@code @1.29}; null if absent
 */
record SourceText(
        String text,
        boolean functions,
        boolean strict,
        Kind kind,
        String value,
        @Nullable Release release) {
    /** Kinds of sources. */
    enum Kind {
        POLICY,
        CONFIGMAP,
        PROVIDER,
        CONFIG,
        MODERN
    }

    static final String FORMS =
            "policy:FILE, configmap:NAMESPACE/NAME, provider:NAME, config:FILE[#PROFILE] or modern; optionally"
                    + " with the suffix @1.N (the kube-scheduler of a release), or the prefix legacy: or strict:";

    private static final String DEFAULT_PROVIDER = "DefaultProvider";
    private static final String LEGACY = "legacy";
    private static final String STRICT = "strict";
    private static final Map<String, Kind> KINDS = Map.of(
            "policy", Kind.POLICY,
            "framework", Kind.POLICY,
            "configmap", Kind.CONFIGMAP,
            "provider", Kind.PROVIDER,
            "config", Kind.CONFIG,
            "modern", Kind.MODERN);
    private static final List<String> WORDS =
            List.of("policy", "configmap", "provider", "config", "modern", LEGACY, STRICT, "framework");

    private static final Pattern RELEASE = Pattern.compile("(.+)@(v?1\\.\\d{1,3}(?:\\.\\d+)?)");
    private static final Pattern FILE = Pattern.compile("/|\\.(?:json|ya?ml|conf|cfg|txt)$");

    /** The default namespace is that of v1.17's flags. */
    private static final String POLICY_NAMESPACE = "kube-system";

    /** Whether it is the provider whose plugins later became the default ones. */
    boolean isDefaultProvider() {
        return kind == Kind.PROVIDER && value.equals(DEFAULT_PROVIDER);
    }

    /**
     * Parses a text. A file name without a kind is the policy or the configuration in the file.
     *
     * @param files reads a file
     * @throws InputException if the text is invalid
     */
    static SourceText parse(String text, Function<Path, String> files) {
        Matcher behind = RELEASE.matcher(text);
        String file = !isFile(text) && behind.matches() ? behind.group(1) : text;
        if (!isFile(file)) {
            return parse(text);
        }
        boolean isConfiguration = InputDocument.isConfiguration(files.apply(Path.of(file)));
        return parse((isConfiguration ? "config:" : "policy:") + text);
    }

    private static boolean isFile(String text) {
        try {
            return !KINDS.containsKey(text) && Files.isRegularFile(Path.of(text));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /**
     * Parses a text with a kind.
     *
     * @throws InputException if the text is invalid
     */
    static SourceText parse(String text) {
        Matcher behind = RELEASE.matcher(text);
        if (!behind.matches() || isFile(text.substring(text.indexOf(':') + 1))) {
            return plain(text);
        }
        SourceText source = plain(behind.group(1));
        if (source.functions || source.strict) {
            throw new InputException(
                    "\"" + text + "\": legacy: and strict: mean 1.17; remove @" + behind.group(2) + ", or the prefix");
        }
        return new SourceText(text, false, false, source.kind, source.value, Release.parse(behind.group(2)));
    }

    private static SourceText plain(String text) {
        int colon = text.indexOf(':');
        String word = colon < 0 ? text : text.substring(0, colon);
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        if (!word.equals(LEGACY) && !word.equals(STRICT)) {
            return of(text, false, false, word, rest);
        }
        int next = rest.indexOf(':');
        Kind behind = next < 0 ? null : KINDS.get(rest.substring(0, next));
        if (rest.equals("modern") || behind == Kind.CONFIG || behind == Kind.MODERN) {
            throw new InputException("\"" + text + "\": " + word + ": is only valid before policy:FILE,"
                    + " configmap:NAMESPACE/NAME, or provider:NAME");
        }
        return behind == null
                ? of(text, word.equals(LEGACY), word.equals(STRICT), "policy", rest)
                : of(text, word.equals(LEGACY), word.equals(STRICT), rest.substring(0, next), rest.substring(next + 1));
    }

    private static SourceText of(String text, boolean functions, boolean strict, String word, String value) {
        @Nullable Kind kind = KINDS.get(word);
        if (kind == null || (value.isEmpty() && kind != Kind.MODERN)) {
            throw unknown(text, kind == null ? word : "");
        }
        return new SourceText(
                text, functions, strict, kind == Kind.MODERN && !value.isEmpty() ? Kind.CONFIG : kind, value, null);
    }

    private static InputException unknown(String text, String word) {
        if (looksLikeFile(text)) {
            return new InputException("no such file: " + text);
        }
        @Nullable String nearest = word.isEmpty() ? null : Suggestions.nearest(word, WORDS);
        return new InputException("\"" + text + "\" is not " + FORMS
                + (nearest == null ? "" : " (did you mean \"" + nearest + text.substring(word.length()) + "\"?)"));
    }

    /** Whether an unknown word is probably a file name. */
    private static boolean looksLikeFile(String text) {
        return FILE.matcher(text).find() && text.indexOf(':') < 0;
    }

    boolean isPolicy() {
        return kind == Kind.POLICY || kind == Kind.CONFIGMAP || kind == Kind.PROVIDER;
    }

    /** The file of {@link Kind#POLICY} and {@link Kind#CONFIG}. */
    Path file() {
        int hash = kind == Kind.CONFIG ? value.lastIndexOf('#') : -1;
        return Path.of(hash < 0 ? value : value.substring(0, hash));
    }

    /**
     * The configuration that the source names by a file or by a ConfigMap that contains a configuration and no policy.
     *
     * @param name of the scheduler in reports
     * @return empty if the source names a policy, a provider, or the defaults
     * @throws InputException if the text cannot be read
     */
    Optional<Configured> configuration(String name, PolicyTexts texts) {
        if (kind == Kind.CONFIG) {
            return Optional.of(new Configured(name, texts.file(file()), file().toString(), profile()));
        }
        if (kind != Kind.CONFIGMAP || functions || strict) {
            return Optional.empty();
        }
        String found = texts.configMap(configMap());
        return InputDocument.isConfiguration(found)
                ? Optional.of(new Configured(name, found, "configmap " + configMap(), profile()))
                : Optional.empty();
    }

    /** The profile of a configuration; empty for the first. */
    String profile() {
        int hash = value.lastIndexOf('#');
        return hash < 0 ? "" : value.substring(hash + 1);
    }

    /** The ConfigMap of {@link Kind#CONFIGMAP}. */
    ConfigMapName configMap() {
        int hash = value.indexOf('#');
        String name = hash < 0 ? value : value.substring(0, hash);
        int slash = name.indexOf('/');
        return new ConfigMapName(slash < 0 ? POLICY_NAMESPACE : name.substring(0, slash), name.substring(slash + 1));
    }
}
