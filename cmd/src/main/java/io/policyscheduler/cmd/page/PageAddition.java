package io.policyscheduler.cmd.page;

import io.policyscheduler.cmd.http.StatusContent.PageTree;
import io.policyscheduler.cmd.server.Exchange;
import io.policyscheduler.cmd.server.WebServer.Limits;

/**
 * A view that a page has besides its own, with all paths below its name. Its script is {@code /NAME/NAME.js}, a module that exports a
 * {@code TITLE}, {@code open} as the views of the page do, and the names of those that it stands {@code INSTEAD_OF}. Thread-safe.
 */
public interface PageAddition extends PageTree {
    /** There is none. */
    PageAddition NONE = new PageAddition() {
        @Override
        public String name() {
            return "";
        }

        @Override
        public Limits limits() {
            return Limits.withoutBodies();
        }

        @Override
        public boolean answer(Exchange exchange) {
            return false;
        }
    };

    /** Lower-case letters; empty when there is none. */
    String name();

    /** What the port of the page grants its clients. */
    Limits limits();
}
