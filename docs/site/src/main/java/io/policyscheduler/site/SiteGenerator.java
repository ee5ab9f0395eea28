package io.policyscheduler.site;

import io.policyscheduler.site.Question.Library;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;

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
}
