package io.policyscheduler.tests.documents;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.SourceSpan;

/**
 * A fenced code block of a page.
 *
 * @param page the file
 * @param first index of the line of its opening fence, from 0
 * @param last index of the line of its closing fence
 * @param info the words behind the opening fence: the language, then instructions for the test, which a rendered page does not show
 * @param text the text between the fences, with all line ends
 */
record Block(Path page, int first, int last, List<String> info, String text) {
    Block {
        info = List.copyOf(info);
    }

    /** Returns the blocks of a page, in order. */
    static List<Block> of(Path page) {
        List<Block> blocks = new ArrayList<>();
        Pages.parse(page).accept(new AbstractVisitor() {
            @Override
            public void visit(FencedCodeBlock block) {
                List<SourceSpan> lines = block.getSourceSpans();
                blocks.add(new Block(
                        page,
                        lines.get(0).getLineIndex(),
                        lines.get(lines.size() - 1).getLineIndex(),
                        block.getInfo() == null
                                ? List.of()
                                : List.of(block.getInfo().strip().split(" +")),
                        block.getLiteral()));
            }
        });
        return List.copyOf(blocks);
    }

    String language() {
        return info.isEmpty() ? "" : info.get(0);
    }

    /** Returns whether one of the words after the language is this one. */
    boolean says(String word) {
        return info.size() > 1 && info.subList(1, info.size()).contains(word);
    }

    /** Returns the value of {@code name=}; empty if there is none. */
    String value(String name) {
        return info.stream()
                .filter(word -> word.startsWith(name + "="))
                .map(word -> word.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    /** Returns whether the test runs the block or reads it. */
    boolean isForTest() {
        return says("run")
                || says("start")
                || says("measured")
                || !value("file").isEmpty();
    }

    /** Returns page and line of the first line of text, counted from 1. */
    String place() {
        return Pages.name(page) + ":" + (first + 2);
    }
}
