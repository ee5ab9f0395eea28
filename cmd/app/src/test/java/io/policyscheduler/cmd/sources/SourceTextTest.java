package io.policyscheduler.cmd.sources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.sources.PolicyLoader.ConfigMapEntries.ConfigMapName;
import io.policyscheduler.engine.cluster.release.Release;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceTextTest {
    @ParameterizedTest
    @CsvSource({
        "policy:p.json, false, false, POLICY, p.json",
        "framework:p.json, false, false, POLICY, p.json",
        "legacy:p.json, true, false, POLICY, p.json",
        "legacy:policy:p.json, true, false, POLICY, p.json",
        "legacy:C:/p.json, true, false, POLICY, C:/p.json",
        "legacy:configmap:ns/p, true, false, CONFIGMAP, ns/p",
        "legacy:provider:DefaultProvider, true, false, PROVIDER, DefaultProvider",
        "strict:p.json, false, true, POLICY, p.json",
        "strict:provider:DefaultProvider, false, true, PROVIDER, DefaultProvider",
        "configmap:p, false, false, CONFIGMAP, p",
        "provider:DefaultProvider, false, false, PROVIDER, DefaultProvider",
        "config:c.yaml#two, false, false, CONFIG, c.yaml#two",
        "modern:c.yaml, false, false, CONFIG, c.yaml",
        "modern, false, false, MODERN, ''",
    })
    void read(String text, boolean functions, boolean strict, SourceText.Kind kind, String value) {
        assertEquals(new SourceText(text, functions, strict, kind, value, null), SourceText.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "modern@1.29, MODERN, '', 29",
        "modern@v1.29.4, MODERN, '', 29",
        "config:c.yaml#two@1.31, CONFIG, c.yaml#two, 31",
        "policy:a@b.json@1.21, POLICY, a@b.json, 21",
        "provider:DefaultProvider@1.20, PROVIDER, DefaultProvider, 20",
    })
    void readsReleases(String text, SourceText.Kind kind, String value, int minor) {
        assertEquals(new SourceText(text, false, false, kind, value, new Release(minor)), SourceText.parse(text));
    }

    @Test
    void wordsThatMean117HaveNoRelease() {
        InputException refusal = assertThrows(InputException.class, () -> SourceText.parse("strict:p.json@1.20"));
        assertEquals(
                "\"strict:p.json@1.20\": legacy: and strict: mean 1.17; remove @1.20, or the prefix",
                refusal.getMessage());
    }

    @Test
    void namesInSources() {
        SourceText config = SourceText.parse("config:a#b.yaml#two");
        assertEquals(List.of(Path.of("a#b.yaml"), "two"), List.of(config.file(), config.profile()));
        assertEquals("", SourceText.parse("config:c.yaml").profile());
        assertEquals(
                new ConfigMapName("ns", "p"), SourceText.parse("configmap:ns/p").configMap());
        assertEquals(
                new ConfigMapName("kube-system", "p"),
                SourceText.parse("configmap:p").configMap());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x|''",
                "policy:|''",
                "legacy:|''",
                "polcy:f|' (did you mean \"policy:f\"?)'",
                "moderm|' (did you mean \"modern\"?)'",
                "legcy:f|' (did you mean \"legacy:f\"?)'",
            })
    void unknown(String text, String hint) {
        assertEquals(
                "\"" + text
                        + "\" is not policy:FILE, configmap:NAMESPACE/NAME, provider:NAME, config:FILE[#PROFILE] or modern; optionally with the suffix @1.N (the kube-scheduler of a release), or the prefix legacy: or strict:"
                        + hint,
                message(text));
    }

    @ParameterizedTest
    @CsvSource({
        "legacy:modern, legacy",
        "legacy:config:c.yaml, legacy",
        "strict:modern:c.yaml, strict",
    })
    void pluginsHaveOneExecutor(String text, String word) {
        assertEquals(
                "\"" + text + "\": " + word
                        + ": is only valid before policy:FILE, configmap:NAMESPACE/NAME, or provider:NAME",
                message(text));
    }

    private static String message(String text) {
        return String.valueOf(
                assertThrows(InputException.class, () -> SourceText.parse(text)).getMessage());
    }
}
