package io.policyscheduler.cmd.world;

import io.policyscheduler.cmd.world.LiveCreationObjects.Resource;
import io.policyscheduler.engine.creation.ObjectCreation.Objects;

/** The warnings about objects that a dump lacks and other objects refer to. */
final class MissingObjectText {
    private MissingObjectText() {}

    /** Returns the warning about a class that a manifest names. */
    static String ofClass(Objects.Kind kind, String name) {
        String fix = "to add it, run kubectl get " + Resource.of(kind).plural() + " -o json";
        if (kind == Objects.Kind.RESOURCE_CLAIM_TEMPLATE) {
            return "W151 " + kind.objectKind() + " " + name + " is not in the files: pods that name it wait for their"
                    + " claims, as in a cluster without it; " + fix;
        }
        String without = switch (kind) {
            case PRIORITY_CLASS -> "pods that name it have priority 0 here";
            case RUNTIME_CLASS -> "pods that name it have no overhead and no node selector from it here";
            case LIMIT_RANGE, STORAGE_CLASS, RESOURCE_CLAIM_TEMPLATE -> "it is ignored here";
        };
        return "W151 " + kind.objectKind() + " " + name + " is not in the files: " + without
                + ", whereas an API server rejects them; " + fix;
    }

    /** Returns the warning about classes that may not be listed. */
    static String denied(String plural) {
        return "W150 permission to list " + plural + " is missing: new pods are scheduled as if there were none";
    }

    /** Returns the warning about an object that an API server would reject. */
    static String refused(WrittenObjects.Written object, Exception reason) {
        return "W152 an API server would reject " + object.kind() + " " + object.name() + ": " + reason.getMessage();
    }
}
