package io.policyscheduler.engine.rules.table;

/** Where the values of a table come from. */
public sealed interface TableOrigin {
    /** For users: {@code file prices.csv}. */
    String text();

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
}
