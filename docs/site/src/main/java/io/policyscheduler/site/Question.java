package io.policyscheduler.site;

import io.policyscheduler.site.SiteGenerator.Page;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.commonmark.ext.gfm.tables.TableBody;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Image;
import org.commonmark.node.Link;

/**
 * A row of the table of questions, by which readers find pages.
 *
 * @param text the question
 * @param answers the pages that answer it, the first one before all; never empty
 */
record Question(String text, List<Answer> answers) {
    /**
     * A page that answers.
     *
     * @param name what the table calls it, or its title where that is the name of the file
     * @param place its Markdown file, from the root of the repository
     */
    record Answer(String name, Path place) {}

    Question {
        answers = List.copyOf(answers);
    }

    /**
     * The questions of a page of the library, in order; its links must not have been rewritten yet.
     *
     * @throws IllegalArgumentException if a row has no link to a page, or there is no row
     */
    static List<Question> of(Page page, Library library, Links links) {
        List<Question> questions = new ArrayList<>();
        page.document().accept(new AbstractVisitor() {
            @Override
            public void visit(CustomNode node) {
                if (node instanceof TableRow && node.getParent() instanceof TableBody) {
                    questions.add(of(page, library, links, (TableRow) node));
                } else {
                    visitChildren(node);
                }
            }
        });
        if (questions.isEmpty()) {
            throw new IllegalArgumentException(page.place() + " has no table of questions; the site is found by it");
        }
        return List.copyOf(questions);
    }

    private static Question of(Page page, Library library, Links links, TableRow row) {
        String text = PageReader.words(row.getFirstChild());
        List<Answer> answers = new ArrayList<>();
        for (Link link : Links.in(row.getLastChild())) {
            if (links.target(page.place(), link.getDestination()) instanceof Links.Markdown markdown) {
                String words = PageReader.words(link);
                String name =
                        words.endsWith(".md") ? library.page(markdown.place()).title() : words;
                answers.add(new Answer(name, markdown.place()));
            }
        }
        if (answers.isEmpty()) {
            throw new IllegalArgumentException(
                    page.place() + ": the row \"" + text + "\" has no link to a page; add one or remove the row");
        }
        return new Question(text, answers);
    }

    /**
     * What the site consists of.
     *
     * @param pages the pages by their places
     * @param files what pages link to and is no page, from the root of the repository
     */
    record Library(SortedMap<Path, Page> pages, SortedSet<Path> files) {
        Library {
            pages = Collections.unmodifiableSortedMap(new TreeMap<>(pages));
            files = Collections.unmodifiableSortedSet(new TreeSet<>(files));
        }

        /**
         * The pages from which to start, and all that they lead to.
         *
         * @throws IllegalArgumentException if a link leads nowhere, or an image to another host
         */
        static Library startingAt(Collection<Path> starts, PageReader reader, Links links) throws IOException {
            SortedMap<Path, Page> pages = new TreeMap<>();
            SortedSet<Path> files = new TreeSet<>();
            Deque<Path> next = new ArrayDeque<>(starts);
            while (!next.isEmpty()) {
                Path place = next.remove();
                if (pages.containsKey(place)) {
                    continue;
                }
                Page page = reader.read(place);
                pages.put(place, page);
                for (Link link : Links.in(page.document())) {
                    follow(links, page, link.getDestination(), next, files);
                }
                for (Image image : Links.images(page.document())) {
                    if (Links.leavesTheSite(image.getDestination())) {
                        throw new IllegalArgumentException(place + ": " + image.getDestination()
                                + " is an image of another host; put it into the repository");
                    }
                    follow(links, page, image.getDestination(), next, files);
                }
            }
            return new Library(pages, files);
        }

        /** The page of a place that a page of this library links to, or from which it was started. */
        Page page(Path place) {
            return Objects.requireNonNull(pages.get(place), place::toString);
        }

        private static void follow(Links links, Page page, String address, Deque<Path> next, Set<Path> files) {
            if (Links.leavesTheSite(address)) {
                return;
            }
            Links.Target target = links.target(page.place(), address);
            if (target instanceof Links.Markdown markdown) {
                next.add(markdown.place());
            } else if (target instanceof Links.Copy copy) {
                files.add(copy.file());
            }
        }
    }
}
