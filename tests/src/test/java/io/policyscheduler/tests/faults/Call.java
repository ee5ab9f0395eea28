package io.policyscheduler.tests.faults;

/**
 * A request to the proxy.
 *
 * @param target path and query
 */
record Call(String method, String target) {
    boolean isWatch() {
        return target.contains("watch=true");
    }

    /** Returns the path without the query. */
    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    @Override
    public String toString() {
        return method + " " + target;
    }
}
