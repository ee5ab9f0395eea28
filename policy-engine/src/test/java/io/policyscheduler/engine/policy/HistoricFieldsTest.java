package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoricFieldsTest {
    private static void paths(TypeShape type, String path, Set<String> paths) {
        if (type.kind() == TypeShape.Kind.LIST) {
            paths(type.elementType(), path + "[]", paths);
            return;
        }
        for (TypeShape.Field field : type.fields()) {
            String inner = path.isEmpty() ? field.key() : path + "." + field.key();
            if (!field.key().equals("rule") && !field.key().equals("rules")) {
                paths.add(inner);
                paths(field.type(), inner, paths);
            }
        }
    }

    @Test
    void fieldsThatAreTheSameAreThoseOfV117() {
        Set<String> v117 = new TreeSet<>();
        paths(PolicyShapes.V1, "", v117);
        Set<String> same = new TreeSet<>();
        HistoricFields.all().stream()
                .filter(HistoricName::isSame)
                .map(HistoricName::name)
                .forEach(same::add);
        assertEquals(v117, same);
    }

    @ParameterizedTest
    @CsvSource({
        "EXTENDERS[].BindVerb,extenders[].bindVerb (1.7 to 1.22) is the same today",
        "ExtenderConfigs,extenderConfigs (1.2 to 1.16) is extenders today",
    })
    void findsInAnyCase(String path, String text) {
        assertEquals(Optional.of(text), HistoricFields.find(path).map(HistoricName::describe));
    }

    @Test
    void findsNothingWhereNoReleaseHadAnything() {
        assertEquals(Optional.empty(), HistoricFields.find("builtin_extenders"));
    }
}
