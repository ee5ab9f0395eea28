package io.policyscheduler.cmd.snapshot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import io.policyscheduler.framework.devices.cel.SelectorCompiler.AttributeReads;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Anonymizes a dump without changing the decisions about its pods. */
public final class Anonymizer {
    private final Set<String> kept;
    private final Consumer<String> warnings;

    /**
     * @param kept texts that are not replaced, such as those of a policy
     * @param warnings receives omitted objects, and texts that remain although they may reveal something
     */
    public Anonymizer(Set<String> kept, Consumer<String> warnings) {
        this.kept = kept;
        this.warnings = warnings;
    }

    /** Copies of all objects of a dump, in the same order. */
    public List<ObjectNode> anonymous(List<ObjectNode> objects) {
        Set<String> selectors = new TreeSet<>();
        objects.forEach(object -> selectors.addAll(AnonymousDevices.selectors(object)));
        Pseudonyms names = new Pseudonyms(kept);
        AnonymousObjects copies = new AnonymousObjects(names, objects, AttributeReads.of(selectors));
        Set<String> unknown = new TreeSet<>();
        for (ObjectNode object : objects) {
            if (copies.copy(object) == null) {
                unknown.add(object.path("kind").asText());
            }
        }
        unknown.forEach(kind -> warnings.accept(
                "W155 objects of kind " + kind + " are omitted, because their fields may identify the cluster"));
        if (!selectors.isEmpty()) {
            warnings.accept(
                    "W155 device selectors, and the attribute strings that they read, are not anonymized; check them"
                            + " before you share the dump");
        }
        names.assign();
        List<ObjectNode> anonymous = new ArrayList<>();
        for (ObjectNode object : objects) {
            ObjectNode copy = copies.copy(object);
            if (copy != null) {
                anonymous.add(copy);
            }
        }
        return anonymous;
    }

    /** Names of volume claims: those of ephemeral volumes consist of the names of pod and volume. */
    static final class ClaimNames {
        private final AnonymousTexts texts;
        /** Pod and volume of ephemeral claims, by namespace/name. */
        private final Map<String, String[]> ephemeral = new HashMap<>();

        ClaimNames(AnonymousTexts texts, List<ObjectNode> objects) {
            this.texts = texts;
            objects.forEach(this::add);
        }

        /** Records the claims of a pod. */
        void add(ObjectNode object) {
            if (object.path("kind").asText().equals("Pod")) {
                String pod = object.path("metadata").path("name").asText();
                for (JsonNode volume : object.path("spec").path("volumes")) {
                    if (volume.has("ephemeral")) {
                        String name = volume.path("name").asText();
                        String namespace =
                                object.path("metadata").path("namespace").asText();
                        ephemeral.put(namespace + "/" + pod + "-" + name, new String[] {pod, name});
                    }
                }
            }
        }

        /** The pseudonym of a claim. */
        String name(String namespace, String claim) {
            String[] parts = ephemeral.get(namespace + "/" + claim);
            return parts == null ? texts.name(claim) : texts.name(parts[0]) + "-" + texts.name(parts[1]);
        }
    }

    /** Pseudonyms for the texts of objects: labels, images, and other names. */
    static final class AnonymousTexts {
        /** Their values decide how many volumes a node accepts. */
        private static final Set<String> OPEN_LABELS = Set.of(
                "node.kubernetes.io/instance-type",
                "beta.kubernetes.io/instance-type",
                "kubernetes.io/os",
                "kubernetes.io/arch",
                "beta.kubernetes.io/os",
                "beta.kubernetes.io/arch");

        private final UnaryOperator<String> names;

        AnonymousTexts(UnaryOperator<String> names) {
            this.names = names;
        }

        /** Another name. */
        String name(String text) {
            return names.apply(text);
        }

        /** Pseudonyms of the parts of a text. */
        String names(String text, String separator) {
            String[] parts = text.split(Pattern.quote(separator), -1);
            for (int i = 0; i < parts.length; i++) {
                parts[i] = names.apply(parts[i]);
            }
            return String.join(separator, parts);
        }

        /** The value of a label, replaced unless decisions depend on its meaning. */
        JsonNode label(Map.Entry<String, JsonNode> label) {
            return OPEN_LABELS.contains(label.getKey()) ? label.getValue() : text(label.getValue());
        }

        /** A volume of several zones lists all of them in one value. */
        JsonNode text(JsonNode value) {
            return value.isTextual() ? TextNode.valueOf(names(value.asText(), "__")) : value;
        }

        /** Labels with pseudonyms as values. */
        ObjectNode labels(JsonNode map) {
            ObjectNode copy = JsonNodeFactory.instance.objectNode();
            map.properties().forEach(label -> copy.set(label.getKey(), label(label)));
            return copy;
        }

        /** Names of images. */
        ArrayNode images(JsonNode list) {
            ArrayNode copy = JsonNodeFactory.instance.arrayNode();
            list.forEach(name -> copy.add(image(name.asText())));
            return copy;
        }

        /** A name without a tag means the tag latest. */
        String image(String name) {
            boolean tagged = name.contains("@") || name.lastIndexOf(':') > name.lastIndexOf('/');
            return names.apply(tagged ? name : name + ":latest") + ":a";
        }
    }

    /**
     * Pseudonyms. Equal texts get equal names, so that references stay valid; the order of names is preserved, so that ties are
     * broken as before.
     */
    static final class Pseudonyms implements UnaryOperator<String> {
        /** Names that all clusters have, or that reveal nothing. */
        private static final Set<String> KEPT = Set.of(
                "default",
                "kube-system",
                "kube-public",
                "kube-node-lease",
                "system-cluster-critical",
                "system-node-critical",
                "default-scheduler",
                "true",
                "false");

        private static final int DIGITS = 6;

        private final Set<String> kept;
        private final SortedSet<String> seen = new TreeSet<>();
        private final Map<String, String> names = new HashMap<>();

        /** @param kept texts that are not replaced, besides numbers and the names that all clusters have */
        Pseudonyms(Set<String> kept) {
            this.kept = Set.copyOf(kept);
        }

        /** Whether a text reveals nothing about a cluster. */
        static boolean isOpen(String text) {
            return text.isEmpty() || KEPT.contains(text) || isNumber(text);
        }

        /** Before {@link #assign}, records the text and returns it; afterwards, returns its pseudonym. */
        @Override
        public String apply(String text) {
            if (isOpen(text) || kept.contains(text)) {
                return text;
            }
            if (names.isEmpty()) {
                seen.add(text);
                return text;
            }
            String name = names.get(text);
            if (name == null) {
                throw new IllegalStateException("a text was not seen before names were given");
            }
            return name;
        }

        /** Assigns pseudonyms to all collected texts. */
        void assign() {
            List<String> all = new ArrayList<>(seen);
            for (int i = 0; i < all.size(); i++) {
                names.put(all.get(i), String.format("x%0" + DIGITS + "d", i + 1));
            }
        }

        /** Gt and Lt compare numbers. */
        private static boolean isNumber(String text) {
            return text.matches("-?\\d{1,18}");
        }
    }

    /**
     * The copies of {@code lab record --anonymize} for objects that arrive one by one: names are hashes with a secret key, so
     * that equal texts get equal names without a first pass. Unlike in a dump, the order of names changes. Attributes of devices
     * are replaced, too. Not thread-safe.
     */
    public static final class AnonymousStream implements UnaryOperator<@Nullable ObjectNode> {
        private static final int DIGITS = 12;

        private final AnonymousObjects copies;

        /**
         * Copies with one key.
         *
         * @param key random bytes; with them, one can test whether a name is in the result
         * @param kept texts that are not replaced
         */
        public AnonymousStream(byte[] key, Set<String> kept) {
            HashFunction hash = Hashing.hmacSha256(key);
            Set<String> open = Set.copyOf(kept);
            copies = new AnonymousObjects(
                    text -> Anonymizer.Pseudonyms.isOpen(text) || open.contains(text)
                            ? text
                            : "x"
                                    + hash.hashString(text, StandardCharsets.UTF_8)
                                            .toString()
                                            .substring(0, DIGITS),
                    List.of(),
                    AttributeReads.of(Set.of()));
        }

        /** Returns a copy; null for an object of a kind that may identify the cluster. */
        @Override
        public @Nullable ObjectNode apply(@Nullable ObjectNode object) {
            if (object == null) {
                return null;
            }
            copies.seen(object);
            return copies.copy(object);
        }
    }
}
