package io.policyscheduler.cmd.embedded.fields;

import io.policyscheduler.cmd.embedded.api.StatusError;
import io.policyscheduler.cmd.embedded.api.StatusError.Cause;
import io.policyscheduler.cmd.embedded.fields.ManagedFields.Manager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The refusal of an apply that would change what others own (managedfields/internal/conflict.go). */
final class ApplyConflict {
    private ApplyConflict() {}

    static StatusError of(Map<Manager, Set<List<String>>> conflicts) {
        List<Cause> causes = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        conflicts.forEach((manager, paths) -> {
            List<String> fields = paths.stream().map(FieldSet::text).sorted().toList();
            fields.forEach(
                    field -> causes.add(new Cause(field, "FieldManagerConflict", "conflict with " + manager.text())));
            texts.add(
                    fields.size() == 1
                            ? "conflict with " + manager.text() + ": " + fields.get(0)
                            : "conflicts with " + manager.text() + ":\n- " + String.join("\n- ", fields));
        });
        String count = causes.size() == 1 ? "1 conflict" : causes.size() + " conflicts";
        return StatusError.applyConflict("Apply failed with " + count + ": " + String.join("\n", texts), causes);
    }
}
