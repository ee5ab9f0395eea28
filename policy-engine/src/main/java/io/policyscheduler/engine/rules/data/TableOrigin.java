package io.policyscheduler.engine.rules.data;

import io.policyscheduler.engine.cluster.VisibleText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Where the values of a table come from. */
public sealed interface TableOrigin {
    /** For users: {@code file prices.csv}. */
    String text();

    /** True when the values are asked for again and again, and each has the time at which it was true. */
    default boolean isMeasured() {
        return false;
    }

    /** Written in the policy itself. */
    record Inline() implements TableOrigin {
        @Override
        public String text() {
            return "the policy";
        }
    }

    /**
     * A file.
     *
     * @param path as written; relative to the file that has the table
     */
    record File(String path) implements TableOrigin {
        @Override
        public String text() {
            return "file " + path;
        }
    }

    /**
     * A key of a ConfigMap; how its text is read is told by the end of the key.
     *
     * @param key name of the entry of {@code data}
     */
    record ConfigMap(String namespace, String name, String key) implements TableOrigin {
        @Override
        public String text() {
            return "configmap " + namespace + "/" + name + "[" + key + "]";
        }
    }

    /**
     * The answer of a Prometheus server, or of one that speaks like it, to an instant query.
     *
     * @param url base, without a trailing slash and without {@code /api/v1}
     * @param label whose value is the key of a sample
     * @param interval from the end of one question to the next one
     * @param timeout for one question
     * @param bearerTokenFile read anew as it changes, relative to the file that has the table; null for none
     * @param caFile authorities in PEM, likewise; null for those that the Java machine trusts
     * @param verify whether the server's certificate is verified
     */
    record Prometheus(
            String url,
            String query,
            String label,
            Duration interval,
            Duration timeout,
            @Nullable String bearerTokenFile,
            @Nullable String caFile,
            boolean verify)
            implements TableOrigin {
        @Override
        public String text() {
            return "prometheus " + VisibleText.withoutPasswords(url);
        }

        @Override
        public boolean isMeasured() {
            return true;
        }
    }

    /**
     * What the API of metrics.k8s.io says that nodes use: records of cpu (cores) and memory (bytes) by the node's name.
     *
     * @param interval from the end of one question to the next one
     */
    record NodeMetrics(Duration interval) implements TableOrigin {
        @Override
        public String text() {
            return "metricsApi nodes";
        }

        @Override
        public boolean isMeasured() {
            return true;
        }
    }
}
