package io.policyscheduler.engine.placement;

import static io.policyscheduler.engine.testing.PodBuilder.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.placement.PreemptionResult.EvictionCost;
import io.policyscheduler.engine.placement.PreemptionResult.Victims;
import io.policyscheduler.engine.testing.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeChoiceTest {
    /** Victims written as {@code violations: priority@start priority ...}. */
    private static Victims victims(String text) {
        String[] parts = text.split(": ?", -1);
        List<PodInfo> pods = new ArrayList<>();
        for (String victim : parts[1].isEmpty() ? new String[0] : parts[1].split(" ", -1)) {
            String[] fields = victim.split("@", -1);
            PodBuilder builder = pod("v" + pods.size()).priority(Integer.parseInt(fields[0]));
            pods.add(
                    fields.length > 1
                            ? builder.startTime(Long.parseLong(fields[1])).build()
                            : builder.build());
        }
        return new Victims(pods, Integer.parseInt(parts[0]));
    }

    /** Victims of nodes n1, n2, ..., and the numbers of the nodes that may be selected. */
    static Stream<Arguments> choices() {
        return Stream.of(
                arguments("a node without victims wins at once", List.of("0: 1@1", "0:", "5:"), "n2 n3"),
                arguments("fewest violations", List.of("2: 0@1", "1: 9@1 9@1", "1: 9@1 9@1"), "n2 n3"),
                arguments("lowest first priority", List.of("0: 5@1", "0: 4@1 4@1 4@1", "0: 6@1"), "n2"),
                // The list begins with the violating pod, which need not be the most important one.
                arguments("first element, not highest", List.of("1: 1@1 5@1", "1: 2@1 2@1"), "n1"),
                arguments("smallest sum", List.of("0: 5@1 4@1", "0: 5@1 3@1"), "n2"),
                arguments("every victim weighs in the sum", List.of("0: 5@1 0@1", "0: 5@1"), "n2"),
                arguments(
                        "fewest victims with the same sum",
                        List.of("0: 5@1 -2147483648@1", "0: 5@1", "0: 5@1 -2147483648@1"),
                        "n2"),
                arguments("latest start", List.of("0: 5@10", "0: 5@30", "0: 5@20"), "n2"),
                arguments("earliest among the most important", List.of("0: 5@50 5@10", "0: 5@20 5@20"), "n2"),
                arguments("less important ones do not matter", List.of("0: 5@10 3@99", "0: 5@20 3@1"), "n2"),
                arguments("the true highest in the last step", List.of("1: 2@1 7@10", "1: 2@99 7@9"), "n1"),
                arguments("not started is latest", List.of("0: 5@10", "0: 5", "0: 5"), "n2 n3"),
                arguments("a tie", List.of("0: 5@10", "0: 5@10"), "n1 n2"),
                arguments("one node", List.of("7: 5@10"), "n1"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("choices")
    void acceptable(String name, List<String> nodes, String expected) {
        SortedMap<String, Victims> candidates = new TreeMap<>();
        for (String text : nodes) {
            candidates.put("n" + (candidates.size() + 1), victims(text));
        }
        assertEquals(expected, String.join(" ", EvictionCost.acceptable(candidates)));
    }

    @Test
    void nothingToChooseFrom() {
        assertEquals(List.of(), EvictionCost.acceptable(new TreeMap<>()));
    }
}
