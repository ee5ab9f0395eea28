package io.policyscheduler.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.ext.gfm.tables.TableBody;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomNode;
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
}
