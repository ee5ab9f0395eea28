package io.policyscheduler.engine.policy;

import static io.policyscheduler.engine.document.Shape.field;
import static io.policyscheduler.engine.document.Shape.list;
import static io.policyscheduler.engine.document.Shape.object;

import io.policyscheduler.engine.document.Shape;
import io.policyscheduler.engine.extender.ExtenderShapes;
import java.util.ArrayList;
import java.util.List;

/** The shapes of a Policy. The Go names are the keys of the internal form, which a file without apiVersion has for v1.17. */
final class PolicyShapes {
    /** Kind and apiVersion, which have the same keys in both forms. */
    static final String TYPE_META = "TypeMeta: ";

    static final Shape RULE = rule(field("use", "Use", Shape.STRING));
    private static final Shape NAMED_RULE = rule(field("name", "Name", Shape.STRING));

    static final Shape POLICY = object(
            "Policy",
            field("kind", TYPE_META + "Kind", Shape.STRING),
            field("apiVersion", TYPE_META + "APIVersion", Shape.STRING),
            field("predicates", "Predicates", list(predicatePolicy())),
            field("priorities", "Priorities", list(priorityPolicy())),
            field("extenders", "Extenders", list(ExtenderShapes.OF_POLICY)),
            field("hardPodAffinitySymmetricWeight", "HardPodAffinitySymmetricWeight", Shape.INT32),
            field("rules", "Rules", list(NAMED_RULE)),
            field("tables", "Tables", Shape.ANY),
            field("alwaysCheckAllPredicates", "AlwaysCheckAllPredicates", Shape.BOOL));

    /** A file of rules that policies share. */
    static final Shape LIBRARY = object(
            "RuleLibrary",
            field("kind", TYPE_META + "Kind", Shape.STRING),
            field("apiVersion", TYPE_META + "APIVersion", Shape.STRING),
            field("rules", "Rules", list(NAMED_RULE)),
            field("tables", "Tables", Shape.ANY));

    private PolicyShapes() {}

    /** A rule; not part of v1.17. One of a library has a name, one of an entry may use one of a library. */
    private static Shape rule(Shape.Field first) {
        List<Shape.Field> fields = new ArrayList<>();
        fields.add(first);
        fields.add(field("expression", "Expression", Shape.STRING));
        fields.add(field("when", "When", Shape.STRING));
        fields.add(field("params", "Params", Shape.ANY));
        fields.add(field("reason", "Reason", Shape.STRING));
        fields.add(field("resolvable", "Resolvable", Shape.BOOL));
        fields.add(field("normalize", "Normalize", Shape.STRING));
        fields.add(field("onError", "OnError", Shape.STRING));
        return object("Rule", fields);
    }

    private static Shape predicatePolicy() {
        Shape labels = list(Shape.STRING);
        Shape argument = object(
                "PredicateArgument",
                field(
                        "serviceAffinity",
                        "ServiceAffinity",
                        object("ServiceAffinity", field("labels", "Labels", labels))),
                field(
                        "labelsPresence",
                        "LabelsPresence",
                        object(
                                "LabelsPresence",
                                field("labels", "Labels", labels),
                                field("presence", "Presence", Shape.BOOL))),
                field("rule", "Rule", RULE));
        return object("PredicatePolicy", field("name", "Name", Shape.STRING), field("argument", "Argument", argument));
    }

    private static Shape priorityPolicy() {
        Shape antiAffinity = object("ServiceAntiAffinity", field("label", "Label", Shape.STRING));
        Shape preference = object(
                "LabelPreference", field("label", "Label", Shape.STRING), field("presence", "Presence", Shape.BOOL));
        Shape point = object(
                "UtilizationShapePoint",
                field("utilization", "Utilization", Shape.INT32),
                field("score", "Score", Shape.INT32));
        Shape resource =
                object("ResourceSpec", field("name", "Name", Shape.STRING), field("weight", "Weight", Shape.INT64));
        Shape ratio = object(
                "RequestedToCapacityRatioArguments",
                field("shape", "Shape", list(point)),
                field("resources", "Resources", list(resource)));
        Shape argument = object(
                "PriorityArgument",
                field("serviceAntiAffinity", "ServiceAntiAffinity", antiAffinity),
                field("labelPreference", "LabelPreference", preference),
                field("requestedToCapacityRatioArguments", "RequestedToCapacityRatioArguments", ratio),
                field("rule", "Rule", RULE));
        return object(
                "PriorityPolicy",
                field("name", "Name", Shape.STRING),
                field("weight", "Weight", Shape.INT64),
                field("argument", "Argument", argument));
    }
}
