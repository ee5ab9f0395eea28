package io.policyscheduler.engine.rules.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.rules.RuleCompiler;
import io.policyscheduler.engine.rules.analysis.MemberPhrases.Phrase;
import io.policyscheduler.engine.rules.analysis.RuleExplanation.Explanation;
import io.policyscheduler.engine.rules.compiler.Member;
import io.policyscheduler.engine.rules.compiler.Members;
import io.policyscheduler.engine.rules.compiler.Operations;
import io.policyscheduler.engine.rules.compiler.Operations.Operation;
import io.policyscheduler.engine.rules.compiler.RuleException;
import io.policyscheduler.engine.rules.data.RuleType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MemberPhrasesTest {
    static Stream<Member> members() {
        return Members.types().stream().flatMap(type -> Members.of(type).stream());
    }

    @Test
    void wordsAreForMembersThatExist() {
        Set<String> unknown = new TreeSet<>(MemberPhrases.writtenFor());
        members().forEach(member -> unknown.remove(member.receiver().label() + "." + member.signature()));
        assertEquals(Set.of(), unknown);
    }

    static List<Operation> operations() {
        return Operations.all();
    }

    private static Explanation explained(String expression) throws RuleException {
        RuleCompiler compiler = RuleCompiler.standard();
        try {
            return RuleExplanation.of(compiler.compile(expression, Map.of(), RuleType.BOOL));
        } catch (RuleException e) {
            return RuleExplanation.of(compiler.compile(expression, Map.of(), RuleType.NUMBER));
        }
    }

    private static String says(String expression) throws RuleException {
        return explained(expression).says().stream()
                .map(line -> "  ".repeat(line.depth()) + line.text())
                .collect(Collectors.joining(" | "));
    }

    /** A member has an explanation of its own, or documentation that can replace it. */
    @ParameterizedTest
    @MethodSource("members")
    void everyMemberHasWords(Member member) throws RuleException {
        Phrase phrase = MemberPhrases.of(member);
        if (MemberPhrases.written(member) == null) {
            String text = member.text().split("[,;]", 2)[0];
            assertTrue(
                    text.contains(" ") || text.startsWith("spec.") || text.startsWith("status."),
                    () -> "write words for " + member.receiver().label() + "." + member.signature()
                            + " into MemberPhrases");
        }
        assertEquals(phrase.form() == Phrase.Form.CLAUSE, member.result() == RuleType.BOOL);
        assertEquals(phrase.form() == Phrase.Form.CLAUSE, !phrase.no().isEmpty());
        String says = says(member.example());
        assertFalse(says.contains("{") || says.contains("null") || says.isBlank(), says);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void everyOperationHasWords(Operation operation) throws RuleException {
        String says = says(operation.example());
        assertFalse(says.contains("{") || says.contains("null") || says.contains("&&"), says);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "!pod.hasLabel('app','web') || node.podsWithLabel('app','web') < 3"
                        + " -> The rule accepts a node for a pod when at least one of these is true: |   the pod does not have label app=web"
                        + " |   the node has fewer than 3 pods with label app=web",
                "!(pod.cpu > 1 && node.unschedulable)"
                        + " -> The rule accepts a node for a pod when at least one of these is true: |   the CPU that the pod requests is at most"
                        + " 1 core |   the node is not unschedulable",
                "node.podsWithLabel('a') == 0 -> The rule accepts a node for a pod when the node has no pods with label a.",
                "node.podCount > 0 -> The rule accepts a node for a pod when the node has pods.",
                "2 > node.podCount -> The rule accepts a node for a pod when the node has fewer than 2 pods.",
                "pod.memory >= '512Mi' -> The rule accepts a node for a pod when the memory that the pod requests is at least 512Mi.",
                "node.labels['zone'] == null -> The rule accepts a node for a pod when the node does not have label zone.",
                "node.labels['zone'] != 'a' -> The rule accepts a node for a pod when the node does not have label zone=a.",
                "node.annotations.x in ['a', 'b c'] -> The rule accepts a node for a pod when annotation x of the node is one of a, 'b c'.",
                "pod.annotations.x in ['a', 'b c'] -> The rule accepts a node for a pod when annotation x of the pod is one of a, 'b c'.",
                "!node.taints.any(t, t.key == 'a') -> The rule accepts a node for a pod when for none of the taints of the node: the key of"
                        + " that taint is a.",
                "node.taints.all(t, t.key == 'a') -> The rule accepts a node for a pod when for each of the taints of the node: the key of"
                        + " that taint is a.",
                "(p in node.pods if p.cpu > 1).size() < 3 -> The rule accepts a node for a pod when for fewer than 3 of the pods on the node:"
                        + " the CPU that that pod requests is more than 1 core.",
                "now.hour('Europe/Berlin') >= 22 -> The rule accepts a node for a pod when the hour in Europe/Berlin is at least 22.",
                "node.podsOfOwner(pod.ownerUid) < 2 -> The rule accepts a node for a pod when the node has fewer than 2 pods of the"
                        + " controller of the pod.",
                "x = node.podCount * 2; x < 5 -> The rule accepts a node for a pod when x is less than 5. |   where x is the number of pods on"
                        + " the node * 2",
                "pod.cpu > 1 ? 100 : node.podCount -> The value for a node is: |   if the CPU that the pod requests is more than 1"
                        + " core: 100 |   otherwise: the number of pods on the node | The score is this value, rounded and limited to"
                        + " 0..100.",
            })
    void saysWhatARuleMeans(String expression, String words) throws RuleException {
        assertEquals(words, says(expression));
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "->",
            quoteCharacter = '`',
            value = {
                "node.labels['zone'] == 'a' -> Where label zone of the node is missing, it does not equal any value.",
                "number(node.labels['n'], 7) > 1 -> Where label n of the node is missing, the number is 7.",
                "(node.labels['n'] or 'b') == 'c' -> Where label n of the node is missing, b is used.",
                "node.label('n') == 'c' -> Where label n of the node is missing, the value is ''.",
                "node.label('n', 'd') == 'c' -> Where label n of the node is missing, d is used.",
                "node.podsWithLabel('app') < 3 -> Pods without label app are not counted.",
                "node.nodesInTopology('rack') > 1 -> On nodes without label rack, the number of nodes with the same label rack as"
                        + " the node is 0.",
                "pod.cpu > 1 -> ``",
            })
    void saysWhatAMissingLabelMeans(String expression, String words) throws RuleException {
        assertEquals(words, String.join(" ", explained(expression).missing()));
    }
}
