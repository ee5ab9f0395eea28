package io.policyscheduler.site;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.commonmark.node.Image;
import org.commonmark.node.Link;

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
