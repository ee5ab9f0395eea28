package io.policyscheduler.cmd.report;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.io.Resources;
import io.policyscheduler.cmd.report.HtmlReport.PlotLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PlotLibraryTest {
    /** A page has it between two tags. */
    @Test
    void itIsThereAndEndsNoElement() throws IOException {
        String script = Resources.toString(PlotLibrary.file(PlotLibrary.SCRIPT), StandardCharsets.UTF_8);
        String style = Resources.toString(PlotLibrary.file(PlotLibrary.STYLE), StandardCharsets.UTF_8);
        assertTrue(script.contains("uPlot") && !script.contains("</script"));
        assertTrue(style.contains(".uplot") && !style.contains("</style"));
    }
}
