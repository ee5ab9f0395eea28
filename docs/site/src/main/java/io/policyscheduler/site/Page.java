package io.policyscheduler.site;

import java.nio.file.Path;
import java.util.List;
import org.commonmark.node.Node;

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
