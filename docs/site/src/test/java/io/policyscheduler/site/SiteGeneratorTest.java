package io.policyscheduler.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SiteGeneratorTest {
    private static final String QUESTIONS = """
            # Documents

            | question | page |
            |---|---|
            | How do I *start*? | [start.md](start.md), then [more.md](deep/more.md) and [words](deep/more.md#b) |
            | What now & then? | [deep](deep/README.md) |
            """;

    @TempDir
    Path root = Path.of("");

    @BeforeEach
    void write() throws IOException {
        write("README.md", "# project\n\n[docs](docs/README.md)\n");
        write("docs/README.md", QUESTIONS);
        write("docs/start.md", "# Start\n");
        write("docs/deep/README.md", "# Deep\n");
        write("docs/deep/more.md", "# More `of` it\n\n## a\n\n## b\n\n## b\n");
        write("docs/deep/data.yaml", "a: 1\n");
        write("docs/alone.md", "# Nobody leads to it\n");
        write("code/src/Main.java", "class Main {}\n");
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text);
    }

    private String site(String file) throws IOException {
        return Files.readString(root.resolve("site").resolve(file));
    }

    private void generate() throws IOException {
        SiteGenerator.main(new String[] {root.toString(), root.resolve("site").toString()});
    }

    /** The text of docs/start.html for a text in Markdown. */
    private String html(String markdown) throws IOException {
        write("docs/start.md", markdown);
        generate();
        String page = site("docs/start.html");
        int start = page.indexOf("<main id=\"text\">\n") + "<main id=\"text\">\n".length();
        return page.substring(start, page.indexOf("<footer>"));
    }

    @Test
    void hasThePagesThatOthersLeadToAndTheirMarkdown() throws IOException {
        write("docs/start.md", "[data](deep/data.yaml)");
        generate();
        try (Stream<Path> files = Files.walk(root.resolve("site"))) {
            assertEquals(
                    List.of(
                            "README.md",
                            "docs/README.md",
                            "docs/deep/README.md",
                            "docs/deep/data.yaml",
                            "docs/deep/index.html",
                            "docs/deep/more.html",
                            "docs/deep/more.md",
                            "docs/index.html",
                            "docs/start.html",
                            "docs/start.md",
                            "index.html",
                            "site.css"),
                    files.filter(Files::isRegularFile)
                            .map(file -> root.resolve("site").relativize(file).toString())
                            .sorted()
                            .toList());
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    deep/more.md,             <a href="deep/more.html">x</a>
                    deep/more.md#b-1,         <a href="deep/more.html#b-1">x</a>
                    README.md,                <a href="index.html">x</a>
                    ../README.md,             <a href="../index.html">x</a>
                    deep,                     <a href="deep/index.html">x</a>
                    deep/,                    <a href="deep/index.html">x</a>
                    deep/data.yaml,           <a href="deep/data.yaml">x</a>
                    #here,                    <a href="#here">x</a>
                    https://example.com/a.md, <a href="https://example.com/a.md">x</a>
                    ../code/src/Main.java,    x
                    ../code,                  x
                    """)
    void linksLeadToWhatTheSiteHas(String address, String expected) throws IOException {
        assertEquals("<p>" + expected + "</p>\n", html("[x](" + address + ")"));
    }

    @ParameterizedTest
    @CsvSource({
        "[x](missing.md), docs/start.md: missing.md leads to no file of the repository; correct or remove the link",
        "[x](../../etc), docs/start.md: ../../etc leads to no file of the repository; correct or remove the link",
        "![x](https://example.com/a.png), docs/start.md: https://example.com/a.png is an image of another host; put it into the repository"
    })
    void refusesWhatLeadsNowhere(String markdown, String message) throws IOException {
        write("docs/start.md", markdown);
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, this::generate).getMessage());
    }

    @Test
    void headingsHaveAnchorsAndContents() throws IOException {
        generate();
        String page = site("docs/deep/more.html");
        String anchor = "<a class=\"anchor\" href=\"#more-of-it\">#</a>";
        assertTrue(page.contains("<h1 id=\"more-of-it\">More <code>of</code> it " + anchor + "</h1>"), page);
        assertTrue(page.contains("<h2 id=\"b-1\">"), page);
        assertTrue(page.contains("<li><a href=\"#b-1\">b</a></li>"), page);
        assertTrue(page.contains("<title>More of it - policy-scheduler</title>"), page);
        assertFalse(site("docs/start.html").contains("On this page"));
    }

    @Test
    void commentsAreLeftOut() throws IOException {
        String html = html("a <!-- secret --> b<br>c\n\n<!-- secret\n\nof lines -->\n\nd\n");
        assertFalse(html.contains("secret") || html.contains("<!--") || html.contains("of lines"), html);
        assertTrue(html.contains("b<br>c"), html);
    }

    @Test
    void consolesTellWhatIsTyped() throws IOException {
        assertEquals("""
                <pre tabindex="0"><code class="language-console"><span class="prompt">$ </span><b>a &lt;f \\</b>
                <b>  b</b>
                said
                </code></pre>
                """, html("```console run settled\n$ a <f \\\n  b\nsaid\n```\n"));
        assertEquals(
                "<pre tabindex=\"0\"><code class=\"language-sh\">$ a\n</code></pre>\n",
                html("```sh start\n$ a\n```\n"));
        assertEquals("<pre tabindex=\"0\"><code class=\"language-text\">a\n</code></pre>\n", html("```\na\n```\n"));
    }

    @Test
    void tablesScroll() throws IOException {
        String html = html("| a |\n|---|\n| [x](deep/more.md) |\n");
        assertTrue(html.startsWith("<div class=\"scroll\" tabindex=\"0\">\n<table>"), html);
        assertTrue(html.contains("<td><a href=\"deep/more.html\">x</a></td>"), html);
    }

    @Test
    void questionsLeadToThePagesFromEachOfThem() throws IOException {
        generate();
        String page = site("docs/deep/more.html");
        String start = "<li><a href=\"../start.html\">How do I start?</a> <small>";
        assertTrue(page.contains(start + "<a href=\"more.html\" aria-current=\"page\">More of it</a>, "), page);
        assertTrue(page.contains("<li><a href=\"index.html\">What now &amp; then?</a></li>"), page);
        assertFalse(site("index.html").contains("aria-current"));
    }

    @Test
    void aPageBelowAnAnswerBelongsToIt() throws IOException {
        write("docs/deep/below.md", "# Below\n");
        write("docs/deep/README.md", "[below](below.md)\n");
        generate();
        String page = site("docs/deep/below.html");
        assertTrue(page.contains("<a href=\"index.html\" aria-current=\"true\">What now"), page);
    }

    @Test
    void refusesAQuestionWithoutAnswer() throws IOException {
        write("docs/README.md", "| q | p |\n|---|---|\n| Why? | so |\n");
        assertEquals(
                "docs/README.md: the row \"Why?\" has no link to a page; add one or remove the row",
                assertThrows(IllegalArgumentException.class, this::generate).getMessage());
    }
}
