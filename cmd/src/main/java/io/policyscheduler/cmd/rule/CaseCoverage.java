package io.policyscheduler.cmd.rule;

import io.policyscheduler.cmd.rule.report.CoverageReport;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.Coverage;
import io.policyscheduler.engine.rules.compiler.PartValue;
import io.policyscheduler.engine.rules.compiler.RuleException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds out which branches of the rules the cases take. Rules without a case count; expressions of cases do not. */
final class CaseCoverage {
    private record Both(TestedRule rule, @Nullable Coverage when, Coverage expression) {}

    private final Map<RuleDefinition.Place, Both> rules = new LinkedHashMap<>();

    private CaseCoverage() {}

    /** In the order of the files and of the rules in them. */
    static CoverageReport of(List<CaseFile> files) {
        CaseCoverage all = new CaseCoverage();
        files.forEach(file -> file.rules().forEach(all::add));
        files.forEach(file -> file.cases().forEach(all::add));
        List<CoverageReport.OfRule> reports = new ArrayList<>();
        for (Both each : all.rules.values()) {
            RuleDefinition definition = each.rule().definition();
            List<CoverageReport.Field> fields = new ArrayList<>();
            if (each.when() != null) {
                fields.add(new CoverageReport.Field("when", each.when().branches()));
            }
            fields.add(new CoverageReport.Field("expression", each.expression().branches()));
            reports.add(new CoverageReport.OfRule(definition.name(), definition.place(), fields));
        }
        return new CoverageReport(reports);
    }

    private void add(TestedRule rule) {
        RuleProgram when = when(rule);
        Both both = rules.computeIfAbsent(
                rule.definition().place(),
                place -> new Both(rule, when == null ? null : new Coverage(), new Coverage()));
        if (when != null && both.when() != null) {
            both.when().add(when.source());
        }
        both.expression().add(expression(rule).source());
    }

    private void add(RuleCase about) {
        Both both = rules.get(about.rule().definition().place());
        if (both == null) {
            return;
        }
        RuleProgram when = when(about.rule());
        RuleProgram expression = expression(about.rule());
        ClusterState cluster = CaseOutcome.cluster(about);
        CaseOutcome.nodes(about, cluster).forEach(node -> {
            PartValue applies = when == null ? null : when.trace(about.pod(), node, cluster);
            if (applies != null && both.when() != null) {
                both.when().add(applies);
            }
            if (applies == null || Boolean.TRUE.equals(applies.tally().value())) {
                both.expression().add(expression.trace(about.pod(), node, cluster));
            }
        });
    }

    private static RuleProgram expression(TestedRule rule) {
        try {
            return RuleCompiler.reading(rule.tables())
                    .compile(rule.definition().expression(), rule.definition().params(), rule.type());
        } catch (RuleException e) {
            throw new IllegalStateException(
                    "compiled before: " + rule.definition().name(), e);
        }
    }

    private static @Nullable RuleProgram when(TestedRule rule) {
        String when = rule.definition().when();
        try {
            return when == null
                    ? null
                    : RuleCompiler.reading(rule.tables())
                            .compileWhen(when, rule.definition().params());
        } catch (RuleException e) {
            throw new IllegalStateException(
                    "compiled before: " + rule.definition().name(), e);
        }
    }
}
