package io.policyscheduler.engine.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.document.SourceDocument.SourceNode;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.YamlDocument.YamlScalars;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class YamlScalarsTest {
    @ParameterizedTest
    @CsvSource({
        "1_000,1000",
        "0x10,16",
        "010,8",
        "0b11,3",
        "1e2,100",
        "-1.50,-1.5",
        "1e21,1e+21",
        ".5,0.5",
        "18446744073709551615,18446744073709551615",
    })
    void writesYamlNumbersAsGoDoes(String yaml, String json) throws DocumentException {
        SourceNode number = YamlScalars.plain(yaml, SourcePosition.UNKNOWN);
        assertEquals(SourceNode.scalar(SourceNode.Kind.NUMBER, json, SourcePosition.UNKNOWN), number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5e910", "1.2.3", "0x", "2019-01-01", "1e", "-", "nope"})
    void takesOtherPlainYamlScalarsForStrings(String yaml) throws DocumentException {
        SourceNode string = YamlScalars.plain(yaml, SourcePosition.UNKNOWN);
        assertEquals(SourceNode.scalar(SourceNode.Kind.STRING, yaml, SourcePosition.UNKNOWN), string);
    }
}
