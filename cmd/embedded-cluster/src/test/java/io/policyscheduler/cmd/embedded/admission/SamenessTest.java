package io.policyscheduler.cmd.embedded.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.policyscheduler.cmd.embedded.admission.ChangeValidation.SemanticEquality;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamenessTest {
    private static final YAMLMapper YAML = new YAMLMapper();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{a: 1}                     | {a: 1}                      | true",
                "{a: 1}                     | {a: 2}                      | false",
                "{a: 1, b: null}            | {a: 1}                      | true",
                "{a: [], b: {}}             | {}                          | true",
                "{a: {b: {c: []}}}          | {}                          | true",
                "{a: [1, 2]}                | {a: [2, 1]}                 | false",
                "{a: [{}]}                  | {a: []}                     | false",
                "{a: false}                 | {}                          | false",
                "{requests: {cpu: 1}}       | {requests: {cpu: 1000m}}    | true",
                "{requests: {cpu: '1'}}     | {requests: {cpu: 1}}        | true",
                "{requests: {memory: 1Gi}}  | {requests: {memory: 1024Mi}} | true",
                "{requests: {memory: 1Gi}}  | {requests: {memory: 1G}}    | false",
                "{requests: {cpu: x}}       | {requests: {cpu: x}}        | true",
                "{requests: {cpu: 0}}       | {}                          | false",
                "{capacity: {storage: 1Ki}} | {capacity: {storage: 1024}} | true",
                "{port: 1}                  | {port: 1000m}               | false",
            })
    void whatIsEmptyIsNotThere(String one, String two, boolean expected) throws IOException {
        assertEquals(expected, SemanticEquality.same(YAML.readTree(one), YAML.readTree(two)));
        assertEquals(expected, SemanticEquality.same(YAML.readTree(two), YAML.readTree(one)));
    }
}
