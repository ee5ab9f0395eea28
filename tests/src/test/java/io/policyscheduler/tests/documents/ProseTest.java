package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The prose linter: applies the word lists of {@code docs/style}, which have Vale's rule format, to everything that users read. These are
 * all pages, messages and help texts (string literals of main sources with at least two words), and the texts of the web page, the
 * playground, and the HTML reports.
 */
class ProseTest {
    private static final int FEWEST_RULES = 60;
    private static final int SHOWN = 60;
    private static final int MOST_WORDS = 35_000;
    /** Pages whose tables are generated from the program or compared with it. */
    private static final Set<String> REFERENCE =
            Set.of("docs/codes.md", "docs/kubectl.md", "docs/metrics.md", "docs/releases.md", "docs/settings.md");

    private static final Pattern TABLE_ROW = Pattern.compile("(?m)^\\|.*$");
    private static final Path STYLES = RepositoryFiles.root().resolve("docs/style/PolicyScheduler");

    /** Two literals that are one text. */
    private static final Pattern JOIN = Pattern.compile("\"\\s*\\n?\\s*\\+ \"");

    private static final Pattern JAVA_LITERAL =
            Pattern.compile("\"\"\"(.*?)\"\"\"|\"((?:[^\"\\\\\n]|\\\\.)*)\"", Pattern.DOTALL);
    private static final Pattern SCRIPT_LITERAL =
            Pattern.compile("'((?:[^'\\\\\n]|\\\\.)*)'|\"((?:[^\"\\\\\n]|\\\\.)*)\"|`([^`]*)`");
    /** Values in templates of scripts. */
    private static final Pattern VALUE = Pattern.compile("\\$\\{[^}]*\\}");

    /** Texts of kube-scheduler, which stay as they are. */
    private static final Set<String> OF_KUBERNETES =
            Set.of("wasn't assumed so cannot be forgotten", "got deallocated elsewhere in the meantime");

    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*(?:/?\\*|//).*$|(?<=[;,{])\\s*//.*$");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`|\\]\\([^)\n]*\\)|<!--.*?-->", Pattern.DOTALL);
    /** Names of JSON fields, codes with hyphens, and flags: part of the interface, whatever they are called. */
    private static final Pattern NAME = Pattern.compile("\\\\\"[\\w-]+\\\\\"|--[a-z-]+|\\b[a-z]+-[a-z-]+\\b");

    private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\w*)[^\n]*\n.*?^```$");

    private record Rule(String file, Pattern pattern, String advice) {}

    private static final List<Rule> RULES = rules();

    @Test
    void hasEnoughRules() {
        assertTrue(RULES.size() >= FEWEST_RULES, RULES.size() + " rules");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Decides the pending pods of a cluster, offline",
                "what the policy comes to is told",
                "the behaviour of this way of deciding",
                "policy generation 2 is in force",
                "the DECIDER to compare with"
            })
    void findsDiscouragedWords(String text) {
        assertFalse(findings("example", text).isEmpty(), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Simulates scheduling of the pending pods in a snapshot.",
                "The scheduler honors Retry-After.",
                "0/13 nodes are available: 1 node(s) were unschedulable, 12 Insufficient cpu."
            })
    void acceptsPlainEnglish(String text) {
        assertEquals(List.of(), findings("example", text));
    }

    @Test
    void pagesArePlainEnglish() {
        List<String> found = new ArrayList<>();
        Pages.read().forEach(page -> found.addAll(findings(Pages.name(page), prose(Pages.text(page)))));
        assertClean(found);
    }

    /** README and docs without blocks of code, which tests paste, and without the tables of reference pages. */
    @Test
    void pagesAreShort() {
        int words = Pages.read().stream()
                .filter(page ->
                        Pages.name(page).startsWith("docs/") || Pages.name(page).equals("README.md"))
                .mapToInt(page -> words(Pages.name(page), Pages.text(page)))
                .sum();
        assertTrue(words < MOST_WORDS, words + " words");
        assertEquals(2, words("docs/settings.md", "| a | b |\nTwo words\n```sh\nno words\n```\n"));
    }

    private static int words(String name, String markdown) {
        String text = FENCE.matcher(markdown).replaceAll("");
        boolean isReference = name.startsWith("docs/commands/") || REFERENCE.contains(name);
        String counted = isReference ? TABLE_ROW.matcher(text).replaceAll("") : text;
        return Splitter.on(CharMatcher.whitespace())
                .omitEmptyStrings()
                .splitToList(counted)
                .size();
    }

    @Test
    void messagesAndHelpArePlainEnglish() {
        List<String> found = new ArrayList<>();
        for (Path file : files(path -> path.contains("/src/main/java/") && path.endsWith(".java"))) {
            String text = JOIN.matcher(COMMENT.matcher(Pages.text(file)).replaceAll(""))
                    .replaceAll("");
            literals(JAVA_LITERAL, text).forEach(literal -> found.addAll(findings(Pages.name(file), literal)));
        }
        assertClean(found);
    }

    @Test
    void webPagesArePlainEnglish() {
        List<String> found = new ArrayList<>();
        for (Path file : files(path ->
                path.contains("/cmd/app/src/main/resources/") && (path.endsWith(".js") || path.endsWith(".html")))) {
            String text = Pages.text(file);
            if (file.toString().endsWith(".html")) {
                found.addAll(findings(Pages.name(file), text.replaceAll("<[^>]*>", " ")));
            } else {
                String code = COMMENT.matcher(text).replaceAll("");
                literals(SCRIPT_LITERAL, code).forEach(literal -> found.addAll(findings(Pages.name(file), literal)));
            }
        }
        assertClean(found);
    }

    private static void assertClean(List<String> found) {
        List<String> shown = found.subList(0, Math.min(found.size(), SHOWN));
        assertTrue(found.isEmpty(), () -> found.size() + " findings:\n" + String.join("\n", shown));
    }

    /** The text of a page without code, link targets, and blocks of code. */
    private static String prose(String markdown) {
        return CODE.matcher(FENCE.matcher(markdown).replaceAll("")).replaceAll(" ");
    }

    /** Literals that people read: at least two words. */
    private static List<String> literals(Pattern pattern, String code) {
        return pattern.matcher(code)
                .results()
                .map(match -> {
                    String text = null;
                    for (int i = 1; i <= match.groupCount() && text == null; i++) {
                        text = match.group(i);
                    }
                    return text == null ? "" : text;
                })
                .map(text -> NAME.matcher(VALUE.matcher(text).replaceAll("_")).replaceAll("_"))
                .filter(text -> text.strip().contains(" "))
                .filter(text -> OF_KUBERNETES.stream().noneMatch(text::contains))
                .toList();
    }

    private static List<String> findings(String place, String text) {
        List<String> found = new ArrayList<>();
        for (Rule rule : RULES) {
            Matcher matcher = rule.pattern().matcher(text);
            while (matcher.find()) {
                int from = Math.max(0, matcher.start() - 40);
                int to = Math.min(text.length(), matcher.end() + 40);
                found.add(place + ": " + rule.advice() + ": ..."
                        + text.substring(from, to).replace("\n", " ").strip() + "...");
            }
        }
        return found;
    }

    private static List<Path> files(Predicate<String> condition) {
        try (Stream<Path> files = Files.walk(RepositoryFiles.root())) {
            return files.filter(Files::isRegularFile)
                    .filter(file ->
                            !RepositoryFiles.root().relativize(file).toString().contains("target/"))
                    .filter(file -> condition.test(file.toString()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Rule> rules() {
        ObjectMapper yaml = new ObjectMapper(new YAMLFactory());
        List<Rule> rules = new ArrayList<>();
        try (Stream<Path> files = Files.list(STYLES)) {
            for (Path file : files.sorted().toList()) {
                JsonNode list = yaml.readTree(file.toFile());
                String name = String.valueOf(file.getFileName());
                String message = list.path("message").asText();
                list.path("swap").properties().forEach(swap -> {
                    String advice = message.replaceFirst(
                            "%s", Matcher.quoteReplacement(swap.getValue().asText()));
                    rules.add(rule(
                            name, swap.getKey(), advice.replaceFirst("%s", Matcher.quoteReplacement(swap.getKey()))));
                });
                list.path("tokens")
                        .forEach(token -> rules.add(rule(
                                name,
                                token.asText(),
                                message.replaceFirst("%s", Matcher.quoteReplacement(token.asText())))));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return List.copyOf(rules);
    }

    private static Rule rule(String file, String regex, String advice) {
        Pattern pattern = Pattern.compile("\\b(?:" + regex + ")\\b", Pattern.CASE_INSENSITIVE);
        return new Rule(file, pattern, advice);
    }
}
