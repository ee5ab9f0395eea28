package io.policyscheduler.cmd.world;

import io.policyscheduler.engine.creation.CreationObjects;

/** What users are told of objects that others need and a dump does not have. */
final class MissingObjectText {
    private MissingObjectText() {}

    /** A class that a manifest names. */
    static String ofClass(CreationObjects.Kind kind, String name) {
        String where = "kubectl get " + ClassResource.of(kind).plural() + " -o json has it";
        if (kind == CreationObjects.Kind.RESOURCE_CLAIM_TEMPLATE) {
            return "W151 " + kind.objectKind() + " " + name + " is not in the files: pods that name it wait for their"
                    + " claims, as in a cluster without it; " + where;
        }
        String without = switch (kind) {
            case PRIORITY_CLASS -> "pods that name it have priority 0 here";
            case RUNTIME_CLASS -> "pods that name it have no overhead of it and go to any node here";
            case LIMIT_RANGE, STORAGE_CLASS, RESOURCE_CLAIM_TEMPLATE -> "nothing is taken of it";
        };
        return "W151 " + kind.objectKind() + " " + name + " is not in the files: " + without
                + ", where an API server would refuse them; " + where;
    }

    /** Classes that the running cluster does not show. */
    static String denied(String plural) {
        return "W150 the right to list " + plural + " is missing, so that new pods are decided as if there were none";
    }

    /** An object that an API server would not take. */
    static String refused(WrittenObjects.Written object, Exception reason) {
        return "W152 an API server would refuse " + object.kind() + " " + object.name() + ": " + reason.getMessage();
    }
}
