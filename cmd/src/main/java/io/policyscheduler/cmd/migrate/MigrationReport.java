package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.report.Verdict;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.framework.insight.migrate.Finding;
import io.policyscheduler.framework.insight.migrate.KeptPolicy;
import io.policyscheduler.framework.insight.migrate.Level;
import io.policyscheduler.framework.insight.migrate.Migration;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The report of a migration: what stays the same, what differs, and what is lost. */
final class MigrationReport {
    /** A narrower terminal has no room for the names of the plugins. */
    private static final int COLUMNS_WITH_PLUGINS = 130;

    private final Migration migration;
    private final MigrationTable table;

    /** A report about one migration. */
    public MigrationReport(Migration migration) {
        this.migration = migration;
        this.table = new MigrationTable(migration.findings());
    }

    /**
     * Prints the report as text: the answer, a table of the algorithms, a table of the other changes, and the extenders.
     *
     * @param details print the full sentences, too
     * @param showPolicies print the policies for extenders, too, because they are in no file
     */
    public void print(PrintWriter out, boolean details, boolean showPolicies) {
        String source = migration.policy().source();
        Verdict verdict = migration.loses() ? Verdict.BAD : Verdict.GOOD;
        TerminalWriter.println(out, verdict, oneLine(conclusion()));
        printAlgorithms(out);
        printOthers(out);
        printWarnings(out, source);
        if (details) {
            printDetails(out, source);
        } else if (!migration.findings().isEmpty()) {
            out.println();
            out.println("Use --details to see each effect in full, with plugins and numbers.");
        }
        for (KeptPolicy kept : migration.kept()) {
            out.println();
            out.println("Extender for " + oneLine(String.join(", ", kept.items())) + ":");
            out.println("    " + kept.command());
            if (showPolicies) {
                out.println("    with this " + kept.file() + " (--extender-policy FILE writes it):");
                out.print(kept.text().indent(4));
            }
        }
        out.println();
        out.println(source + ": migrated to " + migration.target().version().version() + " for "
                + migration.target().release() + ": " + summary());
    }

    private void printAlgorithms(PrintWriter out) {
        boolean wide = !(out instanceof TerminalWriter terminal)
                || terminal.columns() == 0
                || terminal.columns() >= COLUMNS_WITH_PLUGINS;
        TextTable rows = new TextTable().text("CODE").text("ALGORITHM");
        (wide ? rows.text("PLUGIN") : rows).text("RESULT").text("EFFECT").text("WHAT TO DO");
        for (Finding finding : table.algorithms()) {
            List<Object> cells = new ArrayList<>(List.of(finding.code(), MigrationTable.subject(finding)));
            if (wide) {
                cells.add(MigrationTable.plugin(finding));
            }
            cells.add(MigrationTable.result(finding));
            cells.add(finding.texts().effect());
            cells.add(finding.texts().action());
            rows.row(cells.toArray());
        }
        printAfterGap(out, rows);
    }

    private void printOthers(PrintWriter out) {
        TextTable rows =
                new TextTable().text("CODE").text("OTHER CHANGE").text("EFFECT").text("WHAT TO DO");
        for (Finding finding : table.others()) {
            rows.row(
                    finding.code(),
                    MigrationTable.subject(finding),
                    finding.texts().effect(),
                    finding.texts().action());
        }
        printAfterGap(out, rows);
    }

    private void printWarnings(PrintWriter out, String source) {
        if (!migration.policy().warnings().isEmpty()) {
            out.println();
            migration.policy().warnings().forEach(warning -> out.println(oneLine(warning.line(source))));
        }
    }

    private static void printAfterGap(PrintWriter out, TextTable rows) {
        if (!rows.isEmpty()) {
            out.println();
            rows.print(out);
        }
    }

    private void printDetails(PrintWriter out, String source) {
        out.println();
        for (Finding finding : migration.findings()) {
            out.println(oneLine(line(source, finding)));
            if (!finding.wayOut().isEmpty()) {
                out.println("    fix: " + oneLine(finding.wayOut()));
            }
        }
    }

    private static String line(String source, Finding finding) {
        String where = finding.position().known() ? source + ":" + finding.position() : source;
        String level = finding.level() == Level.WARN ? "warning" : lower(finding.level());
        String plugins = finding.plugins().isEmpty() ? "" : " (" + String.join(", ", finding.plugins()) + ")";
        String item =
                finding.item().isEmpty() ? "" : finding.item() + plugins + ": " + lower(finding.fidelity()) + ": ";
        return where + ": " + level + " " + finding.code() + ": " + item + finding.text();
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the answer in one sentence. */
    String conclusion() {
        String source = migration.policy().source();
        return source.substring(source.lastIndexOf('/') + 1) + " migrated to "
                + migration.target().version().version() + " for "
                + migration.target().release() + ": " + table.answer() + ".";
    }

    /** Returns the rows of the tables. */
    MigrationTable table() {
        return table;
    }

    /** The name of the policy that is migrated. */
    String source() {
        return migration.policy().source();
    }

    private String summary() {
        return count(Level.ERROR, "error", "errors") + ", " + count(Level.WARN, "warning", "warnings") + ", "
                + count(Level.INFO, "remark", "remarks");
    }

    private String count(Level level, String one, String many) {
        long n = migration.count(level);
        return n + " " + (n == 1 ? one : many);
    }

    /** The migration for programs, the configuration included. */
    public ObjectNode json() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("file", migration.policy().source())
                .put("apiVersion", migration.target().version().apiVersion())
                .put("release", migration.target().release().toString())
                .put("layout", camel(migration.layout()))
                .put("lossy", migration.loses())
                .put("configuration", migration.configuration());
        ArrayNode findings = node.putArray("findings");
        migration.findings().forEach(finding -> finding(findings.addObject(), finding));
        ArrayNode extenders = node.putArray("extenders");
        for (KeptPolicy kept : migration.kept()) {
            ObjectNode one = extenders
                    .addObject()
                    .put("policyFile", kept.file())
                    .put("policy", kept.text())
                    .put("urlPrefix", kept.urlPrefix())
                    .put("entry", kept.entry())
                    .put("command", kept.command());
            kept.items().forEach(one.putArray("items")::add);
        }
        warnings(node.putArray("warnings"), migration.policy().warnings());
        return node;
    }

    private static void finding(ObjectNode node, Finding finding) {
        node.put("code", finding.code().name())
                .put("level", lower(finding.level()))
                .put("fidelity", lower(finding.fidelity()))
                .put("item", finding.item());
        position(node, finding.position());
        node.put("text", finding.text()).put("wayOut", finding.wayOut());
    }

    private static void warnings(ArrayNode list, List<Warning> warnings) {
        for (Warning warning : warnings) {
            position(
                    list.addObject().put("code", warning.code()).put("message", warning.message()), warning.position());
        }
    }

    private static void position(ObjectNode node, SourcePosition position) {
        node.put("line", position.line()).put("column", position.column());
    }

    private static String camel(Enum<?> value) {
        String[] words = lower(value).split("_", -1);
        StringBuilder text = new StringBuilder(words[0]);
        for (int i = 1; i < words.length; i++) {
            text.append(words[i].substring(0, 1).toUpperCase(Locale.ROOT)).append(words[i].substring(1));
        }
        return text.toString();
    }
}
