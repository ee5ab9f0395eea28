package io.policyscheduler.site;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.html.HtmlWriter;

/** HTML of what a page says. */
final class Markup {
    /** In a block of this language, what is typed stands behind a prompt, and what the program says below it. */
    private static final String CONSOLE = "console";

    private static final String PROMPT = "$ ";

    private final HtmlRenderer renderer = HtmlRenderer.builder()
            .extensions(List.of(TablesExtension.create()))
            .nodeRendererFactory(OwnNodes::new)
            .attributeProviderFactory(context -> (node, tag, attributes) -> {
                if (node instanceof Heading && node.getLastChild() instanceof Anchor anchor) {
                    attributes.put("id", anchor.id());
                }
            })
            .build();

    String html(Node document) {
        return renderer.render(document);
    }

    private static final class OwnNodes implements NodeRenderer {
        private final HtmlNodeRendererContext context;
        private final HtmlWriter out;

        OwnNodes(HtmlNodeRendererContext context) {
            this.context = context;
            this.out = context.getWriter();
        }

        @Override
        public Set<Class<? extends Node>> getNodeTypes() {
            return Set.of(Anchor.class, Scroll.class, FencedCodeBlock.class);
        }

        @Override
        public void render(Node node) {
            if (node instanceof Anchor anchor) {
                out.text(" ");
                out.raw("<a class=\"anchor\" href=\"#" + anchor.id() + "\">#</a>");
            } else if (node instanceof FencedCodeBlock block) {
                code(block);
            } else {
                scroll(node);
            }
        }

        private void scroll(Node node) {
            out.line();
            out.raw("<div class=\"scroll\" tabindex=\"0\">");
            for (Node child = node.getFirstChild(); child != null; child = child.getNext()) {
                context.render(child);
            }
            out.raw("</div>");
            out.line();
        }

        /** The first word behind a fence is the language; the others are for the tests that run the block. */
        private void code(FencedCodeBlock block) {
            String info = block.getInfo() == null ? "" : block.getInfo().strip();
            String language = info.isEmpty() ? "text" : info.split("\\s+", 2)[0];
            out.line();
            out.raw("<pre tabindex=\"0\">");
            out.tag("code", Map.of("class", "language-" + language));
            if (language.equals(CONSOLE)) {
                console(block.getLiteral());
            } else {
                out.text(block.getLiteral());
            }
            out.raw("</code></pre>");
            out.line();
        }

        private void console(String text) {
            boolean typed = false;
            for (String line : text.lines().toList()) {
                boolean first = line.startsWith(PROMPT);
                if (first || typed) {
                    // A prompt is not copied with the command.
                    out.raw(first ? "<span class=\"prompt\">$ </span><b>" : "<b>");
                    out.text(first ? line.substring(PROMPT.length()) : line);
                    out.raw("</b>\n");
                    typed = line.endsWith("\\");
                } else {
                    out.text(line);
                    out.raw("\n");
                }
            }
        }
    }

    /** The last child of a heading: its anchor, and a link to it. */
    static final class Anchor extends CustomNode {
        private final String id;

        Anchor(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }
    }

    /** What is wider than the page scrolls in it, and the page does not. */
    static final class Scroll extends CustomBlock {}
}
