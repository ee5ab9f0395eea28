package io.policyscheduler.engine.cluster.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSyntaxTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "a", "A", "0", "a-b", "a_b", "a.b", "a--b", "1.2.3", "MixedCase9"})
    void legalValues(String value) {
        assertTrue(LabelSyntax.isLabelValue(value));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "-5", "+5", "a-", ".a", "a.", "_a", "a b", " ", "a/b", "ä", "a\u0000b", "a:b"})
    void illegalValues(String value) {
        assertFalse(LabelSyntax.isLabelValue(value));
    }

    @Test
    void lengths() {
        assertTrue(LabelSyntax.isLabelValue("a".repeat(63)));
        assertFalse(LabelSyntax.isLabelValue("a".repeat(64)));
        assertTrue(LabelSyntax.isQualifiedName("a".repeat(253) + "/" + "b".repeat(63)));
        assertFalse(LabelSyntax.isQualifiedName("a".repeat(254) + "/b"));
        assertFalse(LabelSyntax.isQualifiedName("a/" + "b".repeat(64)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "A.b_c-d", "kubernetes.io/hostname", "a-b.c/X", "0.1/2"})
    void qualifiedNames(String name) {
        assertTrue(LabelSyntax.isQualifiedName(name));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "/", "a/", "/a", "a/b/c", "A.b/c", "a_b/c", "a..b/c", "-a/c", "a-/c", "a.-b/c", "a-.b/c", ".a/c",
                "a./c", "a b", "a/b c"
            })
    void unqualifiedNames(String name) {
        assertFalse(LabelSyntax.isQualifiedName(name));
    }

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "-0,0",
        "+5,5",
        "-5,-5",
        "007,7",
        "9223372036854775807,9223372036854775807",
        "-9223372036854775808,-9223372036854775808"
    })
    void integers(String text, long value) {
        assertEquals(value, LabelSyntax.parseInt64(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "+",
                "--1",
                "1.0",
                "1e3",
                " 1",
                "1 ",
                "0x1",
                "1_000",
                "\u0661",
                "9223372036854775808",
                "-9223372036854775809"
            })
    void noIntegers(String text) {
        assertNull(LabelSyntax.parseInt64(text));
    }
}
