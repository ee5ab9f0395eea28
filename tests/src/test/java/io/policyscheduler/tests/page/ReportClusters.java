package io.policyscheduler.tests.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.HtmlReport;
import io.policyscheduler.cmd.report.HtmlReport.Origin;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Clusters for report tests. */
final class ReportClusters {
    /** Text that looks like markup. */
    static final String HOSTILE = "<img src=x onerror=document.title='taken'></script><b>bold</b>";

    private static final int LARGE = 2000;

    private ReportClusters() {}

    /** A cluster whose texts look like markup. */
    static String hostile() {
        String text = HOSTILE.replace("'", "''");
        return """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Node, metadata: {name: 'n1HOSTILE', labels: {topology.kubernetes.io/zone: 'z1HOSTILE'}},
                   status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
                - {apiVersion: v1, kind: Node, metadata: {name: 'n2HOSTILE', labels: {topology.kubernetes.io/zone: 'z2HOSTILE'}},
                   spec: {taints: [{key: 'keyHOSTILE', effect: NoSchedule}]}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
                - {apiVersion: v1, kind: Pod, metadata: {name: 'runsHOSTILE', namespace: default, uid: a},
                   spec: {nodeName: 'n2HOSTILE', containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}
                - {apiVersion: v1, kind: Pod, metadata: {name: 'waitsHOSTILE', namespace: default, uid: b},
                   spec: {containers: [{name: c, resources: {requests: {cpu: '5'}}}]}}
                """.replace("HOSTILE", text);
    }

    static String large() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LARGE; i++) {
            text.append("---\n{apiVersion: v1, kind: Node, metadata: {name: ip-10-0-")
                    .append(i / 250)
                    .append('-')
                    .append(i % 250);
            text.append(".eu-west-1.compute.internal, labels: {topology.kubernetes.io/zone: eu-west-1")
                    .append("abc".charAt(i % 3));
            text.append("}}, status: {allocatable: {cpu: '")
                    .append(8 + i % 9)
                    .append("', memory: 32Gi, pods: '110'}}}\n");
            text.append("---\n{apiVersion: v1, kind: Pod, metadata: {namespace: ")
                    .append(i < 40 ? "few" : "default")
                    .append(", name: web-");
            text.append(i)
                    .append("-5c689d88bb-x2x4q, uid: u")
                    .append(i)
                    .append("}, spec: {containers: [{name: c, resources: {requests: {cpu: ");
            text.append(i % 20 == 0 ? "100" : "500m")
                    .append(", memory: ")
                    .append(1 + i % 5)
                    .append("Gi}}}]}}\n");
        }
        return text.toString();
    }

    /** The file that {@code shadow} writes after two placements. */
    static void writeShadow(Path page) throws IOException {
        ObjectNode data = (ObjectNode) new ObjectMapper().readTree("""
                {"decider": "modern", "since": "2026-01-02T03:04:05Z", "until": "2026-01-02T03:05:05Z", "judged": 2,
                 "agreement": 50.0, "kinds": {"same node": 1, "another node": 1}, "causes": {}, "placementsLeftOut": 0,
                 "placements": [{"time": "2026-01-02T03:04:06.1Z", "pod": "a/fine", "node": "n1", "agrees": true,
                   "kind": "same node", "best": ["n1"], "cause": "", "algorithms": []}]}""");
        data.withObject("/causes").put(HOSTILE, 1);
        ObjectNode other = data.withArray("placements").addObject();
        other.put("time", "2026-01-02T03:04:07Z").put("pod", "a/" + HOSTILE).put("node", HOSTILE);
        other.put("agrees", false).put("kind", "another node").put("cause", HOSTILE);
        other.putArray("best").add(HOSTILE);
        other.putArray("algorithms").add(HOSTILE);
        HtmlReport.write(
                page,
                new PageContent(PageContent.View.SHADOW, HOSTILE, List.of(HOSTILE), data),
                new Origin(Instant.EPOCH, HOSTILE, HOSTILE, List.of(new Origin.Source(HOSTILE, "0"))));
    }
}
