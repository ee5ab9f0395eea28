package io.policyscheduler.cmd.embedded.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.embedded.Manifests;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {
    private static final ObjectNode OBJECT =
            Manifests.json("{'metadata':{'labels':{'app':'web','tier':'front','size':'5','empty':'','x.io/a':'b'}}}");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\"|true",
                "app=web|true",
                "app==web|true",
                "app = web , tier = front|true",
                "app!=web|false",
                "absent!=web|true",
                "app in (db, web)|true",
                "app in (db)|false",
                "app notin (db,cache)|true",
                "absent notin (db)|true",
                "absent in (db)|false",
                "app|true",
                "!app|false",
                "!absent|true",
                "empty=|true",
                "size>4|true",
                "size>5|false",
                "size<6|true",
                "app>1|false",
                "x.io/a=b,app in (web),!old|true",
            })
    void selects(String selector, boolean expected) {
        assertEquals(expected, LabelSelector.parse(selector).matches(OBJECT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"app in web", "app in (a", "=web", "app=web,", "a b", "!", "app=a=b"})
    void refuses(String selector) {
        StatusError error = assertThrows(StatusError.class, () -> LabelSelector.parse(selector));
        assertEquals(400, error.code());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{}|true",
                "{'matchLabels':{'app':'web'}}|true",
                "{'matchLabels':{'app':'db'}}|false",
                "{'matchExpressions':[{'key':'app','operator':'In','values':['web']}]}|true",
                "{'matchExpressions':[{'key':'app','operator':'NotIn','values':['web']}]}|false",
                "{'matchExpressions':[{'key':'app','operator':'Exists'}]}|true",
                "{'matchExpressions':[{'key':'app','operator':'DoesNotExist'}]}|false",
            })
    void selectsByObject(String selector, boolean expected) {
        assertEquals(expected, LabelSelector.ofObject(Manifests.json(selector)).matches(OBJECT));
    }
}
