package io.policyscheduler.cmd.migrate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.CompareHtml;
import io.policyscheduler.cmd.report.CompareJson;
import io.policyscheduler.cmd.report.CompareMarkdown;
import io.policyscheduler.cmd.report.CompareText.CompareConclusion;
import io.policyscheduler.cmd.report.HtmlReport.PageContent;
import io.policyscheduler.cmd.report.Markdown;
import io.policyscheduler.cmd.report.TerminalWriter;
import io.policyscheduler.cmd.report.TerminalWriter.Verdict;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.framework.insight.compare.CompareReport;
import io.policyscheduler.framework.insight.migrate.Finding;
import io.policyscheduler.framework.insight.migrate.Finding.Fidelity;
import io.policyscheduler.framework.insight.migrate.Finding.FindingCode;
import io.policyscheduler.framework.insight.migrate.Finding.Level;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.ExtenderPolicy;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The report of a migration: what stays the same, what differs, and what is lost. */
final class MigrationReport {
    /** A narrower terminal has no space for the names of the plugins. */
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
            out.println("docs/codes.md explains each CODE. \"similar\" algorithms differ in special cases.");
            out.println("Use --details to see each effect in full, with plugins and numbers.");
        }
        for (ExtenderPolicy extenderPolicy : migration.retained()) {
            out.println();
            out.println("Extender for " + oneLine(String.join(", ", extenderPolicy.items())) + ":");
            out.println("    " + extenderPolicy.command());
            if (showPolicies) {
                out.println("    with this " + extenderPolicy.file() + " (--extender-policy FILE writes it):");
                out.print(extenderPolicy.text().indent(4));
            }
        }
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
        String level = finding.isLoss() ? "loss" : finding.level() == Level.WARN ? "warning" : lower(finding.level());
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
        for (ExtenderPolicy extenderPolicy : migration.retained()) {
            ObjectNode one = extenders
                    .addObject()
                    .put("policyFile", extenderPolicy.file())
                    .put("policy", extenderPolicy.text())
                    .put("urlPrefix", extenderPolicy.urlPrefix())
                    .put("entry", extenderPolicy.entry())
                    .put("command", extenderPolicy.command());
            extenderPolicy.items().forEach(one.putArray("items")::add);
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

    /**
     * The findings of a migration as rows: first those about algorithms, the most severe first, then the other changes. Text,
     * Markdown, and HTML show the same rows in the same order.
     */
    static final class MigrationTable {
        /** The length of the longest name of an algorithm of Kubernetes. */
        private static final int SUBJECT = "NodePreferAvoidPodsPriority".length();

        private static final String SAME = "same";
        private static final String SIMILAR = "similar";
        private static final String DIFFERS = "DIFFERS";
        private static final String LOST = "LOST";

        private static final Map<FindingCode, String> SUBJECTS = Map.ofEntries(
                Map.entry(FindingCode.M015, "shared weight"),
                Map.entry(FindingCode.M030, "affinity weight"),
                Map.entry(FindingCode.M031, "check all predicates"),
                Map.entry(FindingCode.M040, "required plugins"),
                Map.entry(FindingCode.M041, "default filters"),
                Map.entry(FindingCode.M042, "default filters"),
                Map.entry(FindingCode.M043, "priorities"),
                Map.entry(FindingCode.M044, "predicates"),
                Map.entry(FindingCode.M045, "weights"),
                Map.entry(FindingCode.M046, "newer plugins"),
                Map.entry(FindingCode.M048, "other plugins"),
                Map.entry(FindingCode.M050, "extender"),
                Map.entry(FindingCode.M051, "extender"),
                Map.entry(FindingCode.M052, "arguments"),
                Map.entry(FindingCode.M060, "flags"),
                Map.entry(FindingCode.M061, "event texts"),
                Map.entry(FindingCode.M062, "preemption"),
                Map.entry(FindingCode.M063, "pod fields"),
                Map.entry(FindingCode.M064, "release"));

        private static final Comparator<Finding> MOST_SEVERE_FIRST =
                Comparator.comparing(Finding::fidelity).reversed().thenComparing(Finding::level);

        private final List<Finding> algorithms;
        private final List<Finding> others;
        private final Map<String, Finding> worst = new LinkedHashMap<>();

        MigrationTable(List<Finding> findings) {
            algorithms = findings.stream()
                    .filter(finding -> finding.code().aboutAlgorithm())
                    .sorted(MOST_SEVERE_FIRST)
                    .toList();
            others = findings.stream()
                    .filter(finding -> !finding.code().aboutAlgorithm())
                    .toList();
            algorithms.forEach(finding -> finding.items().forEach(item -> worst.putIfAbsent(item, finding)));
        }

        /** Returns the findings about algorithms, the most severe first. */
        List<Finding> algorithms() {
            return algorithms;
        }

        /** Returns the findings that are not about one algorithm, the most severe first. */
        List<Finding> others() {
            return others;
        }

        /** Returns the answer: the number of algorithms that are the same, that differ, and that are lost, with their names. */
        String answer() {
            long same = count(SAME);
            long similar = count(SIMILAR);
            long differ = count(DIFFERS);
            List<String> lost = worst.entrySet().stream()
                    .filter(entry -> entry.getValue().fidelity() == Fidelity.IMPOSSIBLE)
                    .map(Map.Entry::getKey)
                    .toList();
            return same + (same == 1 ? " algorithm is" : " algorithms are") + " the same, "
                    + (similar == 0
                            ? ""
                            : similar + (similar == 1 ? " differs" : " differ") + " only in special cases, ")
                    + differ + (differ == 1 ? " differs" : " differ") + ", "
                    + (lost.isEmpty() ? "none is" : lost.size() + (lost.size() == 1 ? " is" : " are")) + " lost"
                    + (lost.isEmpty() ? "" : " (" + String.join(", ", lost) + ")");
        }

        private long count(String result) {
            return worst.values().stream()
                    .filter(finding -> result(finding).equals(result))
                    .count();
        }

        /** Returns what a finding is about: algorithms, or a setting. */
        static String subject(Finding finding) {
            if (!finding.code().aboutAlgorithm()) {
                return SUBJECTS.getOrDefault(finding.code(), finding.item());
            }
            List<String> items = finding.items();
            return items.size() < 2 || finding.item().length() <= SUBJECT
                    ? finding.item()
                    : items.get(0) + " and " + (items.size() - 1) + " more";
        }

        /** Returns {@code LOST}, {@code DIFFERS}, {@code similar} if only special cases differ, or {@code same}. */
        static String result(Finding finding) {
            return switch (finding.fidelity()) {
                case EXACT -> SAME;
                case APPROXIMATED -> finding.level() == Level.INFO ? SIMILAR : DIFFERS;
                case IMPOSSIBLE -> LOST;
            };
        }

        /** Returns the plugin that replaces the algorithm, and how many more there are. */
        static String plugin(Finding finding) {
            List<String> plugins = finding.plugins();
            return plugins.isEmpty()
                    ? "-"
                    : plugins.get(0) + (plugins.size() == 1 ? "" : " and " + (plugins.size() - 1) + " more");
        }

        /** Adds the rows to the data of a page. */
        void addTo(ObjectNode data) {
            ObjectNode counts = data.putObject("counts");
            List.of(LOST, DIFFERS, SIMILAR, SAME).forEach(result -> counts.put(result, count(result)));
            rows(data.putArray("algorithms"), algorithms);
            rows(data.putArray("others"), others);
        }

        private static void rows(ArrayNode rows, List<Finding> findings) {
            for (Finding finding : findings) {
                rows.addObject()
                        .put("code", finding.code().name())
                        .put("subject", subject(finding))
                        .put("plugin", plugin(finding))
                        .put("result", result(finding))
                        .put(
                                "level",
                                finding.level() == Level.WARN
                                        ? "warn"
                                        : finding.level() == Level.INFO ? "info" : "error")
                        .put("line", finding.position().line())
                        .put("effect", finding.texts().effect())
                        .put("action", finding.texts().action())
                        .put("text", finding.text())
                        .put("wayOut", finding.wayOut());
            }
        }
    }

    /** The Markdown report of a migration: the tables, and the details, the configuration, and the comparison as foldable sections. */
    static final class MigrationMarkdown {
        private static final int ROWS = 40;

        private MigrationMarkdown() {}

        /** @param verification the comparison; null without {@code --verify} */
        static Markdown of(List<String> conclusion, MigrationReport report, @Nullable CompareReport verification) {
            Markdown page = new Markdown().conclusion(conclusion);
            List<Finding> algorithms = report.table.algorithms();
            List<Finding> others = report.table.others();
            List<String> head = List.of("Code", "Algorithm", "Plugin", "Result", "Effect", "What to do");
            page.table(
                    head, algorithms.stream().map(MigrationMarkdown::algorithm).toList(), ROWS);
            List<String> otherHead = List.of("Code", "Other change", "Effect", "What to do");
            page.table(otherHead, others.stream().map(MigrationMarkdown::other).toList(), ROWS);
            List<List<String>> details = Stream.concat(algorithms.stream(), others.stream())
                    .map(MigrationMarkdown::detail)
                    .toList();
            page.details("Details", new Markdown().table(List.of("Code", "About", "Effect", "Fix"), details, ROWS));
            page.details("Configuration", new Markdown().block("yaml", report.migration.configuration()));
            for (ExtenderPolicy extender : report.migration.retained()) {
                page.details(
                        "Policy of the extender",
                        new Markdown()
                                .paragraph(Markdown.code(extender.command()))
                                .block("json", extender.text()));
            }
            return verification == null
                    ? page
                    : page.details("Comparison on the dump", CompareMarkdown.of(List.of(), verification));
        }

        private static List<String> algorithm(Finding finding) {
            return List.of(
                    Markdown.text(finding.code().name()),
                    Markdown.code(MigrationTable.subject(finding)),
                    Markdown.text(MigrationTable.plugin(finding)),
                    Markdown.text(MigrationTable.result(finding)),
                    Markdown.text(finding.texts().effect()),
                    Markdown.text(finding.texts().action()));
        }

        private static List<String> other(Finding finding) {
            return List.of(
                    Markdown.text(finding.code().name()),
                    Markdown.text(MigrationTable.subject(finding)),
                    Markdown.text(finding.texts().effect()),
                    Markdown.text(finding.texts().action()));
        }

        private static List<String> detail(Finding finding) {
            return List.of(
                    Markdown.text(finding.code().name()),
                    Markdown.text(MigrationTable.subject(finding)),
                    Markdown.text(finding.text()),
                    Markdown.text(finding.wayOut()));
        }
    }

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
                json.set(
                        "verification",
                        CompareJson.of(verification, 0, List.of()).get("comparisons"));
            }
            return json;
        }

        /** For browsers. */
        PageContent page() {
            ObjectNode data = report.json();
            report.table().addTo(data);
            if (verification != null) {
                data.set("verification", CompareHtml.of(verification, 0, List.of()));
            }
            return new PageContent(PageContent.View.MIGRATE, "migrate: " + report.source(), conclusion(), data);
        }

        /** For a comment. */
        String markdown() {
            return MigrationMarkdown.of(conclusion(), report, verification).toString();
        }
    }
}
