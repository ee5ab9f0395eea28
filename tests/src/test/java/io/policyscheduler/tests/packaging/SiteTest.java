package io.policyscheduler.tests.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.tests.RepositoryFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The generated site is complete, and needs no network. */
class SiteTest {
    private static final int FEWEST_LINKS = 1000;
    private static final long MOST_BYTES = 2_000_000;

    private static Path site = Path.of("");
    private static Map<Path, Document> pages = Map.of();

    @BeforeAll
    static void read() throws IOException {
        site = Built.site();
        Map<Path, Document> read = new TreeMap<>();
        for (Path file : files(site, ".html")) {
            read.put(file, Jsoup.parse(file.toFile(), "UTF-8"));
        }
        pages = read;
    }

    private static List<Path> files(Path folder, String suffix) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void hasEveryPageOfTheDocsAsHtmlAndAsMarkdown() throws IOException {
        Path root = RepositoryFiles.root();
        List<String> missing = new ArrayList<>();
        for (Path markdown : files(root.resolve("docs"), ".md")) {
            Path copy = site.resolve(root.relativize(markdown));
            Path html = copy.resolveSibling(copy.getFileName()
                    .toString()
                    .replace("README.md", "index.md")
                    .replace(".md", ".html"));
            if (!pages.containsKey(html)
                    || !Files.exists(copy)
                    || !Files.readString(copy).equals(Files.readString(markdown))) {
                missing.add(root.relativize(markdown).toString());
            }
        }
        assertEquals(List.of(), missing, "not on the site, or not as they are");
        assertTrue(pages.containsKey(site.resolve("index.html")));
        assertTrue(pages.containsKey(site.resolve("policy-files/rules/LANGUAGE.html")));
    }

    @Test
    void asksNoOtherHostAndRunsNoScript() throws IOException {
        List<String> found = new ArrayList<>();
        pages.forEach((file, page) -> {
            for (Element element : page.select("[src], [srcset], [style], link[href], object, iframe, base, form")) {
                boolean own = element.tagName().equals("link") && stays(element.attr("href"));
                if (!own) {
                    found.add(site.relativize(file) + ": " + element);
                }
            }
            page.select("script, style").forEach(element -> found.add(site.relativize(file) + ": " + element));
        });
        for (Path style : files(site, ".css")) {
            String text = Files.readString(style);
            if (text.contains("url(") || text.contains("@import")) {
                found.add(style.toString());
            }
        }
        assertEquals(List.of(), found);
    }

    private static boolean stays(String address) {
        return address.equals("data:,") || !URI.create(address).isAbsolute() && !address.startsWith("//");
    }

    @Test
    void everyLinkLeadsSomewhere() {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Map.Entry<Path, Document> page : pages.entrySet()) {
            for (Element link : page.getValue().select("a[href], link[href]")) {
                URI address = URI.create(link.attr("href"));
                if (address.isAbsolute()) {
                    continue;
                }
                links++;
                if (!leadsSomewhere(page.getKey(), address)) {
                    broken.add(site.relativize(page.getKey()) + ": " + address);
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(links > FEWEST_LINKS, "links found: " + links);
    }

    private static boolean leadsSomewhere(Path page, URI address) {
        Path file = address.getPath().isEmpty()
                ? page
                : page.resolveSibling(address.getPath()).normalize();
        if (!file.startsWith(site) || !Files.isRegularFile(file)) {
            return false;
        }
        Document target = pages.get(file);
        return address.getFragment() == null || target != null && target.getElementById(address.getFragment()) != null;
    }

    @Test
    void anIdIsGivenOnce() {
        pages.forEach((file, page) -> {
            List<String> ids = page.select("[id]").eachAttr("id");
            Set<String> twice = ids.stream()
                    .filter(id -> ids.indexOf(id) != ids.lastIndexOf(id))
                    .collect(Collectors.toSet());
            assertEquals(Set.of(), twice, file::toString);
        });
    }

    @Test
    void showsNoMarksOfTheTestsOfThePages() {
        pages.forEach((file, page) -> {
            assertEquals(
                    List.of(),
                    page.nodeStream(Comment.class).map(Comment::toString).toList(),
                    file::toString);
            List<String> languages = page.select("pre > code").eachAttr("class");
            assertTrue(languages.stream().allMatch(name -> name.matches("language-[a-z]+")), file + ": " + languages);
        });
    }

    @Test
    void isSmall() throws IOException {
        long bytes = 0;
        for (Path file : files(site, "")) {
            bytes += Files.size(file);
        }
        assertTrue(bytes < MOST_BYTES, bytes + " bytes; the archive carries them");
    }
}
