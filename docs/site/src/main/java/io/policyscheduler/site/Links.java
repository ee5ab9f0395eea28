package io.policyscheduler.site;

import io.policyscheduler.site.SiteGenerator.Page;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/** Where the links of pages lead: in the repository, and on the site. */
final class Links {
    private static final Path SOURCES = Path.of("src");

    private final Path root;

    /** The links of the pages of a repository. */
    Links(Path root) {
        this.root = root;
    }

    /** What a link leads to. */
    sealed interface Target permits Markdown, Copy, Words {}

    /**
     * A page.
     *
     * @param place its Markdown file, from the root
     * @param fragment the heading with its sign in front, or empty
     */
    record Markdown(Path place, String fragment) implements Target {}

    /**
     * A file that the site has as it is.
     *
     * @param file it, from the root
     */
    record Copy(Path file) implements Target {}

    /** What is not on the site, such as source code: the words stay. */
    record Words() implements Target {}

    /** The links of a node, outermost first. */
    static List<Link> in(Node node) {
        List<Link> found = new ArrayList<>();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                found.add(link);
            }
        });
        return found;
    }

    /** The addresses of the images of a node. */
    static List<Image> images(Node node) {
        List<Image> found = new ArrayList<>();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Image image) {
                found.add(image);
            }
        });
        return found;
    }

    /** Whether an address names a host, or a program that is to handle it. */
    static boolean leavesTheSite(String address) {
        return URI.create(address).isAbsolute();
    }

    /**
     * What an address within the repository leads to.
     *
     * @throws IllegalArgumentException if there is no such file
     */
    Target target(Path page, String address) {
        URI uri = URI.create(address);
        String fragment = uri.getRawFragment() == null ? "" : "#" + uri.getRawFragment();
        Path file = uri.getPath().isEmpty()
                ? page
                : page.resolveSibling(uri.getPath()).normalize();
        if (file.startsWith("..") || !Files.exists(root.resolve(file))) {
            throw new IllegalArgumentException(
                    page + ": " + address + " leads to no file of the repository; correct or remove the link");
        }
        if (Files.isDirectory(root.resolve(file))) {
            Path readme = file.resolve("README.md");
            return Files.exists(root.resolve(readme)) ? new Markdown(readme, fragment) : new Words();
        }
        if (file.toString().endsWith(".md")) {
            return new Markdown(file, fragment);
        }
        return isSource(file) ? new Words() : new Copy(file);
    }

    private static boolean isSource(Path file) {
        for (Path part : file) {
            if (part.equals(SOURCES)) {
                return true;
            }
        }
        return false;
    }

    /** Makes the links of a page lead to what the site has. */
    void rewrite(Page page) {
        for (Link link : in(page.document())) {
            if (leavesTheSite(link.getDestination())) {
                continue;
            }
            Target target = target(page.place(), link.getDestination());
            if (target instanceof Markdown markdown) {
                boolean here = markdown.place().equals(page.place())
                        && !markdown.fragment().isEmpty();
                String way = here ? "" : page.to(Page.html(markdown.place()));
                link.setDestination(way + markdown.fragment());
            } else if (target instanceof Copy copy) {
                link.setDestination(page.to(copy.file()));
            } else {
                unwrap(link);
            }
        }
    }

    private static void unwrap(Link link) {
        Node child = link.getFirstChild();
        while (child != null) {
            Node next = child.getNext();
            link.insertBefore(child);
            child = next;
        }
        link.unlink();
    }
}
