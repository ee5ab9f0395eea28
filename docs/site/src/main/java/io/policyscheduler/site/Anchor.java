package io.policyscheduler.site;

import org.commonmark.node.CustomNode;

/** The last child of a heading: its anchor, and a link to it. */
final class Anchor extends CustomNode {
    private final String id;

    Anchor(String id) {
        this.id = id;
    }

    String id() {
        return id;
    }
}
