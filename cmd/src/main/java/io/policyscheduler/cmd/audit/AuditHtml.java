package io.policyscheduler.cmd.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.SchedulerNames;
import io.policyscheduler.cmd.report.html.PageContent;
import java.util.List;

/** The HTML report of an audit. */
final class AuditHtml {
    /** Browsers display this number of findings without delay. */
    private static final int FINDINGS = 5000;

    private AuditHtml() {}

    static PageContent page(AuditReport report) {
        ObjectNode data = report.json();
        JsonNode findings = data.path("findings");
        ArrayNode shown = data.putArray("findings");
        for (JsonNode finding : findings) {
            if (shown.size() < FINDINGS) {
                shown.add(finding);
                for (JsonNode obstacle : finding.path("obstacles")) {
                    String filter = obstacle.path("filter").asText("");
                    ((ObjectNode) obstacle).put("filter", report.names().filter(filter));
                }
            }
        }
        data.put("findingsLeftOut", findings.size() - shown.size());
        return new PageContent(
                PageContent.View.AUDIT,
                "audit: " + SchedulerNames.of(List.of(report.decider())).get(0),
                List.of(report.conclusion()),
                data);
    }
}
