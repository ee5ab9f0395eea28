package io.policyscheduler.cmd.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.html.PageContent;
import java.util.List;

/** An audit as a page. */
final class AuditHtml {
    /** What a browser opens with ease; the first ones. */
    private static final int FINDINGS = 5000;

    private AuditHtml() {}

    static PageContent page(AuditReport report) {
        ObjectNode data = report.json();
        JsonNode findings = data.path("findings");
        ArrayNode shown = data.putArray("findings");
        for (JsonNode finding : findings) {
            if (shown.size() < FINDINGS) {
                shown.add(finding);
            }
        }
        data.put("findingsLeftOut", findings.size() - shown.size());
        return new PageContent(
                PageContent.View.AUDIT, "audit by " + report.decider(), List.of(report.conclusion()), data);
    }
}
