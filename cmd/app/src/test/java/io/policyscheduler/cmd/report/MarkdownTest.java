package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<img src=x onerror=alert(1)>",
                "</code></summary></details>",
                "a | b",
                "**bold** _it_ ~~no~~ `code`",
                "[link](https://example.com) ![image](x)",
                "www.example.com https://example.com me@example.com",
                "@somebody #12 &amp; \\| :smile:",
                "- item",
                "+ item",
                "=====",
                "12. item",
                "3) item",
                "GH-12 $x$ {y}",
                "line\n\n# heading\n- item\t\u0000"
            })
    void nothingInATextIsMarkup(String hostile) {
        for (String escaped : List.of(Markdown.text(hostile), Markdown.cell(hostile))) {
            String left = escaped.replaceAll("&#\\d+;", "x");
            assertTrue(left.matches("[\\p{L}\\p{N} ,'/%+=;?!\"().:-]*"), left);
            assertFalse(
                    Pattern.compile("www\\.|://|:\\w+:|^[-+=]|^\\d+[.)]|GH-")
                            .matcher(left)
                            .find(),
                    left);
        }
    }

    /** Who reads the numbers as letters before names are looked for does not find one either. */
    @Test
    void nobodyIsMentioned() {
        assertEquals("&#64;&#8203;all &#35;&#8203;7", Markdown.text("@all #7"));
        assertEquals("<code>a.b&#95;c-d:e</code>", Markdown.code("a.b_c-d:e"));
    }

    @Test
    void longTextsAreCutInCellsOnly() {
        String longText = "x".repeat(299) + "\uD83D\uDE00" + "y".repeat(100);
        assertEquals(longText.length(), 401);
        assertTrue(Markdown.cell(longText).startsWith("x".repeat(299) + "&#128512;..."));
        assertFalse(Markdown.cell(longText).contains("y"));
        assertTrue(Markdown.text(longText).contains("y"));
    }

    @Test
    void aPage() {
        Markdown page = new Markdown()
                .conclusion(List.of("All fit"))
                .table(List.of("Pod", "#Nodes"), List.of(List.of("a", "1"), List.of("b", "2"), List.of("c", "3")), 2)
                .details("More", new Markdown().block("yaml", "a: ````b\n"))
                .details(
                        "Nothing",
                        new Markdown().table(List.of("Pod"), List.of(), 5).list(List.of()));
        assertEquals("""
                **All fit**

                | Pod | Nodes |
                | --- | ---: |
                | a | 1 |
                | b | 2 |

                and 1 more

                <details><summary>More</summary>

                `````yaml
                a: ````b
                `````

                </details>
                """, page.toString());
    }
}
