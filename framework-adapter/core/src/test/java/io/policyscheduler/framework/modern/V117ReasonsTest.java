package io.policyscheduler.framework.modern;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.framework.modern.PluginAlgorithms.V117Reasons;
import io.policyscheduler.framework.plugin.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class V117ReasonsTest {
    private static final String AFFINITY = "node(s) didn't match pod affinity/anti-affinity";

    /** The reason of a plugin, and those of the policy when preemption may help and when not. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "Too many pods | Insufficient pods | Insufficient pods !",
                "Insufficient cpu | Insufficient cpu | Insufficient cpu !",
                "node(s) didn't match Pod's node affinity/selector"
                        + " | node(s) didn't match node selector | node(s) didn't match node selector !",
                "pod affinity terms conflict | node(s) didn't match node selector | node(s) didn't match node selector !",
                "node(s) didn't match PersistentVolume's node affinity"
                        + " | node(s) had volume node affinity conflict | node(s) had volume node affinity conflict !",
                "node(s) had no available volume zone"
                        + " | node(s) had no available volume zone | node(s) had no available volume zone !",
                "persistentvolumeclaim \"c\" not found"
                        + " | persistentvolumeclaim \"c\" not found | persistentvolumeclaim \"c\" not found !",
            })
    void reasonsAreToldInTheOlderWords(String plugin, String resolvable, String unresolvable) {
        assertEquals(resolvable, PolicyFixture.text(V117Reasons.verdict(Status.unschedulable(plugin))));
        assertEquals(unresolvable, PolicyFixture.text(V117Reasons.verdict(Status.unresolvable(plugin))));
    }

    /** The reasons of inter-pod affinity show by themselves whether preemption helps. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "node(s) didn't match pod affinity rules,node(s) didn't match pod affinity rules !",
                "node(s) didn't match pod anti-affinity rules,node(s) didn't match pod anti-affinity rules",
                "node(s) didn't satisfy existing pods anti-affinity rules,"
                        + "node(s) didn't satisfy existing pods anti-affinity rules",
            })
    void interPodAffinityHasTwoReasons(String plugin, String second) {
        String expected = AFFINITY + ", " + second;
        assertEquals(expected, PolicyFixture.text(V117Reasons.verdict(Status.unschedulable(plugin))));
        assertEquals(expected, PolicyFixture.text(V117Reasons.verdict(Status.unresolvable(plugin))));
    }

    @Test
    void severalReasonsAndErrors() {
        assertEquals(
                "Insufficient pods !, Insufficient cpu !",
                PolicyFixture.text(
                        V117Reasons.verdict(Status.rejected(false, List.of("Too many pods", "Insufficient cpu")))));
        assertEquals("error: boom", PolicyFixture.text(V117Reasons.verdict(Status.error("boom"))));
        assertEquals("node(s) didn't match node selector !", PolicyFixture.text(V117Reasons.NODE_SELECTOR));
    }
}
