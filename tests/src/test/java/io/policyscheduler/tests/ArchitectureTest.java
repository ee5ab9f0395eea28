package io.policyscheduler.tests;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Dependencies between modules and packages point downward, and some packages may not be used from outside. */
@AnalyzeClasses(
        packages = "io.policyscheduler",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.WithoutTestHelpers.class})
class ArchitectureTest {
    private static final String ROOT = "io.policyscheduler.";

    /** Excludes test helpers, which are also packaged as a jar. */
    static final class WithoutTestHelpers implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/engine/testing/")
                    && !location.contains("-tests.jar")
                    && !location.contains("/policyscheduler/tests/");
        }
    }

    /** The modules within {@code framework-adapter} and {@code cmd}. */
    @ArchTest
    static final ArchRule SEPARATE_MODULES = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("framework-core")
            .definedBy(DescribedPredicate.and(
                    resideInAPackage(ROOT + "framework.."),
                    DescribedPredicate.not(resideInAPackage(ROOT + "framework.insight.."))))
            .layer("framework-insight")
            .definedBy(ROOT + "framework.insight..")
            .layer("http-server")
            .definedBy(ROOT + "cmd.server..")
            .layer("embedded-cluster")
            .definedBy(ROOT + "cmd.embedded..", ROOT + "embedded..")
            .layer("kube-client")
            .definedBy(ROOT + "cmd.kube..")
            .whereLayer("framework-core")
            .mayOnlyBeAccessedByLayers("framework-insight")
            .whereLayer("framework-insight")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("embedded-cluster")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("kube-client")
            .mayNotBeAccessedByAnyLayer();

    @ArchTest
    static final ArchRule MODULES = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("policy-engine")
            .definedBy(ROOT + "engine..")
            .layer("predicates")
            .definedBy(ROOT + "predicates..")
            .layer("priorities")
            .definedBy(ROOT + "priorities..")
            .layer("framework-adapter")
            .definedBy(ROOT + "framework..")
            .layer("cmd")
            .definedBy(ROOT + "cmd..")
            .whereLayer("cmd")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("framework-adapter")
            .mayOnlyBeAccessedByLayers("cmd")
            .whereLayer("predicates")
            .mayOnlyBeAccessedByLayers("cmd")
            .whereLayer("priorities")
            .mayOnlyBeAccessedByLayers("cmd");

    @ArchTest
    static final ArchRule ENGINE = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("cluster")
            .definedBy(ROOT + "engine.cluster..")
            .layer("algorithm")
            .definedBy(ROOT + "engine.algorithm..")
            .layer("rules")
            .definedBy(ROOT + "engine.rules..")
            .layer("document")
            .definedBy(ROOT + "engine.document..")
            .layer("policy")
            .definedBy(ROOT + "engine.policy..")
            .layer("placement")
            .definedBy(ROOT + "engine.placement..")
            .layer("creation")
            .definedBy(ROOT + "engine.creation..")
            .layer("reader")
            .definedBy(ROOT + "engine.reader..")
            .layer("functions")
            .definedBy(ROOT + "engine.functions..")
            .whereLayer("functions")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("reader")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("creation")
            .mayOnlyBeAccessedByLayers("reader")
            .whereLayer("placement")
            .mayOnlyBeAccessedByLayers("functions")
            .whereLayer("policy")
            .mayOnlyBeAccessedByLayers("functions")
            .whereLayer("document")
            .mayOnlyBeAccessedByLayers("policy", "reader")
            .whereLayer("rules")
            .mayOnlyBeAccessedByLayers("policy")
            .whereLayer("algorithm")
            .mayOnlyBeAccessedByLayers("rules", "policy", "placement", "functions");

    @ArchTest
    static final ArchRule FRAMEWORK = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("devices")
            .definedBy(ROOT + "framework.devices..")
            .layer("plugin")
            .definedBy(ROOT + "framework.plugin..")
            .layer("config")
            .definedBy(ROOT + "framework.config..")
            .layer("profile")
            .definedBy(ROOT + "framework.profile..")
            .layer("modern")
            .definedBy(ROOT + "framework.modern..")
            .layer("cycle")
            .definedBy(ROOT + "framework.cycle..")
            .layer("resultcache")
            .definedBy(ROOT + "framework.resultcache..")
            .layer("backend")
            .definedBy(ROOT + "framework.scheduler.backend..")
            .layer("api")
            .definedBy(ROOT + "framework.scheduler.api..")
            .layer("binding")
            .definedBy(ROOT + "framework.scheduler.binding..")
            .layer("loop")
            .definedBy(ROOT + "framework.scheduler.loop..")
            .layer("compare")
            .definedBy(ROOT + "framework.insight.compare..")
            .layer("whatif")
            .definedBy(ROOT + "framework.insight.whatif..")
            .layer("explain")
            .definedBy(ROOT + "framework.insight.explain..")
            .layer("migrate")
            .definedBy(ROOT + "framework.insight.migrate..")
            .layer("lab")
            .definedBy(ROOT + "framework.insight.lab..")
            // A migration reads files only; the code that evaluates decisions depends on the scheduling cycle.
            .whereLayer("migrate")
            .mayNotBeAccessedByAnyLayer()
            // The laboratory runs the whole scheduler; the scheduler does not depend on it.
            .whereLayer("lab")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("explain")
            .mayOnlyBeAccessedByLayers("whatif")
            .whereLayer("whatif")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("compare")
            .mayOnlyBeAccessedByLayers("whatif", "explain", "lab")
            // The scheduling loop binds what the cycle decided; the rest of the program uses both through "api".
            .whereLayer("loop")
            .mayOnlyBeAccessedByLayers("lab")
            .whereLayer("binding")
            .mayOnlyBeAccessedByLayers("loop")
            .whereLayer("api")
            .mayOnlyBeAccessedByLayers("binding", "loop", "lab")
            .whereLayer("backend")
            .mayOnlyBeAccessedByLayers("api", "binding", "loop", "lab")
            .whereLayer("cycle")
            .mayOnlyBeAccessedByLayers("api", "binding", "loop", "compare", "whatif", "explain", "lab")
            .whereLayer("resultcache")
            .mayOnlyBeAccessedByLayers("cycle")
            .whereLayer("modern")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("profile")
            .mayOnlyBeAccessedByLayers("modern", "backend", "cycle", "api", "binding", "loop", "compare")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("profile", "modern", "migrate")
            .whereLayer("plugin")
            .mayOnlyBeAccessedByLayers(
                    "devices",
                    "config",
                    "profile",
                    "modern",
                    "resultcache",
                    "cycle",
                    "backend",
                    "api",
                    "binding",
                    "loop",
                    "compare",
                    "migrate",
                    "lab")
            .whereLayer("devices")
            .mayOnlyBeAccessedByLayers("profile", "modern", "compare", "explain");

    /** The classes that authors of plugins compile against. */
    @ArchTest
    static final ArchRule PLUGIN_API = classes()
            .that()
            .resideInAPackage(ROOT + "framework.plugin..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    ROOT + "framework.plugin..",
                    ROOT + "engine.cluster..",
                    ROOT + "engine.algorithm..",
                    "java..",
                    "com.google.common..",
                    "com.fasterxml.jackson.databind..",
                    "org.jspecify.annotations..");

    /** The classes of policy-scheduler-model, on which the plugin API depends. */
    @ArchTest
    static final ArchRule MODEL = classes()
            .that()
            .resideInAnyPackage(ROOT + "engine.cluster..", ROOT + "engine.algorithm..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    ROOT + "engine.cluster..",
                    ROOT + "engine.algorithm..",
                    "java..",
                    "com.google.common..",
                    "com.google.errorprone.annotations..",
                    "org.jspecify.annotations..");

    @ArchTest
    static final ArchRule NO_CYCLES_IN_ENGINE =
            slices().matching(ROOT + "engine.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NO_CYCLES_IN_FRAMEWORK =
            slices().matching(ROOT + "framework.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NO_CYCLES_IN_CMD =
            slices().matching(ROOT + "cmd.(**)").should().beFreeOfCycles();

    /** The classes that hold the state of the cluster, from the bottom to the top, with their nested classes. */
    @ArchTest
    static final ArchRule NO_CYCLES_IN_CLUSTER_STATE = slices().assignedFrom(new SliceAssignment() {
                private final List<String> names = List.of(
                        "resource.RequestTotals", "node.NodeInfo", "index.ClusterIndex", "ClusterView", "ClusterState");

                @Override
                public SliceIdentifier getIdentifierOf(JavaClass type) {
                    String name = type.getName();
                    String prefix = ROOT + "engine.cluster.";
                    String outer = name.startsWith(prefix)
                            ? name.substring(prefix.length()).split("\\$", 2)[0]
                            : "";
                    return names.contains(outer) ? SliceIdentifier.of(outer) : SliceIdentifier.ignore();
                }

                @Override
                public String getDescription() {
                    return "classes of the cluster state";
                }
            })
            .should()
            .beFreeOfCycles();

    /** No command depends on another command; only Main knows all of them. */
    private static final String[] COMMANDS = {
        "bench",
        "cluster",
        "compare",
        "explain",
        "extender",
        "lab",
        "migrate",
        "replay",
        "rule",
        "run",
        "simulate",
        "validate"
    };

    @ArchTest
    static void commandsStandBesideEachOther(JavaClasses classes) {
        for (String command : COMMANDS) {
            classes()
                    .that()
                    .resideInAPackage(ROOT + "cmd." + command)
                    .should()
                    .onlyHaveDependentClassesThat()
                    .resideInAnyPackage(ROOT + "cmd." + command, ROOT + "cmd.cli")
                    .because("what two commands need is in a package of its own")
                    .check(classes);
        }
    }

    @ArchTest
    static final ArchRule CMD = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("cli")
            .definedBy(ROOT + "cmd.cli")
            .layer("commands")
            .definedBy(Arrays.stream(COMMANDS).map(name -> ROOT + "cmd." + name).toArray(String[]::new))
            .layer("playground")
            .definedBy(ROOT + "cmd.playground..")
            .layer("sources")
            .definedBy(ROOT + "cmd.sources..")
            .layer("options")
            .definedBy(ROOT + "cmd.options..")
            .layer("live")
            .definedBy(ROOT + "cmd.live..")
            .layer("snapshot")
            .definedBy(ROOT + "cmd.snapshot..")
            .layer("kube")
            .definedBy(ROOT + "cmd.kube..")
            .layer("embedded")
            .definedBy(ROOT + "cmd.embedded..")
            .whereLayer("cli")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("commands")
            .mayOnlyBeAccessedByLayers("cli")
            .whereLayer("playground")
            .mayOnlyBeAccessedByLayers("commands")
            .whereLayer("sources")
            .mayOnlyBeAccessedByLayers("playground", "commands", "cli")
            .whereLayer("options")
            .mayOnlyBeAccessedByLayers("sources", "playground", "commands", "cli")
            .whereLayer("live")
            .mayOnlyBeAccessedByLayers("sources", "commands")
            .whereLayer("snapshot")
            .mayOnlyBeAccessedByLayers("live", "sources", "playground", "commands")
            .whereLayer("kube")
            .mayOnlyBeAccessedByLayers("snapshot", "live", "sources", "commands")
            .whereLayer("embedded")
            .mayOnlyBeAccessedByLayers("playground", "commands");

    @ArchTest
    static final ArchRule MVEL = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "engine.rules.executor")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.mvel2..")
            .because("MVEL only ever sees text that the rule checker has emitted");

    @ArchTest
    static final ArchRule LOGGING_BY_SLF4J = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "cmd.cli..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.util.logging..", "ch.qos.logback..")
            .because("only the command line may set the logging backend up");

    @ArchTest
    static final ArchRule STANDARD_STREAMS = classes()
            .that()
            .resideOutsideOfPackages(ROOT + "cmd.cli..", ROOT + "cmd.options..", ROOT + "cmd.report..")
            .should(not(ACCESS_STANDARD_STREAMS));

    @ArchTest
    static final ArchRule KUBERNETES_CLIENT = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "cmd.kube..")
            .should()
            .dependOnClassesThat(resideInAPackage("io.kubernetes..")
                    .and(DescribedPredicate.not(resideInAPackage("io.kubernetes.client.proto.."))));

    @ArchTest
    static final ArchRule PROTOBUF = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "cmd.embedded..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.kubernetes.client.proto..", "com.google.protobuf..");

    @ArchTest
    static final ArchRule NO_INFORMERS_OR_LEADER_ELECTOR = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.kubernetes.client.informer..", "io.kubernetes.client.extended.leaderelection..");

    @ArchTest
    static final ArchRule HTTP_SERVER = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "cmd.server..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.eclipse.jetty..", "com.sun.net.httpserver..");

    @ArchTest
    static final ArchRule NO_MUTABLE_STATICS =
            fields().that().areStatic().should().beFinal();

    @ArchTest
    static final ArchRule NO_IMPL = noClasses().should().haveSimpleNameEndingWith("Impl");

    /** A search for the name would find the wrong one. */
    @ArchTest
    static void noNestedClassHasTheNameOfATopLevelClassOfItsPackage(JavaClasses classes) {
        Set<String> topLevel = classes.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .map(JavaClass::getName)
                .collect(Collectors.toSet());
        List<String> twice = classes.stream()
                .filter(type -> type.getEnclosingClass().isPresent())
                .filter(type -> topLevel.contains(type.getPackageName() + "." + type.getSimpleName()))
                .map(JavaClass::getName)
                .sorted()
                .toList();
        assertEquals(List.of(), twice);
    }
}
