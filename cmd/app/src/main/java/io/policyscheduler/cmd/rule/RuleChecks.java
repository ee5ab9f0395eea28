package io.policyscheduler.cmd.rule;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.kube.connection.SteadyClock;
import io.policyscheduler.cmd.live.Algorithms;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.cmd.sources.InputFiles;
import io.policyscheduler.engine.algorithm.Scope;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.policy.EffectivePolicy;
import io.policyscheduler.engine.policy.Policy;
import io.policyscheduler.engine.policy.Policy.PolicyException;
import io.policyscheduler.engine.policy.Policy.PolicyProblemCode;
import io.policyscheduler.engine.policy.PolicyReader;
import io.policyscheduler.engine.policy.PolicyReader.RuleLibrary;
import io.policyscheduler.engine.policy.PolicyResolver;
import io.policyscheduler.engine.policy.PolicyResolver.RuleEnvironment;
import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.RuleDefinition;
import io.policyscheduler.engine.rules.RuleDefinition.OnError;
import io.policyscheduler.engine.rules.RuleExecution;
import io.policyscheduler.engine.rules.RuleFailures;
import io.policyscheduler.engine.rules.RulePredicate;
import io.policyscheduler.engine.rules.RulePriority;
import io.policyscheduler.engine.rules.RuleProgram;
import io.policyscheduler.engine.rules.compiler.Member.Reads;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.compiler.RuleException.RuleProblem;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The checker of expressions, all rules of a policy, all rules of a library. */
final class RuleChecks {
    /** Keys that distinguish a policy, or a ConfigMap with one, from a library of rules. */
    private static final Set<String> POLICY_KEYS = Set.of("kind", "apiVersion", "predicates", "priorities");

    private static final String EMPTY_POLICY = "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}";

    private final PolicyResolver resolver;
    private final @Nullable RuleType defaultType;
    /** The rules of the current file. */
    private RuleTables tables = RuleTables.none();

    private final RuleFailures failures = new RuleFailures(SteadyClock.system());
    private final List<RuleReport.Accepted> accepted = new ArrayList<>();
    private final List<TestedRule> rules = new ArrayList<>();
    private final List<RuleDefinition> unused = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();

    /**
     * @param resolver has the libraries of policies
     * @param defaultType type of the rules that do not declare whether they are predicates or priorities; null for either
     */
    RuleChecks(PolicyResolver resolver, @Nullable RuleType defaultType) {
        this.resolver = resolver;
        this.defaultType = defaultType;
    }

    RuleReport report() {
        return new RuleReport(accepted, problems);
    }

    /** The valid rules of files, in order. */
    List<TestedRule> rules() {
        return List.copyOf(rules);
    }

    /** The shared rules of policies that no entry uses. */
    List<RuleDefinition> unused() {
        return List.copyOf(unused);
    }

    void expression(ExpressionOptions options) {
        try {
            RuleProgram program = options.compile(defaultType);
            RuleDefinition.Place place = new RuleDefinition.Place(ExpressionOptions.PLACE, 0, 0);
            accepted.add(RuleReport.Accepted.of("", program, program.reads(), null, place));
        } catch (RuleException e) {
            problems.add(ExpressionOptions.problem(e.problem()));
        }
    }

    /**
     * Checks all rules of a policy or a library.
     *
     * @throws io.policyscheduler.cmd.options.InputException if the file cannot be read
     */
    void file(Path file) {
        String text = InputFiles.text(file);
        try {
            library(new PolicyReader().readLibrary(text, file.toString()));
        } catch (PolicyException e) {
            boolean isPolicy = e.problems().stream()
                    .anyMatch(problem -> problem.code().equals(PolicyProblemCode.UNKNOWN_FIELD)
                            && POLICY_KEYS.contains(problem.value()));
            if (isPolicy) {
                policy(text, file.toString());
            } else {
                problems.addAll(e.problems());
            }
        }
    }

    private void policy(String text, String file) {
        try {
            Policy policy = resolver.reader().read(text, file);
            // The resolver reports their problems.
            tables = resolver.tables(policy.tables(), new ArrayList<>());
            Set<String> used = used(policy);
            List<RuleDefinition> others = policy.rules().stream()
                    .filter(rule -> !used.contains(rule.name()))
                    .toList();
            unused.addAll(others);
            others.forEach(this::definition);
            EffectivePolicy effective = resolver.resolve(policy);
            effective.rules().predicates().values().forEach(this::accept);
            effective.rules().priorities().values().forEach(this::accept);
        } catch (PolicyException e) {
            problems.addAll(e.problems());
        }
    }

    /** Shared rules that an entry uses are checked with the entry, because it may replace parts of them. */
    private static Set<String> used(Policy policy) {
        Set<String> used = new HashSet<>();
        if (policy.predicates() != null) {
            policy.predicates().forEach(entry -> {
                if (entry.argument() != null && entry.argument().rule() != null) {
                    used.add(entry.argument().rule().use());
                }
            });
        }
        if (policy.priorities() != null) {
            policy.priorities().forEach(entry -> {
                if (entry.argument() != null && entry.argument().rule() != null) {
                    used.add(entry.argument().rule().use());
                }
            });
        }
        return used;
    }

    private void library(RuleLibrary library) {
        List<RuleDefinition> rules = library.rules();
        tables = resolver.tables(library.tables(), problems);
        rules.forEach(this::definition);
        if (rules.isEmpty()) {
            return;
        }
        try {
            // The resolver finds missing and duplicate names.
            String file = rules.get(0).place().file();
            RuleEnvironment environment =
                    new RuleEnvironment(library, resolver.tableInput(), RuleExecution.standard(), SteadyClock.system());
            new PolicyResolver(FeatureGates.defaults(), 1, false, Algorithms.registry(), environment)
                    .resolve(new PolicyReader().read(EMPTY_POLICY, file));
        } catch (PolicyException e) {
            problems.addAll(e.problems());
        }
    }

    /** The fields of a shared rule show whether it is a predicate or a priority; without such fields, both are checked. */
    private void definition(RuleDefinition rule) {
        RuleType type = defaultType;
        if (rule.normalize() != null || OnError.ZERO.word().equals(rule.onError())) {
            type = RuleType.NUMBER;
        } else if (rule.reason() != null
                || rule.resolvable() != null
                || OnError.REJECT.word().equals(rule.onError())) {
            type = RuleType.BOOL;
        }
        try {
            compile(rule, type);
        } catch (RuleException e) {
            problems.add(problem(rule, e.problem()));
        }
    }

    private void compile(RuleDefinition rule, @Nullable RuleType type) throws RuleException {
        if (type == RuleType.NUMBER) {
            accept(RulePriority.compile(rule, RuleCompiler.reading(tables), failures));
            return;
        }
        try {
            accept(RulePredicate.compile(rule, RuleCompiler.reading(tables), failures));
        } catch (RuleException e) {
            if (type == RuleType.BOOL || e.problem().code() != RuleCode.RESULT) {
                throw e;
            }
            accept(RulePriority.compile(rule, RuleCompiler.reading(tables), failures));
        }
    }

    private void accept(RulePredicate rule) {
        rules.add(new TestedRule(rule.definition(), RuleType.BOOL, tables));
        accepted.add(RuleReport.Accepted.of(
                rule.name(),
                rule.program(),
                rule.reads(),
                rule.onError(),
                rule.definition().place()));
    }

    private void accept(RulePriority rule) {
        rules.add(new TestedRule(rule.definition(), RuleType.NUMBER, tables));
        accepted.add(RuleReport.Accepted.of(
                rule.name(),
                rule.program(),
                rule.reads(),
                rule.onError(),
                rule.definition().place()));
    }

    /** The problems of a rule. */
    static Problem problem(RuleDefinition rule, RuleProblem problem) {
        return new Problem(
                problem.code().code(),
                "rule " + rule.name() + ": " + problem.line() + ":" + problem.column() + ": " + problem.text(),
                rule.place().file(),
                new SourcePosition(rule.place().line(), rule.place().column()),
                problem.caret(),
                null);
    }

    /**
     * The report of checked rules.
     *
     * @param accepted the valid rules, in order
     * @param problems the problems of the others, in order
     */
    record RuleReport(List<Accepted> accepted, List<Problem> problems) {
        /**
         * A rule that compiles.
         *
         * @param name empty for an expression that is no part of a file
         * @param type BOOL for a predicate, NUMBER for a priority
         * @param reads what the rule and its condition read
         * @param cost estimated cost of one evaluation, in units of about one member access
         * @param growsWith what the cost depends on; empty if it is constant
         * @param onError result of a failure; null for an expression of the command line
         */
        public record Accepted(
                String name,
                RuleType type,
                Scope scope,
                Set<Reads> reads,
                long cost,
                List<String> growsWith,
                @Nullable OnError onError,
                RuleDefinition.Place place) {
            public Accepted {
                growsWith = List.copyOf(growsWith);
            }

            /**
             * A rule of a file, or an expression.
             *
             * @param onError result of a failure; null for an expression
             */
            public static Accepted of(
                    String name,
                    RuleProgram program,
                    Set<Reads> reads,
                    @Nullable OnError onError,
                    RuleDefinition.Place place) {
                return new Accepted(
                        name,
                        program.type(),
                        Reads.scope(reads),
                        reads,
                        program.cost(),
                        program.sizes(),
                        onError,
                        place);
            }

            private String use() {
                return type == RuleType.BOOL ? "predicate" : "priority";
            }

            private Set<Reads> sortedReads() {
                return new TreeSet<>(reads);
            }
        }

        public RuleReport {
            accepted = List.copyOf(accepted);
            problems = List.copyOf(problems);
        }

        /** Prints a table of the valid rules; then a line for each problem, with its place in the expression. */
        public void print(PrintWriter out) {
            TextTable table = new TextTable()
                    .text("RULE")
                    .text("FOR")
                    .text("TYPE")
                    .text("SCOPE")
                    .text("READS")
                    .number("COST")
                    .text("PLACE");
            for (Accepted rule : accepted) {
                RuleDefinition.Place place = rule.place();
                table.row(
                        rule.name().isEmpty() ? "-" : rule.name(),
                        rule.use(),
                        rule.type().label(),
                        rule.scope(),
                        rule.sortedReads().stream().map(Reads::toString).collect(Collectors.joining(",")),
                        rule.cost(),
                        place.file() + (place.line() > 0 ? ":" + place.line() + ":" + place.column() : ""));
            }
            table.print(out);
            for (Accepted rule : accepted) {
                String of = rule.name().isEmpty() ? "" : "of " + rule.name() + " ";
                rule.growsWith().forEach(size -> out.println("the cost " + of + "grows with the " + size));
            }
            for (Problem problem : problems) {
                out.println(problem.line());
                out.print(problem.excerpt().indent(4));
            }
        }

        /** The result as JSON. */
        public ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            ArrayNode rules = json.putArray("rules");
            for (Accepted rule : accepted) {
                ObjectNode node = rules.addObject()
                        .put("name", rule.name())
                        .put("for", rule.use())
                        .put("type", rule.type().label())
                        .put("scope", rule.scope().toString());
                ArrayNode reads = node.putArray("reads");
                rule.sortedReads().forEach(read -> reads.add(read.toString()));
                node.put("cost", rule.cost())
                        .put("file", rule.place().file())
                        .put("line", rule.place().line())
                        .put("column", rule.place().column())
                        .put(
                                "onError",
                                rule.onError() == null ? null : rule.onError().word());
                ArrayNode sizes = node.putArray("growsWith");
                rule.growsWith().forEach(sizes::add);
            }
            ArrayNode refused = json.putArray("problems");
            for (Problem problem : problems) {
                addTo(refused, problem).put("suggestion", problem.suggestion());
            }
            return json;
        }

        /** Adds a problem to a list, and returns its fields. */
        static ObjectNode addTo(ArrayNode list, Problem problem) {
            return list.addObject()
                    .put("code", problem.code())
                    .put("message", problem.message())
                    .put("file", problem.file())
                    .put("line", problem.lineNumber())
                    .put("column", problem.column())
                    .put("excerpt", problem.excerpt());
        }
    }
}
