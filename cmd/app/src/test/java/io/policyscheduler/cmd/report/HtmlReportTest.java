package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.hash.Hashing;
import io.policyscheduler.cmd.report.HtmlReport.Origin;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HtmlReportTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);
    private static final String HOSTILE = "</title></script><img src=x onerror=alert(1)> {{script}} $1 \\ \"'&";

    private static Origin origin(String text) {
        return new Origin(
                Instant.parse("2026-03-01T10:11:12.9Z"), text, text, List.of(new Origin.Source(text, "0a1b")));
    }

    private static JsonNode json(String text) throws IOException {
        return JSON.readTree(text.replace('\'', '"'));
    }

    private static String part(String page, String element) {
        Matcher matcher = Pattern.compile("<" + element + ">(.*?)</" + element + ">", Pattern.DOTALL)
                .matcher(page);
        String part = "";
        while (matcher.find()) {
            part = matcher.group(1);
        }
        return part;
    }

    /** No data ends its element or becomes markup, and nothing is loaded from other servers. */
    @Test
    void thePageHoldsTheDataAndNothingElse(@TempDir Path folder) throws IOException {
        JsonNode data = json("{'pods':[],'warnings':['</script><img src=x>','{{script}} {{data}} $1 \\\\n <!--']}");
        Path file = folder.resolve("report.html");
        HtmlReport.write(
                file, new PageContent(PageContent.View.COMPARE, "t", List.of("c"), data), origin("policy-scheduler 1"));
        String page = Files.readString(file);
        Matcher matcher = DATA.matcher(page);
        assertTrue(matcher.find());
        assertEquals(data, JSON.readTree(matcher.group(1)));
        assertFalse(matcher.group(1).contains("<"));
        String rest = page.substring(0, matcher.start()) + page.substring(matcher.end());
        assertFalse(rest.contains("{{"), () -> rest.substring(rest.indexOf("{{")));
        assertFalse(Pattern.compile("(src|href)=\"(https?:)?//").matcher(rest).find());
        assertFalse(rest.contains("fetch(") || rest.contains("@import"));
    }

    /** Names in titles, sentences, command lines, and file names may contain anything. */
    @Test
    void whatStandsOutsideTheDataIsNoMarkup() throws IOException {
        String page = HtmlReport.text(
                new PageContent(PageContent.View.AUDIT, HOSTILE, List.of(HOSTILE, HOSTILE), json("{}")),
                origin(HOSTILE));
        assertFalse(page.contains("<img"), page);
        assertEquals(2, page.split("</script>", -1).length - 1);
        // The title twice, two sentences, the version, the command and a file.
        assertEquals(
                7,
                page.split("&lt;img src=x onerror=alert\\(1\\)&gt; \\{\\{script}} \\$1 \\\\ &quot;&#39;&amp;", -1)
                                .length
                        - 1);
    }

    /** The content security policy contains the hashes of scripts and styles: if a byte changes, browsers run nothing. */
    @ParameterizedTest
    @EnumSource
    void thePolicyAllowsWhatThePageHasAndNothingElse(PageContent.View view) throws IOException {
        String page = HtmlReport.text(new PageContent(view, "t", List.of("c"), json("{}")), origin("v"));
        String policy = page.replaceAll("(?s).*Content-Security-Policy\" content=\"([^\"]*)\".*", "$1");
        assertEquals(
                "default-src 'none'; script-src 'sha256-" + sha256(part(page, "script")) + "'; style-src 'sha256-"
                        + sha256(part(page, "style")) + "'; img-src data:; base-uri 'none'; form-action 'none'",
                policy);
        String body = page.substring(page.indexOf("<body>"));
        String own = part(page, "script");
        assertFalse(body.replace(own, "").matches("(?s).*\\s(on\\w+|style)=.*"));
    }

    private static String sha256(String text) {
        return Base64.getEncoder()
                .encodeToString(Hashing.sha256()
                        .hashString(text, StandardCharsets.UTF_8)
                        .asBytes());
    }

    @Test
    void aReaderSeesWhereItComesFrom() throws IOException {
        String page = HtmlReport.text(
                new PageContent(PageContent.View.SIMULATE, "simulate", List.of("All fit."), json("{}")),
                origin("policy-scheduler 1 & 2"));
        assertTrue(
                page.contains(
                        "<time datetime=\"2026-03-01T10:11:12Z\">2026-03-01 10:11:12 UTC</time> by policy-scheduler 1 &amp; 2"));
        assertTrue(page.contains("<p>All fit.</p>"));
        assertTrue(page.contains("1 file read, with SHA-256"));
        assertTrue(page.contains(">0a1b<"));
    }
}
