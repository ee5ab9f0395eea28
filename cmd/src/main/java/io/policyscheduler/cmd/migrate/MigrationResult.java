package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.CompareConclusion;
import io.policyscheduler.cmd.report.CompareJson;
import io.policyscheduler.cmd.report.html.CompareHtml;
import io.policyscheduler.cmd.report.html.PageContent;
import io.policyscheduler.framework.insight.compare.CompareReport;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A migration and, with {@code --verify}, its comparison with the policy on a dump.
 *
 * @param verification null without {@code --verify}
 * @param verdict the verification in one line; empty without
 */
record MigrationResult(MigrationReport report, @Nullable CompareReport verification, String verdict) {
    /** Returns the answer in sentences. */
    List<String> conclusion() {
        List<String> sentences = new ArrayList<>(List.of(report.conclusion()));
        if (verification != null) {
            sentences.addAll(CompareConclusion.of(verification));
            sentences.add("The dump is " + verdict + ".");
        }
        return sentences;
    }

    /** For programs. */
    ObjectNode json() {
        ObjectNode json = report.json();
        if (verification != null) {
            json.set("verification", CompareJson.of(verification, 0, List.of()).get("comparisons"));
        }
        return json;
    }

    /** For browsers. */
    PageContent page() {
        ObjectNode data = report.json();
        report.table().addTo(data);
        ObjectNode compared = compared();
        if (compared != null) {
            data.set("verification", CompareHtml.of(compared));
        }
        return new PageContent(PageContent.View.MIGRATE, "migrate: " + report.source(), conclusion(), data);
    }

    /** For a comment. */
    String markdown() {
        ObjectNode data = report.json();
        report.table().addTo(data);
        return MigrationMarkdown.of(conclusion(), data, compared()).toString();
    }

    private @Nullable ObjectNode compared() {
        return verification == null ? null : CompareJson.named(verification, 0, List.of());
    }
}
