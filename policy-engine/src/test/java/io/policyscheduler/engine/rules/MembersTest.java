package io.policyscheduler.engine.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.RuleCode;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MembersTest {
    static Stream<Member> members() {
        return Members.types().stream().flatMap(type -> Members.of(type).stream());
    }

    /** Every example is an expression with its member and runs in both executors. */
    @ParameterizedTest
    @MethodSource("members")
    void examplesRun(Member member) throws RuleException {
        RuleProgram program = RuleCompiler.standard().compile(member.example(), Map.of(), RuleType.BOOL);
        assertTrue(member.example().contains("." + member.name()), member::example);
        for (int seed = 0; seed < 50; seed++) {
            RandomRuleInput input = RandomRuleInput.of(new Random(seed));
            assertEquals(
                    program.start(input.pod(), input.cluster())
                            .bool(input.cluster().nodes().get(0)),
                    program.start(input.pod(), input.cluster(), RuleProgram.Executor.MVEL)
                            .bool(input.cluster().nodes().get(0)));
        }
    }

    @Test
    void areDocumented() {
        Set<List<Object>> seen = new HashSet<>();
        members().forEach(member -> {
            assertFalse(member.text().isBlank(), member::name);
            assertTrue(
                    seen.add(List.of(
                            member.receiver(),
                            member.name(),
                            member.parameters().size())),
                    member::name);
        });
        assertEquals(
                List.of(
                        "pod",
                        "node",
                        "cluster",
                        "moment",
                        "container",
                        "port",
                        "taint",
                        "toleration",
                        "volume",
                        "claim",
                        "budget",
                        "image",
                        "condition",
                        "map of strings",
                        "map of amounts"),
                Members.types().stream().map(RuleType::label).toList());
    }

    /** {@code -Drenew=true} writes the table into the page. */
    @Test
    void thePageHasTheTable() throws IOException {
        Path file = Path.of("../policy-files/rules/LANGUAGE.md");
        String page = Files.readString(file);
        int start = page.indexOf("\n", page.indexOf("<!-- members:")) + 1;
        int end = page.indexOf("<!-- end -->");
        if (Boolean.getBoolean("renew")) {
            Files.writeString(
                    file, page.substring(0, start) + "\n" + MemberDocs.markdown() + "\n" + page.substring(end));
            return;
        }
        assertEquals("\n" + MemberDocs.markdown() + "\n", page.substring(start, end));
    }

    @Test
    void thePageHasTheCodes() throws IOException {
        String page = Files.readString(Path.of("../policy-files/rules/LANGUAGE.md"));
        for (RuleCode code : RuleCode.values()) {
            assertTrue(page.contains("| " + code.code() + " |"), code::code);
        }
    }
}
