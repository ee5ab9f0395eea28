package io.policyscheduler.embedded;

import io.policyscheduler.cmd.embedded.api.ResourceCatalog;
import io.policyscheduler.engine.cluster.release.Release;
import java.io.IOException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Starts a Kubernetes API server in memory, with kubelets and controllers, for tests of JUnit 5 or later. On a class, all its tests share one
 * server; on a method, the test has its own. Constructors and methods get the server as a parameter of type {@link TestCluster}, and the path
 * of a kubeconfig file as a parameter of type {@link Path} with {@link Kubeconfig}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(EmbeddedCluster.Extension.class)
public @interface EmbeddedCluster {
    /** The Kubernetes release of the API, such as {@code 1.36}; empty for the newest. */
    String release() default "";

    /** Whether controllers create the pods of workloads and bind volumes. */
    boolean controllers() default true;

    /** Whether the server requires HTTPS and checks roles. The kubeconfig has the credentials of an administrator. */
    boolean rbac() default false;

    /**
     * Whether kubelets and controllers act on their own, 20 times per second. If false, they act when a test calls
     * {@link TestCluster#tick()}, so that a test needs no waiting.
     */
    boolean background() default true;

    /** Resources on the class path of the test with objects to create at start: JSON or YAML, such as {@code /nodes.yaml}. */
    String[] load() default {};

    /** Marks the parameter that gets the path of a kubeconfig file. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface Kubeconfig {}

    /** The extension behind the annotation. Closes the servers that it starts. */
    final class Extension
            implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback, ParameterResolver {
        private static final Namespace NAMESPACE = Namespace.create(Extension.class);

        @Override
        public void beforeAll(ExtensionContext context) throws IOException {
            start(context);
        }

        @Override
        public void beforeEach(ExtensionContext context) throws IOException {
            start(context);
        }

        @Override
        public void afterAll(ExtensionContext context) throws IOException {
            stop(context);
        }

        @Override
        public void afterEach(ExtensionContext context) throws IOException {
            stop(context);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            Class<?> type = parameter.getParameter().getType();
            return type == TestCluster.class || (type == Path.class && parameter.isAnnotated(Kubeconfig.class));
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            // The store of a method also finds what the class has.
            TestCluster cluster = context.getStore(NAMESPACE).get(TestCluster.class, TestCluster.class);
            if (cluster == null) {
                throw new ExtensionConfigurationException(
                        "the cluster of a method starts after the constructor; annotate the class with @EmbeddedCluster");
            }
            return parameter.getParameter().getType() == TestCluster.class ? cluster : cluster.kubeconfig();
        }

        private static void start(ExtensionContext context) throws IOException {
            @Nullable
            EmbeddedCluster settings = context.getElement()
                    .flatMap(element -> AnnotationSupport.findAnnotation(element, EmbeddedCluster.class))
                    .orElse(null);
            if (settings == null) {
                return;
            }
            TestCluster cluster = TestCluster.start(settings, release(settings.release()));
            context.getStore(NAMESPACE).put(TestCluster.class, cluster);
            for (String resource : settings.load()) {
                cluster.load(context.getRequiredTestClass(), resource);
            }
            cluster.startControllers();
        }

        private static void stop(ExtensionContext context) throws IOException {
            if (context.getElement()
                    .flatMap(element -> AnnotationSupport.findAnnotation(element, EmbeddedCluster.class))
                    .isPresent()) {
                TestCluster cluster = context.getStore(NAMESPACE).remove(TestCluster.class, TestCluster.class);
                if (cluster != null) {
                    cluster.close();
                }
            }
        }

        static Release release(String text) {
            List<Release> served = ResourceCatalog.releases();
            for (Release release : served) {
                if (release.toString().equals(text)) {
                    return release;
                }
            }
            if (text.isEmpty()) {
                return served.get(served.size() - 1);
            }
            throw new ExtensionConfigurationException("@EmbeddedCluster(release = \"" + text
                    + "\"): this release is not served; use one of "
                    + served.stream().map(Release::toString).collect(Collectors.joining(", ")));
        }
    }
}
