package io.policyscheduler.framework.insight.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlList;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlMap;
import io.policyscheduler.framework.insight.migrate.YamlWriter.YamlScalar;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlWriterTest {
    @ParameterizedTest
    @CsvSource({
        "NodeAffinity,NodeAffinity",
        "example.com/fpga,example.com/fpga",
        "/etc/ca.pem,/etc/ca.pem",
        "http://127.0.0.1:12345/api,http://127.0.0.1:12345/api",
        "5s,5s",
        "1500ms,1500ms",
        "*,\"*\"",
        "true,\"true\"",
        "No,\"No\"",
        "null,\"null\"",
        "12,\"12\"",
        "1e3,\"1e3\"",
        "a: b,\"a: b\"",
        "a #b,\"a #b\"",
    })
    void quotesWhatIsNotPlainlyText(String value, String text) {
        assertEquals(text, new YamlScalar(value).text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-",
                "a:",
                "{",
                "}",
                "[x]",
                "a, b",
                "'",
                "\"",
                "\\",
                "a\nb",
                "a\tb",
                "a\r\nb",
                "\u2028",
                "\u0007",
                "\u00e4",
                "\ud83d\ude00",
                "~",
                "%x",
                "@x",
                "&x",
                "!x",
                "0x1f",
                "1:30",
                "2001-01-01",
                "yes",
                "http://[::1]:80/x",
                "http://h:1",
                "http://h:"
            })
    void writesWhatIsReadAgain(String value) throws DocumentException {
        YamlMap root = YamlMap.block()
                .put("block", value, value)
                .put("flow", YamlMap.flow().put("inner", value), value)
                .put("list", new YamlList().add(value, value));
        SourceNode read =
                SourceDocument.parse(YamlWriter.write(List.of(value), root)).root();
        assertEquals(value, read.members().get(0).value().text());
        assertEquals(
                value, read.members().get(1).value().members().get(0).value().text());
        assertEquals(value, read.members().get(2).value().items().get(0).text());
    }

    @Test
    void putsRemarksInOneColumn() {
        YamlMap root = YamlMap.block()
                .put("name", "x", "first")
                .put("empty", new YamlList())
                .put("none", YamlMap.block(), "second")
                .put(
                        "list",
                        new YamlList()
                                .add(YamlMap.block().put("a", 1, "third").put("b", true))
                                .add(YamlMap.flow().put("c", 2L).put("d", "*"), "fourth"));
        assertEquals("""
                # heading
                name: x                                     # first
                empty: []
                none: {}                                    # second
                list:
                - a: 1                                      # third
                  b: true
                - {c: 2, d: "*"}                            # fourth
                """, YamlWriter.write(List.of("heading"), root));
    }

    @Test
    void remarksStayInTheirLine() {
        YamlMap root = YamlMap.block().put("a", 1, "x\ny: 2\u2028z" + "-".repeat(500));
        String text = YamlWriter.write(List.of(), root);
        assertEquals(1, text.lines().count());
        assertEquals("a: 1" + " ".repeat(40) + "# x?y: 2?z" + "-".repeat(392) + "...\n", text);
    }
}
