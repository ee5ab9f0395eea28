package io.policyscheduler.site;

import io.policyscheduler.site.Markup.Anchor;
import io.policyscheduler.site.Markup.Scroll;
import io.policyscheduler.site.SiteGenerator.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;

/** Reads Markdown, and gives it what the site adds: anchors of headings, and frames in which wide tables scroll. */
final class PageReader {
    private static final Pattern COMMENT = Pattern.compile("<!--.*?(-->|\\z)", Pattern.DOTALL);
    private static final int SECTION = 2;

    private final Parser parser =
            Parser.builder().extensions(List.of(TablesExtension.create())).build();
    private final Path root;

    /** A reader of the pages of a repository. */
    PageReader(Path root) {
        this.root = root;
    }

    /** Reads a page, whose place is given from the root of the repository. */
    Page read(Path place) throws IOException {
        Node document = parser.parse(Files.readString(root.resolve(place)));
        Preparation preparation = new Preparation();
        document.accept(preparation);
        String title = preparation.title.isEmpty() ? place.getFileName().toString() : preparation.title;
        return new Page(place, title, preparation.sections, document);
    }

    /** What a reader of a heading or cell sees of it, without markup. */
    static String words(Node node) {
        StringBuilder words = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text text) {
                words.append(text.getLiteral());
            }

            @Override
            public void visit(Code code) {
                words.append(code.getLiteral());
            }

            @Override
            public void visit(SoftLineBreak lineBreak) {
                words.append(' ');
            }
        });
        return words.toString();
    }

    /** One way through a page, which changes it. */
    private static final class Preparation extends AbstractVisitor {
        private final IdGenerator ids = IdGenerator.builder().build();
        private final List<Page.Section> sections = new ArrayList<>();
        private String title = "";

        @Override
        public void visit(Heading heading) {
            String words = words(heading);
            String id = ids.generateId(words);
            if (title.isEmpty()) {
                title = words;
            }
            if (heading.getLevel() == SECTION) {
                sections.add(new Page.Section(id, words));
            }
            heading.appendChild(new Anchor(id));
            visitChildren(heading);
        }

        @Override
        public void visit(HtmlBlock block) {
            block.setLiteral(withoutComments(block.getLiteral()));
        }

        @Override
        public void visit(HtmlInline html) {
            html.setLiteral(withoutComments(html.getLiteral()));
        }

        @Override
        public void visit(CustomBlock block) {
            if (block instanceof TableBlock) {
                Scroll scroll = new Scroll();
                block.insertBefore(scroll);
                scroll.appendChild(block);
            }
            visitChildren(block);
        }

        private static String withoutComments(String html) {
            return COMMENT.matcher(html).replaceAll("").strip();
        }
    }
}
