package io.policyscheduler.tests.faults;

/**
 * A request that went into the proxy.
 *
 * @param target path and query
 */
record Call(String method, String target) {
    boolean isWatch() {
        return target.contains("watch=true");
    }

    /** Without the query. */
    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    @Override
    public String toString() {
        return method + " " + target;
    }
}
