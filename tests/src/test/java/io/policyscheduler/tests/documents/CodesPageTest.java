package io.policyscheduler.tests.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.tests.RepositoryFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.junit.jupiter.api.Test;

/** {@code docs/codes.md} has exactly the codes of the sources, and its quotes occur in the program. */
class CodesPageTest {
    private static final Path PAGE = RepositoryFiles.root().resolve("docs/codes.md");
    private static final Pattern CODE = Pattern.compile("[PWRCLM]\\d{3}");
    private static final Pattern LITERAL_CODE = Pattern.compile("\"([PWRCLM]\\d{3})\\b");

    private static final Pattern RANGE = Pattern.compile("([PWRCLM]\\d{3}) to ([PWRCLM])(\\d{3})");

    private static final String ANYTHING = "…";

    @Test
    void hasEveryCodeAndNoOther() {
        TreeSet<String> codes = new TreeSet<>();
        Matcher literal = LITERAL_CODE.matcher(Sources.all());
        while (literal.find()) {
            codes.add(literal.group(1));
        }
        Arrays.stream(RuleCode.values()).map(RuleCode::code).forEach(codes::add);
        Arrays.stream(FindingCode.values()).map(FindingCode::name).forEach(codes::add);
        assertEquals(codes, new TreeSet<>(texts().keySet()));
    }

    /** The range of each group ends where its codes end, or where the next group starts. */
    @Test
    void namesWholeRanges() {
        List<String> wrong = new ArrayList<>();
        String page = Pages.text(PAGE);
        Matcher range = RANGE.matcher(page);
        int ranges = 0;
        while (range.find()) {
            ranges++;
            String next = range.group(2) + "%03d".formatted(Integer.parseInt(range.group(3)) + 1);
            if (!texts().containsKey(range.group(1))
                    || !texts().containsKey(range.group(2) + range.group(3))
                    || texts().containsKey(next) && !page.contains(next + " to ")) {
                wrong.add(range.group());
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(ranges > 5, "ranges: " + ranges);
    }

    @Test
    void quotesWhatTheProgramSays() {
        String sources = Sources.all().replace("{}", ANYTHING);
        List<String> unknown = new ArrayList<>();
        texts().forEach((code, quotes) -> {
            for (String quote : quotes) {
                for (String part : quote.split(ANYTHING)) {
                    if (!part.isBlank() && !sources.contains(part.strip())) {
                        unknown.add(code + ": " + part);
                    }
                }
            }
        });
        assertEquals(List.of(), unknown);
    }

    /** Returns the quotes of each row that starts with a code. */
    private static Map<String, List<String>> texts() {
        Map<String, List<String>> texts = new LinkedHashMap<>();
        Pages.parse(PAGE).accept(new AbstractVisitor() {
            @Override
            public void visit(CustomNode node) {
                if (node instanceof TableRow row
                        && row.getFirstChild() instanceof TableCell first
                        && first.getFirstChild() instanceof Text code
                        && CODE.matcher(code.getLiteral()).matches()) {
                    texts.put(code.getLiteral(), quotes(first.getNext()));
                }
                visitChildren(node);
            }
        });
        return texts;
    }

    private static List<String> quotes(Node cell) {
        List<String> quotes = new ArrayList<>();
        cell.accept(new AbstractVisitor() {
            @Override
            public void visit(Code code) {
                quotes.add(code.getLiteral());
            }
        });
        return quotes;
    }
}
