package io.policyscheduler.cmd.audit;

import io.policyscheduler.framework.insight.audit.Audit.Finding;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;

/** What an audit found, as a file of metrics, such as the textfile collector of the node exporter reads. */
final class AuditMetrics {
    private final AuditReport report;

    AuditMetrics(AuditReport report) {
        this.report = report;
    }

    /**
     * Replaces the file as a whole, so that a reader never sees half of it.
     *
     * @throws IOException when it cannot be written
     */
    void write(Path file) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.builder().build().write(text, registry().scrape());
        Files.write(next, text.toByteArray());
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private PrometheusRegistry registry() {
        PrometheusRegistry registry = new PrometheusRegistry();
        Gauge.builder()
                .name("policy_scheduler_audit_pods")
                .help("Pods in the last audit.")
                .register(registry)
                .set(report.pods());
        Gauge findings = Gauge.builder()
                .name("policy_scheduler_audit_findings")
                .help("Pods in violation, better on another node, or undecided.")
                .labelNames("kind")
                .register(registry);
        for (Finding.Kind kind : Finding.Kind.values()) {
            findings.labelValues(kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .set(report.findings().stream()
                            .filter(finding -> finding.kind() == kind)
                            .count());
        }
        Map<String, Integer> results = report.results();
        if (!results.isEmpty()) {
            Gauge evictions = Gauge.builder()
                    .name("policy_scheduler_audit_evictions")
                    .help("Results of evictions; planned without --dry-run=false.")
                    .labelNames("result")
                    .register(registry);
            results.forEach((result, pods) -> evictions.labelValues(result).set(pods));
        }
        return registry;
    }
}
