package io.policyscheduler.cmd.rule;

import com.google.common.collect.ImmutableSortedSet;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.rule.CaseObjects.CaseObject;
import io.policyscheduler.cmd.rule.RuleCase.CaseExpectations;
import io.policyscheduler.cmd.rule.TestedRule.RuleBook;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.engine.algorithm.Suggestions;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.PolicyTables;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleTables;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A file of cases.
 *
 * @param file its name on the command line
 * @param rules rules of its policy and library; for a shared rule, the rules of the entries that use it
 * @param tables names of the tables of policy and library
 * @param cases in the order of the file, at least one
 */
record CaseFile(String file, List<TestedRule> rules, SortedSet<String> tables, List<RuleCase> cases) {
    private static final List<String> KEYS =
            List.of("policy", "library", "rule", "now", "nodes", "pods", "objects", "tables", "cases");
    private static final List<String> CASE_KEYS = List.of(
            "name",
            "rule",
            "expression",
            "when",
            "params",
            "now",
            "tables",
            "nodes",
            "pods",
            "objects",
            "pod",
            "fits",
            "score",
            "reason",
            "error");

    CaseFile {
        rules = List.copyOf(rules);
        tables = ImmutableSortedSet.copyOf(tables);
        cases = List.copyOf(cases);
    }

    /**
     * Reads a file.
     *
     * @param tableFiles values of tables that override policy and library, by name
     * @throws io.policyscheduler.cmd.options.InputException if it cannot be read, or with a line for each problem
     */
    static CaseFile read(Path file, Map<String, Path> tableFiles) {
        CaseProblems problems = new CaseProblems(file.toString());
        List<RuleCase> cases = new ArrayList<>();
        List<TestedRule> rules = new ArrayList<>();
        SortedSet<String> tables = new TreeSet<>();
        try {
            SourceDocument document = SourceDocument.parse(InputFiles.text(file));
            if (document.moreDocuments()) {
                problems.add(document.root().position(), "the file has several documents; put all cases into one list");
            }
            CaseObject root = new CaseObject(document.root(), "a test file", KEYS, problems);
            RuleBook book = RuleBook.read(
                    beside(file, root.string("policy")), beside(file, root.string("library")), tableFiles);
            rules.addAll(book.rulesInUse());
            tables.addAll(book.tables().definitions().keySet());
            cases.addAll(new Reading(root, book, problems).cases());
        } catch (DocumentException e) {
            problems.add(e.position(), e.text());
        }
        problems.check();
        return new CaseFile(file.toString(), rules, tables, cases);
    }

    private static @Nullable Path beside(Path file, @Nullable String name) {
        return name == null ? null : file.resolveSibling(name).normalize();
    }

    /** Reads one file. */
    private static final class Reading {
        private final CaseObject root;
        private final RuleBook book;
        private final CaseProblems problems;
        private final CaseObjects objects;

        Reading(CaseObject root, RuleBook book, CaseProblems problems) {
            this.root = root;
            this.book = book;
            this.problems = problems;
            this.objects = new CaseObjects(problems);
        }

        List<RuleCase> cases() {
            List<SourceNode> items = root.list("cases");
            if (items == null || items.isEmpty()) {
                problems.add(root.position("cases"), "the file has no cases; list them under \"cases\"");
                return List.of();
            }
            List<RuleCase> cases = new ArrayList<>();
            Set<String> names = new HashSet<>();
            for (SourceNode item : items) {
                CaseObject object = new CaseObject(item, "a case", CASE_KEYS, problems);
                String name = object.string("name");
                if (name == null || name.isBlank()) {
                    problems.add(object.position(), "a case has no name; set \"name\"");
                } else if (!names.add(name)) {
                    problems.add(object.position("name"), "case \"" + name + "\" appears twice; rename one");
                }
                RuleCase read = read(object, name == null ? "" : name);
                if (read != null) {
                    cases.add(read);
                }
            }
            return cases;
        }

        private @Nullable RuleCase read(CaseObject object, String name) {
            TestedRule rule = rule(object);
            List<SourceNode> given = (object.has("nodes") ? object : root).list("nodes");
            if (given != null && given.isEmpty()) {
                problems.add(object.position("nodes"), "\"nodes\" is empty; remove it to use one default node");
            }
            List<Node> nodes = objects.nodes(given);
            List<SourceNode> pods = (object.has("pods") ? object : root).list("pods");
            List<PodInfo> running = objects.running(pods == null ? List.of() : pods, nodes);
            List<SourceNode> others = (object.has("objects") ? object : root).list("objects");
            List<ClusterObject> further = objects.others(others == null ? List.of() : others);
            PodInfo pod = objects.pod(object.any("pod"));
            Instant now = now(object.has("now") ? object : root, rule, object);
            if (rule == null || pod == null || now == null) {
                return null;
            }
            List<RuleCase.Expected> expected = new CaseExpectations(object, rule.type(), nodes, problems).read();
            return new RuleCase(name, object.position(), rule, now, nodes, running, further, pod, expected);
        }

        /** The time of a case, which is required if the rule reads the time, because its result would change otherwise. */
        private @Nullable Instant now(CaseObject caseObject, @Nullable TestedRule rule, CaseObject object) {
            String text = caseObject.string("now");
            if (text == null) {
                if (rule != null && !caseObject.has("now") && rule.readsTime()) {
                    problems.add(
                            object.position(), "the rule reads the time; set it: \"now\": \"2026-03-01T22:30:00Z\"");
                    return null;
                }
                return Instant.EPOCH;
            }
            try {
                return Instant.parse(text);
            } catch (DateTimeException e) {
                problems.add(
                        caseObject.position("now"),
                        "now is \"" + text + "\"; write a time such as \"2026-03-01T22:30:00Z\"");
                return null;
            }
        }

        private @Nullable TestedRule rule(CaseObject object) {
            Map<String, Object> params = object.params("params");
            String expression = object.string("expression");
            if (expression != null) {
                if (object.has("rule")) {
                    problems.add(object.position("rule"), "the case has both rule and expression; remove one");
                }
                return expression(object, expression, params);
            }
            if (object.has("when")) {
                problems.add(object.position("when"), "the case has when, but no expression; set \"when\" in the rule");
            }
            CaseObject caseObject = object.has("rule") ? object : root;
            String name = caseObject.string("rule");
            Set<String> known = book.rules().keySet();
            if (name == null) {
                if (known.size() == 1) {
                    name = known.iterator().next();
                } else {
                    problems.add(
                            object.position(),
                            known.isEmpty()
                                    ? "no rule; set \"expression\", or \"rule\" and \"policy\""
                                    : "no rule; set \"rule\": " + String.join(", ", known));
                    return null;
                }
            }
            TestedRule rule = book.rules().get(name);
            if (rule == null) {
                String are = known.isEmpty()
                        ? "the file names no policy or library"
                        : "there are " + String.join(", ", known);
                problems.unknown(caseObject.position("rule"), "no rule \"" + name + "\"; " + are, name, known);
                return null;
            }
            TestedRule withTables = new TestedRule(rule.definition(), rule.type(), tables(object));
            return params.isEmpty() ? withTables : with(params, withTables, object);
        }

        /** The tables of policy and library, with the values of the file and of the case. */
        private RuleTables tables(CaseObject object) {
            RuleTables tables = book.tables();
            for (CaseObject caseObject : List.of(root, object)) {
                SourceNode values = caseObject.objectNode("tables");
                if (values != null) {
                    List<Problem> found = new ArrayList<>();
                    tables = PolicyTables.replace(tables, values, problems.file(), found);
                    found.forEach(problem -> problems.add(problem.position(), problem.message()));
                }
            }
            return tables;
        }

        private @Nullable TestedRule with(Map<String, Object> params, TestedRule rule, CaseObject object) {
            RuleDefinition own = rule.definition();
            RuleDefinition given = new RuleDefinition(
                    own.name(), "", own.expression(), null, params, null, null, null, null, own.place());
            try {
                return TestedRule.of(given.over(own), rule.type(), rule.tables());
            } catch (RuleException e) {
                problems.add(object.position("params"), e.problem().text());
                return null;
            }
        }

        private @Nullable TestedRule expression(CaseObject object, String expression, Map<String, Object> params) {
            RuleDefinition.Place place = new RuleDefinition.Place(
                    problems.file(),
                    object.position("expression").line(),
                    object.position("expression").column());
            RuleDefinition definition = new RuleDefinition(
                    ExpressionOptions.PLACE,
                    "",
                    expression,
                    object.string("when"),
                    params,
                    null,
                    null,
                    null,
                    null,
                    place);
            try {
                return TestedRule.of(definition, tables(object));
            } catch (RuleException e) {
                boolean ofWhen = !e.problem().expression().equals(expression);
                problems.add(
                        object.position(ofWhen ? "when" : "expression"),
                        e.problem().line() + ":" + e.problem().column() + ": "
                                + e.problem().text());
                return null;
            }
        }
    }

    /** The problems of a test file. */
    static final class CaseProblems {
        private final String file;
        private final List<Problem> problems = new ArrayList<>();

        /** @param file its name in messages */
        CaseProblems(String file) {
            this.file = file;
        }

        String file() {
            return file;
        }

        void add(SourcePosition position, String message) {
            problems.add(Problem.at("", message, file, position));
        }

        /** An unknown name. */
        void unknown(SourcePosition position, String message, String name, Collection<String> known) {
            problems.add(Problem.at("", message, file, position, name).suggesting(Suggestions.nearest(name, known)));
        }

        /**
         * The error for a file; none if it is valid.
         *
         * @throws InputException with a line for each problem
         */
        void check() {
            if (!problems.isEmpty()) {
                throw new InputException(problems.stream().map(Problem::line).collect(Collectors.joining("\n")));
            }
        }
    }
}
