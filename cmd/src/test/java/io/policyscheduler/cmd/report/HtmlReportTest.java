package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlReportTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>", Pattern.DOTALL);

    private static JsonNode json(String text) throws IOException {
        return JSON.readTree(text.replace('\'', '"'));
    }

    /** Nothing in the data ends its element or is taken for a part of the page, and nothing is loaded from elsewhere. */
    @Test
    void thePageHoldsTheDataAndNothingElse(@TempDir Path folder) throws IOException {
        JsonNode data = json("{'pods':[],'warnings':['</script><img src=x>','/*SCRIPT*/ $1 \\\\n <!--']}");
        Path file = folder.resolve("report.html");
        HtmlReport.write(file, data);
        String page = Files.readString(file);
        Matcher matcher = DATA.matcher(page);
        assertTrue(matcher.find());
        assertEquals(data, JSON.readTree(matcher.group(1)));
        assertFalse(matcher.group(1).contains("<"));
        String rest = page.substring(0, matcher.start()) + page.substring(matcher.end());
        assertFalse(rest.contains("/*STYLE*/") || rest.contains("/*SCRIPT*/") || rest.contains("/*DATA*/"));
        assertFalse(Pattern.compile("(src|href)=\"(https?:)?//").matcher(rest).find());
        assertFalse(rest.contains("fetch(") || rest.contains("@import"));
    }
}
