package io.policyscheduler.tests;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The arrows of the house point down only, and what belongs in one room stays there. */
@AnalyzeClasses(
        packages = "io.policyscheduler",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.WithoutTestHelpers.class})
class ArchitectureTest {
    private static final String ROOT = "io.policyscheduler.";

    /** Test helpers also come in a jar of their own. */
    static final class WithoutTestHelpers implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("/engine/testing/")
                    && !location.contains("-tests.jar")
                    && !location.contains("/policyscheduler/tests/");
        }
    }

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
            .layer("policy")
            .definedBy(ROOT + "engine.policy..")
            .layer("preemption")
            .definedBy(ROOT + "engine.preemption..")
            .layer("reader")
            .definedBy(ROOT + "engine.reader..")
            .layer("legacy")
            .definedBy(ROOT + "engine.legacy..")
            .whereLayer("legacy")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("reader")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("preemption")
            .mayOnlyBeAccessedByLayers("legacy")
            .whereLayer("policy")
            .mayOnlyBeAccessedByLayers("legacy")
            .whereLayer("rules")
            .mayOnlyBeAccessedByLayers("policy")
            .whereLayer("algorithm")
            .mayOnlyBeAccessedByLayers("rules", "policy", "preemption", "legacy");

    @ArchTest
    static final ArchRule FRAMEWORK = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("plugin")
            .definedBy(ROOT + "framework.plugin..")
            .layer("config")
            .definedBy(ROOT + "framework.config..")
            .layer("profile")
            .definedBy(ROOT + "framework.profile..")
            .layer("modern")
            .definedBy(ROOT + "framework.modern..")
            .layer("queue")
            .definedBy(ROOT + "framework.scheduler.queue..")
            .layer("cache")
            .definedBy(ROOT + "framework.scheduler.cache..")
            .layer("scheduler")
            .definedBy(ROOT + "framework.scheduler")
            .layer("cycle")
            .definedBy(ROOT + "framework.scheduler.cycle..")
            .layer("extender")
            .definedBy(ROOT + "framework.extender..")
            .layer("compare")
            .definedBy(ROOT + "framework.compare..")
            .layer("whatif")
            .definedBy(ROOT + "framework.whatif..")
            .layer("explain")
            .definedBy(ROOT + "framework.explain..")
            .layer("audit")
            .definedBy(ROOT + "framework.audit..")
            .layer("migrate")
            .definedBy(ROOT + "framework.migrate..")
            // A migration is worked out from texts alone; what judges decisions stands on the cycle.
            .whereLayer("migrate")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("audit")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("explain")
            .mayOnlyBeAccessedByLayers("audit")
            .whereLayer("whatif")
            .mayOnlyBeAccessedByLayers("audit")
            .whereLayer("compare")
            .mayOnlyBeAccessedByLayers("whatif", "explain", "audit")
            // The loop asks a PodDecider and calls the plugins of the later steps; the cycle is a decider.
            .whereLayer("cycle")
            .mayOnlyBeAccessedByLayers("compare", "whatif", "explain", "audit")
            .whereLayer("scheduler")
            .mayOnlyBeAccessedByLayers("cycle", "compare", "whatif", "explain", "audit")
            .whereLayer("extender")
            .mayOnlyBeAccessedByLayers("cycle", "compare")
            .whereLayer("queue")
            .mayOnlyBeAccessedByLayers("scheduler")
            .whereLayer("cache")
            .mayOnlyBeAccessedByLayers("scheduler")
            .whereLayer("modern")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("profile")
            .mayOnlyBeAccessedByLayers("modern", "scheduler", "cycle", "compare")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("profile", "modern", "migrate")
            .whereLayer("plugin")
            .mayOnlyBeAccessedByLayers(
                    "config", "profile", "modern", "queue", "scheduler", "cycle", "compare", "migrate");

    @ArchTest
    static final ArchRule NO_CYCLES_IN_ENGINE =
            slices().matching(ROOT + "engine.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NO_CYCLES_IN_FRAMEWORK =
            slices().matching(ROOT + "framework.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule NO_CYCLES_IN_CMD =
            slices().matching(ROOT + "cmd.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule MVEL = noClasses()
            .that()
            .resideOutsideOfPackage(ROOT + "engine.rules..")
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
            .resideInAPackage("java.util.logging..")
            .because("only the command line may set the logging backend up");

    @ArchTest
    static final ArchRule STANDARD_STREAMS = classes()
            .that()
            .resideOutsideOfPackages(ROOT + "cmd.cli..", ROOT + "cmd.report..")
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
}
