package io.policyscheduler.site;

import io.policyscheduler.site.Question.Library;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import org.commonmark.node.Node;

/**
 * Makes the site: HTML of each page, with the Markdown beside it, and the files that pages link to. It can be looked at from a folder
 * as well as from a server. The same repository gives the same bytes.
 */
public final class SiteGenerator {
    private static final Path START = Path.of("README.md");
    private static final Path QUESTIONS = Path.of("docs/README.md");

    private final Path root;
    private final Path site;

    /**
     * A generator.
     *
     * @param root the repository; it has a README.md, and a docs/README.md with the table of questions
     * @param site the folder that is written to; what is in it already and not overwritten stays
     */
    SiteGenerator(Path root, Path site) {
        this.root = root;
        this.site = site;
    }

    /**
     * Makes the site of the repository that the first argument names in the folder that the second one names.
     *
     * @throws IllegalArgumentException if a link leads nowhere, with page and link
     * @throws IOException if a file cannot be read or written
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            throw new IllegalArgumentException("which repository, and which folder for the site?");
        }
        new SiteGenerator(Path.of(args[0]), Path.of(args[1])).generate();
    }

    void generate() throws IOException {
        Links links = new Links(root);
        Library library = Library.startingAt(List.of(START, QUESTIONS), new PageReader(root), links);
        Frame frame = new Frame(Question.of(library.page(QUESTIONS), library, links));
        Markup markup = new Markup();
        for (Page page : library.pages().values()) {
            links.rewrite(page);
            Path html = target(page.html());
            Files.writeString(html, frame.around(page, markup.html(page.document())));
            copy(page.place());
        }
        for (Path file : library.files()) {
            copy(file);
        }
        try (InputStream style = Objects.requireNonNull(SiteGenerator.class.getResourceAsStream("site.css"))) {
            Files.copy(style, target(Frame.STYLE), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void copy(Path file) throws IOException {
        Files.copy(root.resolve(file), target(file), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path target(Path file) throws IOException {
        Path target = site.resolve(file);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        return target;
    }

    /**
     * A page as it was read.
     *
     * @param place its Markdown file, from the root of the repository
     * @param title the words of its first heading, or its file name if it has none
     * @param sections its headings of the second level, in order
     * @param document what it says; comments are left out of it
     */
    record Page(Path place, String title, List<Section> sections, Node document) {
        private static final String README = "README.md";

        /**
         * A heading that the contents of a page name.
         *
         * @param id its anchor
         * @param title its words
         */
        record Section(String id, String title) {}

        Page {
            sections = List.copyOf(sections);
        }

        /** The file of the site, from the root of the site. */
        Path html() {
            return html(place);
        }

        /** Where the page of a Markdown file is: a README is what a folder shows first. */
        static Path html(Path markdown) {
            String name = markdown.getFileName().toString();
            return markdown.resolveSibling(name.equals(README) ? "index.html" : name.replaceAll("\\.md$", ".html"));
        }

        /** The way from this page to a file of the site, with slashes on every system. */
        String to(Path file) {
            Path folder = html().getParent();
            Path way = folder == null ? file : folder.relativize(file);
            return way.toString().replace('\\', '/');
        }
    }
}
