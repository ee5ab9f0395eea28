package io.policyscheduler.cmd.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.cmd.cli.CommandRun;
import io.policyscheduler.cmd.rule.TestedRule.RuleBook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example of a rule has cases, which pass and cover all branches, and no lint warning. */
class RuleExampleCasesTest {
    private static final Path RULES = Path.of("../../policy-files/rules");
    private static final Path CASES = RULES.resolve("cases");

    private static Set<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".yaml"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    static Set<String> examples() throws IOException {
        return names(RULES);
    }

    @Test
    void everyExampleHasCases() throws IOException {
        assertEquals(examples(), names(CASES));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyRuleHasCasesThatPass(String name) {
        Path example = RULES.resolve(name);
        Path file = CASES.resolve(name);
        CommandRun run = CommandRun.of("rule", "test", "--coverage-min=100%", file.toString());
        assertEquals(0, run.code(), run.out() + run.err());
        CommandRun lint = CommandRun.of("rule", "lint", "--strict", example.toString());
        assertEquals(0, lint.code(), lint.out() + lint.err());
        boolean library = name.equals("licences.yaml");
        if (!library) {
            CommandRun validate = CommandRun.of("validate", example.toString());
            assertEquals(0, validate.code(), validate.out() + validate.err());
            assertTrue(validate.out().contains(" 0 warnings"), validate.out());
        }
        List<RuleCase> cases = CaseFile.read(file, Map.of()).cases();
        assertTrue(cases.size() >= 3, name + " has only " + cases.size() + " cases");
        Set<String> tested = cases.stream()
                .map(each -> each.rule().definition().name())
                .collect(Collectors.toCollection(TreeSet::new));
        RuleBook book = RuleBook.read(library ? null : example, library ? example : null, Map.of());
        assertEquals(new TreeSet<>(book.rules().keySet()), tested, "rules of " + name + " that have cases");
        cases.forEach(each -> assertEquals(
                example.toString(), each.rule().definition().place().file(), each.name()));
    }
}
