package io.policyscheduler.engine.policy;

import java.util.ArrayList;
import java.util.List;

/** The shapes of a Policy: the documented v1 form, and the internal form whose keys are the Go field names. */
final class PolicyShapes {
    static final TypeShape V1 = new PolicyShapes("v1.", true).policy();
    /** A file of rules that policies share. */
    static final TypeShape LIBRARY = new PolicyShapes("v1.", true).library();

    static final TypeShape INTERNAL = new PolicyShapes("config.", false).policy();

    private final String goPackage;
    private final boolean v1;

    private PolicyShapes(String goPackage, boolean v1) {
        this.goPackage = goPackage;
        this.v1 = v1;
    }

    private TypeShape policy() {
        List<TypeShape.Field> fields = new ArrayList<>();
        fields.add(new TypeShape.Field("kind", "kind", List.of("TypeMeta", "Kind"), TypeShape.STRING, false));
        fields.add(new TypeShape.Field(
                "apiVersion", "apiVersion", List.of("TypeMeta", "APIVersion"), TypeShape.STRING, false));
        fields.add(field("predicates", "Predicates", TypeShape.list(predicatePolicy())));
        fields.add(field("priorities", "Priorities", TypeShape.list(priorityPolicy())));
        fields.add(field("extenders", "Extenders", TypeShape.list(extender())));
        fields.add(field("hardPodAffinitySymmetricWeight", "HardPodAffinitySymmetricWeight", TypeShape.INT32));
        fields.add(field("rules", "Rules", TypeShape.list(rule(true))));
        fields.add(field("alwaysCheckAllPredicates", "AlwaysCheckAllPredicates", TypeShape.BOOL));
        return struct("Policy", fields);
    }

    /** A rule; not part of v1.17. One of a library has a name. */
    private TypeShape rule(boolean named) {
        List<TypeShape.Field> fields = new ArrayList<>();
        if (named) {
            fields.add(field("name", "Name", TypeShape.STRING));
        } else {
            fields.add(field("use", "Use", TypeShape.STRING));
        }
        fields.add(field("expression", "Expression", TypeShape.STRING));
        fields.add(field("when", "When", TypeShape.STRING));
        fields.add(field("params", "Params", TypeShape.ANY));
        fields.add(field("reason", "Reason", TypeShape.STRING));
        fields.add(field("resolvable", "Resolvable", TypeShape.BOOL));
        fields.add(field("normalize", "Normalize", TypeShape.STRING));
        fields.add(field("onError", "OnError", TypeShape.STRING));
        return struct("Rule", fields);
    }

    private TypeShape library() {
        return struct(
                "RuleLibrary",
                List.of(
                        field("kind", "Kind", TypeShape.STRING),
                        field("apiVersion", "APIVersion", TypeShape.STRING),
                        field("rules", "Rules", TypeShape.list(rule(true)))));
    }

    private TypeShape predicatePolicy() {
        TypeShape labels = TypeShape.list(TypeShape.STRING);
        TypeShape serviceAffinity = struct("ServiceAffinity", List.of(field("labels", "Labels", labels)));
        TypeShape labelsPresence = struct(
                "LabelsPresence",
                List.of(field("labels", "Labels", labels), field("presence", "Presence", TypeShape.BOOL)));
        TypeShape argument = struct(
                "PredicateArgument",
                List.of(
                        pointer("serviceAffinity", "ServiceAffinity", serviceAffinity),
                        pointer("labelsPresence", "LabelsPresence", labelsPresence),
                        pointer("rule", "Rule", rule(false))));
        return struct(
                "PredicatePolicy",
                List.of(field("name", "Name", TypeShape.STRING), pointer("argument", "Argument", argument)));
    }

    private TypeShape priorityPolicy() {
        TypeShape antiAffinity = struct("ServiceAntiAffinity", List.of(field("label", "Label", TypeShape.STRING)));
        TypeShape preference = struct(
                "LabelPreference",
                List.of(field("label", "Label", TypeShape.STRING), field("presence", "Presence", TypeShape.BOOL)));
        TypeShape point = struct(
                "UtilizationShapePoint",
                List.of(
                        field("utilization", "Utilization", TypeShape.INT32),
                        field("score", "Score", TypeShape.INT32)));
        TypeShape resource = struct(
                "ResourceSpec",
                List.of(field("name", "Name", TypeShape.STRING), field("weight", "Weight", TypeShape.INT64)));
        TypeShape ratio = struct(
                "RequestedToCapacityRatioArguments",
                List.of(
                        field("shape", "Shape", TypeShape.list(point)),
                        field("resources", "Resources", TypeShape.list(resource))));
        TypeShape argument = struct(
                "PriorityArgument",
                List.of(
                        pointer("serviceAntiAffinity", "ServiceAntiAffinity", antiAffinity),
                        pointer("labelPreference", "LabelPreference", preference),
                        pointer("requestedToCapacityRatioArguments", "RequestedToCapacityRatioArguments", ratio),
                        pointer("rule", "Rule", rule(false))));
        return struct(
                "PriorityPolicy",
                List.of(
                        field("name", "Name", TypeShape.STRING),
                        field("weight", "Weight", TypeShape.INT64),
                        pointer("argument", "Argument", argument)));
    }

    private TypeShape extender() {
        TypeShape tls = struct(
                "ExtenderTLSConfig",
                List.of(
                        field("insecure", "Insecure", TypeShape.BOOL),
                        field("serverName", "ServerName", TypeShape.STRING),
                        field("certFile", "CertFile", TypeShape.STRING),
                        field("keyFile", "KeyFile", TypeShape.STRING),
                        field("caFile", "CAFile", TypeShape.STRING),
                        field("certData", "CertData", TypeShape.BYTES),
                        field("keyData", "KeyData", TypeShape.BYTES),
                        field("caData", "CAData", TypeShape.BYTES)));
        TypeShape managed = struct(
                "ExtenderManagedResource",
                List.of(
                        field("name", "Name", TypeShape.STRING),
                        field("ignoredByScheduler", "IgnoredByScheduler", TypeShape.BOOL)));
        List<TypeShape.Field> fields = List.of(
                field("urlPrefix", "URLPrefix", TypeShape.STRING),
                field("filterVerb", "FilterVerb", TypeShape.STRING),
                field("preemptVerb", "PreemptVerb", TypeShape.STRING),
                field("prioritizeVerb", "PrioritizeVerb", TypeShape.STRING),
                field("weight", "Weight", TypeShape.INT64),
                field("bindVerb", "BindVerb", TypeShape.STRING),
                field("enableHttps", "EnableHTTPS", TypeShape.BOOL),
                pointer("tlsConfig", "TLSConfig", tls),
                field("httpTimeout", "HTTPTimeout", TypeShape.DURATION),
                field("nodeCacheCapable", "NodeCacheCapable", TypeShape.BOOL),
                field("managedResources", "ManagedResources", TypeShape.list(managed)),
                field("ignorable", "Ignorable", TypeShape.BOOL));
        return TypeShape.struct(goPackage + "Extender", v1, fields);
    }

    private TypeShape struct(String name, List<TypeShape.Field> fields) {
        return TypeShape.struct(goPackage + name, false, fields);
    }

    private TypeShape.Field field(String name, String goName, TypeShape type) {
        return new TypeShape.Field(name, v1 ? name : goName, List.of(goName), type, false);
    }

    private TypeShape.Field pointer(String name, String goName, TypeShape type) {
        return new TypeShape.Field(name, v1 ? name : goName, List.of(goName), type, true);
    }
}
