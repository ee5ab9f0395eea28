package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.policyscheduler.engine.document.ShapeDecoder.Shape;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricFields;
import io.policyscheduler.engine.policy.PolicyNameHistory.HistoricName;
import io.policyscheduler.engine.policy.PolicyReader.PolicyShapes;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PolicyShapesTest {
    private static final Set<String> OURS = Set.of("rule", "rules", "tables");

    private static void paths(Shape shape, String path, Set<String> paths) {
        if (shape.kind() == Shape.Kind.LIST) {
            paths(shape.elementShape(), path + "[]", paths);
            return;
        }
        for (Shape.Field field : shape.fields()) {
            String inner = path.isEmpty() ? field.key() : path + "." + field.key();
            if (!OURS.contains(field.key())) {
                paths.add(inner);
                paths(field.shape(), inner, paths);
            }
        }
    }

    @Test
    void fieldsThatAreTheSameAreThoseOfV117() {
        Set<String> v117 = new TreeSet<>();
        paths(PolicyShapes.POLICY, "", v117);
        Set<String> same = new TreeSet<>();
        HistoricFields.all().stream()
                .filter(HistoricName::isSame)
                .map(HistoricName::name)
                .forEach(same::add);
        assertEquals(v117, same);
    }
}
